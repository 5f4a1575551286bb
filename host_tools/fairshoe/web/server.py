"""A server for the bench page on this machine: files from memory, read only, nothing fetched from elsewhere."""

from __future__ import annotations

import contextlib
import gzip
import threading
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from socket import SHUT_RDWR, socket
from typing import Any, cast
from urllib.parse import unquote, urlsplit

from fairshoe.errors import cannot_listen

TYPES = {
    "html": "text/html; charset=utf-8",
    "css": "text/css; charset=utf-8",
    "js": "text/javascript; charset=utf-8",
    "mjs": "text/javascript; charset=utf-8",
    "json": "application/json",
    "wasm": "application/wasm",
    "svg": "image/svg+xml",
}
HEADERS = {
    # The VM is WebAssembly; everything else comes from this server or not at all.
    "Content-Security-Policy": "default-src 'self'; script-src 'self' 'wasm-unsafe-eval'; style-src 'self'; "
    "img-src 'self' data:; object-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cache-Control": "no-cache",
}


SILENT_S = 10.0  # a connection on which nothing comes for so long is closed
CONNECTIONS_MAX = 32  # a browser opens six; each takes a thread. The oldest makes room for another one


class PageServer(ThreadingHTTPServer):
    """Serves one set of files. Port 0 takes any free one; `url` says which."""

    daemon_threads = True
    block_on_close = False
    request_queue_size = 64

    def __init__(self, files: dict[str, bytes], port: int = 0, host: str = "127.0.0.1") -> None:
        self.files = {f"/{name}": data for name, data in files.items()}
        self.files["/"] = self.files["/index.html"]
        self.packed: dict[str, bytes] = {}
        self._open: dict[socket, None] = {}  # the oldest first
        self._lock = threading.Lock()
        try:
            super().__init__((host, port), _Handler)
        except OSError as error:
            raise cannot_listen(host, port, error) from error
        self.url = f"http://{host}:{self.server_address[1]}/"

    def process_request(self, request: Any, client_address: Any) -> None:
        with self._lock:
            self._open[request] = None
            oldest = next(iter(self._open)) if len(self._open) > CONNECTIONS_MAX else None
            if oldest is not None:
                del self._open[oldest]
        if oldest is not None:
            with contextlib.suppress(OSError):
                oldest.shutdown(SHUT_RDWR)  # its thread ends, and closes it
        super().process_request(request, client_address)

    def shutdown_request(self, request: Any) -> None:
        with self._lock:
            self._open.pop(request, None)
        super().shutdown_request(request)

    def handle_error(self, request: Any, client_address: Any) -> None:
        """A bad request, or a browser that left, is no news."""

    def gzipped(self, path: str) -> bytes:
        if path not in self.packed:
            self.packed[path] = gzip.compress(self.files[path], 6, mtime=0)
        return self.packed[path]


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    timeout = SILENT_S

    def do_GET(self) -> None:
        self._answer(with_body=True)

    def do_HEAD(self) -> None:
        self._answer(with_body=False)

    def _answer(self, with_body: bool) -> None:
        server = cast(PageServer, self.server)
        try:
            path = unquote(urlsplit(self.path).path)
        except ValueError:
            path = ""
        host = self.headers.get("Host", "").rpartition(":")[0]
        if host not in ("127.0.0.1", "localhost", "[::1]"):
            self._send(HTTPStatus.FORBIDDEN, b"this server answers on this machine only\n", "text/plain", with_body)
        elif path not in server.files:
            self._send(HTTPStatus.NOT_FOUND, b"no such file\n", "text/plain", with_body)
        else:
            kind = TYPES.get("html" if path == "/" else path.rpartition(".")[2], "application/octet-stream")
            packed = "gzip" in self.headers.get("Accept-Encoding", "")
            data = server.gzipped(path) if packed else server.files[path]
            self._send(HTTPStatus.OK, data, kind, with_body, packed)

    def _send(self, status: HTTPStatus, data: bytes, kind: str, with_body: bool, packed: bool = False) -> None:
        self.send_response(status)
        for name, value in HEADERS.items():
            self.send_header(name, value)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(data)))
        if packed:
            self.send_header("Content-Encoding", "gzip")
        self.end_headers()
        if with_body:
            self.wfile.write(data)

    def handle(self) -> None:
        # A browser that leaves closes its connections in the middle of a file.
        with contextlib.suppress(OSError):
            super().handle()

    def log_message(self, format: str, *args: object) -> None:
        """Say nothing: requests of one's own browser are no news."""
