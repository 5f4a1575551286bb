"""The scripts that MicroPython's port for the RP2 chips runs at power-up, as they are frozen into an image.

_boot.py runs first. main.py is frozen only into a release image, where it does not return: a start that fails says why,
for ever. A bench image runs the main.py of its file system.
"""

# No file system is mounted, and modules come from the image alone.
BOOT_RELEASE = """\
import sys

sys.path[:] = [".frozen"]
"""

MAIN_RELEASE = """\
from hal.boot_main import boot_image

boot_image()
"""

# The file system is mounted, and made in flash that has none. No file takes the place of a module in the image.
BOOT_BENCH = """\
import sys

import rp2
import vfs

sys.path[:] = [".frozen", "", "/lib"]
flash = rp2.Flash()
try:
    files = vfs.VfsLfs2(flash, progsize=256)
except OSError:
    vfs.VfsLfs2.mkfs(flash, progsize=256)
    files = vfs.VfsLfs2(flash, progsize=256)
vfs.mount(files, "/")
del sys, rp2, vfs, flash, files
"""


def scripts(release: bool) -> dict[str, bytes]:
    """By the name that they are frozen under."""
    if release:
        return {"_boot.py": BOOT_RELEASE.encode(), "main.py": MAIN_RELEASE.encode()}
    return {"_boot.py": BOOT_BENCH.encode()}
