# The data of an image, frozen beside its modules; generated when the image is built.

FILES: dict[str, bytes]
RELEASE: bool
IDENTITY: bytes
