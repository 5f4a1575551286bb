"""Makes one folder that a stranger can install, check and keep: `make release`.

packages.py builds wheel, source archive and the package for JavaScript; contents.py lists what of others is in them,
from the locks; install.py installs the folder into empty environments and starts what people start first.
`fairshoe firmware release build` writes the folder, its manifest and its sums, and `release sign` signs it.
"""
