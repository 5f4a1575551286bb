"""The page that checks a receipt, as one file: the same for every house, so that players can open a trusted copy.

Modules cannot be loaded from a page that was opened as a file. So the modules of the JavaScript client and of the page
are joined into one script, without their imports; their names do not collide, which the browser would refuse.
"""

from __future__ import annotations

import base64
import hashlib
import io
import re
from pathlib import Path

from fairshoe.errors import UsageError, install_advice
from fairshoe.look import PAGE, plain_css, report_style
from fairshoe.web.assets import client_folder

FOLDER = Path(__file__).resolve().parent / "receipt"
CLIENT = ("errors.js", "bytes.js", "sha256.js", "messages.js", "dictionary.js", "receipt.js")
_IMPORT = re.compile(r"^import [^;]*;\n", re.MULTILINE)
_EXPORT = re.compile(r"^export ", re.MULTILINE)


def receipt_page() -> bytes:
    client = client_folder()
    modules = [*(client / name for name in CLIENT), PAGE / "dom.js", FOLDER / "receipt_page.js"]
    parts = {
        "style": report_style() + plain_css(FOLDER / "receipt.css"),
        "script": "\n" + "".join(_EXPORT.sub("", _IMPORT.sub("", module.read_text("utf-8"))) for module in modules),
    }
    text = (FOLDER / "receipt.html").read_text("utf-8")
    for name, part in parts.items():
        digest = base64.b64encode(hashlib.sha256(part.encode()).digest()).decode()
        text = text.replace(f"{{{name}-hash}}", f"sha256-{digest}").replace(f"{{{name}}}", part)
    return text.encode()


def qr_code(link: str, title: str, about: str) -> bytes:
    """The link as SVG, black on white with a quiet zone, whatever the page around it looks like."""
    try:
        import segno
    except ImportError as error:
        raise UsageError("a QR code needs the package segno.", install_advice("receipt")) from error
    out = io.BytesIO()
    code = segno.make_qr(link, error="m", boost_error=False)
    code.save(out, kind="svg", scale=4, border=4, light="#fff", title=title, desc=about)
    return out.getvalue()
