"""The style of plots in reports, for light and dark, on screen and on paper."""

_LIGHT = (
    "--paper:#ffffff;--ink:#1c2430;--soft:#5b6675;--grid:#e3e7ec;--law:#cfd6df;--ours:#1f63c6;"
    "--bad0:#c85a00;--bad1:#7a45b8;--bad2:#0d7f68;"
    "--n4:#14418b;--n3:#3f74c4;--n2:#8db0e3;--n1:#d3e1f6;--p1:#fbdcc4;--p2:#f2ad78;--p3:#d9702a;--p4:#9c3f06"
)
_DARK = (
    "--paper:#14181f;--ink:#e6eaf0;--soft:#9aa6b5;--grid:#2a313c;--law:#414b59;--ours:#74aaff;"
    "--bad0:#ff9f4a;--bad1:#c39bff;--bad2:#4fd0b0;"
    "--n4:#8fbcff;--n3:#5289d8;--n2:#2f5791;--n1:#1f3250;--p1:#4a2d18;--p2:#8a4c1d;--p3:#d0762f;--p4:#ffb273"
)
STYLE = (
    f":root{{{_LIGHT}}}@media (prefers-color-scheme:dark){{:root{{{_DARK}}}}}"
    "svg{font:13px system-ui,-apple-system,'Segoe UI',sans-serif}svg text{fill:var(--soft)}"
    "svg .head{fill:var(--ink);font-size:15px;font-weight:600}svg .ink{fill:var(--ink)}"
    "svg .paper{fill:var(--paper)}svg .grid{stroke:var(--grid);fill:none}svg .frame{stroke:var(--grid);fill:none}"
    "svg .law{fill:var(--law)}svg .ours{fill:var(--ours);stroke:var(--paper);stroke-width:1.2}"
    "svg .line{fill:none;stroke-width:2;stroke-linejoin:round}"
    "svg .bad0{stroke:var(--bad0)}svg .bad1{stroke:var(--bad1);stroke-dasharray:7 3}"
    "svg .bad2{stroke:var(--bad2);stroke-dasharray:2 3}"
    + "".join(f"svg .{c}{d}{{stroke:var(--{c}{d});fill:none}}" for c in "np" for d in range(1, 5))
)
