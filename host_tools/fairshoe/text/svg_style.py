"""The style of plots in reports, for light and dark, on screen and on paper."""

from fairshoe.look import report_style, tokens

_RULES = (
    ":root{--bad0:var(--series-2);--bad1:var(--series-3);--bad2:var(--series-4)}"
    "svg{font:13px var(--font)}svg text{fill:var(--muted)}"
    "svg .head{fill:var(--ink);font-size:15px;font-weight:600}svg .ink{fill:var(--ink)}"
    "svg .paper{fill:var(--surface)}svg .grid{stroke:var(--line);fill:none}svg .frame{stroke:var(--line);fill:none}"
    "svg .law{fill:var(--part)}svg .ours{fill:var(--series-1);stroke:var(--surface);stroke-width:1.2}"
    "svg .line{fill:none;stroke-width:2;stroke-linejoin:round}"
    "svg .bad0{stroke:var(--bad0)}svg .bad1{stroke:var(--bad1);stroke-dasharray:7 3}"
    "svg .bad2{stroke:var(--bad2);stroke-dasharray:2 3}"
    + "".join(f"svg .{c}{d}{{stroke:var(--{c}{d});fill:none}}" for c in "np" for d in range(1, 5))
)
STYLE = tokens() + _RULES  # of a drawing that is a file of its own
REPORT = report_style() + _RULES  # of a report with drawings in it
