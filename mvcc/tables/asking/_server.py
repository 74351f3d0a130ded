"""Questions in the browser: a server on this machine, for those who know its address."""

from __future__ import annotations

import json
import os
import secrets
import socket
import socketserver
import sys
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from functools import cache
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from math import inf
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs

from mvcc.exceptions import InvalidInputError, MvccError
from mvcc.tables.asking._pages import POSTS, Page, Stale
from mvcc.tables.reading._pictures import is_picture

_HERE = Path(__file__).parent / "_page"
_HTML, _SCRIPT = "text/html; charset=utf-8", "text/javascript; charset=utf-8"
_FILES = {
    **dict.fromkeys(("common.js", "ask.js", "review.js"), _SCRIPT),
    "page.css": "text/css; charset=utf-8",
    "icon.svg": "image/svg+xml",
}
_IMAGES = {"png": "png", "jpg": "jpeg", "jpeg": "jpeg", "gif": "gif", "webp": "webp"}
_LARGEST_IMAGE = 20 * 2**20
_LARGEST_BODY = 2**16
_MOST_WAITING, _MOST_CONNECTIONS = 128, 32  # connections that wait for a thread, and that have one
_LOOK = 0.1  # seconds between two looks at what takes too long
_PATIENCE = 30  # seconds for a request to arrive as a whole, and for its response to leave
_HEADERS = {
    "Cache-Control": "no-store",
    "Content-Security-Policy": "default-src 'none'; script-src 'self'; style-src 'self'; "
    "img-src 'self'; connect-src 'self'; base-uri 'none'; form-action 'none'; "
    "frame-ancestors 'none'",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Referrer-Policy": "no-referrer",
    "X-Content-Type-Options": "nosniff",
}


class PageServer(ThreadingHTTPServer):
    """Serve one page and take its answers, one at a time.

    A connection is closed that takes too long, however often it moves a byte; what the server
    itself needs for an answer is not counted. Connections beyond the most wait for others to end.
    """

    daemon_threads = True
    request_queue_size = _MOST_WAITING

    def __init__(self, page: Page, port: int) -> None:
        self.page = page
        self.token = secrets.token_urlsafe(24)
        self.turn = threading.Lock()
        self.ended = False
        self._until: dict[socket.socket, float] = {}  # when each connection is closed
        self._changed = threading.Condition()
        try:
            super().__init__(("127.0.0.1", port), _Handler)
        except OSError as error:
            raise InvalidInputError(
                f"cannot serve on port {port}: {error.strerror}; choose another --port."
            ) from error
        self.hosts = {f"{name}:{self.server_port}" for name in ("127.0.0.1", "localhost")}

    @property
    def address(self) -> str:
        return f"http://127.0.0.1:{self.server_port}/{self.token}/"

    def server_bind(self) -> None:
        """Bind without asking for the name of this machine, which may take seconds."""
        socketserver.TCPServer.server_bind(self)
        self.server_name, self.server_port = self.server_address[:2]  # type: ignore[assignment]

    def serve(self) -> None:
        """Serve until the page finishes or the process is interrupted; a write is completed."""
        try:
            self.serve_forever(poll_interval=_LOOK)
        except KeyboardInterrupt:
            pass  # the usual end
        finally:
            with self.turn:
                self.ended = True
            self.server_close()

    def get_request(self) -> tuple[socket.socket, Any]:
        """Accept a connection, unless there are as many as may be."""
        with self._changed:
            if not self._changed.wait_for(lambda: len(self._until) < _MOST_CONNECTIONS, _LOOK):
                raise TimeoutError  # it waits; meanwhile connections that take too long are closed
        connection, address = super().get_request()
        self.wait_for(connection, _PATIENCE)
        return connection, address

    def wait_for(self, connection: socket.socket, seconds: float) -> None:
        """Close a connection after some seconds."""
        with self._changed:
            self._until[connection] = time.monotonic() + seconds

    def service_actions(self) -> None:
        """Close the connections that have taken too long."""
        now = time.monotonic()
        with self._changed:
            for connection, until in self._until.items():
                if until < now:
                    with suppress(OSError):  # it is closed already
                        connection.shutdown(socket.SHUT_RDWR)

    def shutdown_request(self, request: Any) -> None:
        """Forget a connection that ends."""
        with self._changed:
            self._until.pop(request, None)
            self._changed.notify()
        super().shutdown_request(request)

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Say nothing of a browser that did not wait for the response."""
        if not isinstance(sys.exception(), (ConnectionError, TimeoutError)):
            super().handle_error(request, client_address)


class _Refused(Exception):
    def __init__(self, status: HTTPStatus, message: str = "") -> None:
        super().__init__(message)
        self.status = status


class _Handler(BaseHTTPRequestHandler):
    server: PageServer

    def do_GET(self) -> None:
        self._respond(self._get)

    def do_POST(self) -> None:
        self._respond(self._post)

    def version_string(self) -> str:
        return "mvcc"

    def log_message(self, *arguments: Any) -> None:
        pass

    def _respond(self, respond: Callable[[str, dict[str, str]], None]) -> None:
        try:
            name, query = self._admitted()
            respond(name, query)
        except _Refused as refused:
            message = str(refused)
            self._send(refused.status, {"error": message} if message else b"")
        except Stale as stale:
            self._send(HTTPStatus.CONFLICT, stale.state)
        except MvccError as error:
            self._send(HTTPStatus.BAD_REQUEST, {"error": str(error)})
        except ConnectionError:
            raise
        except Exception:
            wrong = {"error": "something went wrong; see the terminal."}
            self._send(HTTPStatus.INTERNAL_SERVER_ERROR, wrong)
            raise

    def _admitted(self) -> tuple[str, dict[str, str]]:
        """Return what is asked for by our own page or the address bar; refuse other requests."""
        headers, hosts = self.headers, self.server.hosts
        origin, site = headers.get("Origin"), headers.get("Sec-Fetch-Site", "none")
        is_foreign = origin is not None and origin.removeprefix("http://") not in hosts
        is_other_site = site not in ("none", "same-origin")
        path, _, query = self.path.partition("?")
        token, slash, name = path.removeprefix("/").partition("/")
        if self.command == "GET" and not name and headers.get("Sec-Fetch-Dest") == "document":
            is_other_site = False  # a link to the page, such as in a terminal that is a page itself
        if headers.get_all("Host") not in [[host] for host in hosts] or is_foreign or is_other_site:
            raise _Refused(HTTPStatus.FORBIDDEN)
        if not slash or not secrets.compare_digest(token.encode(), self.server.token.encode()):
            raise _Refused(HTTPStatus.NOT_FOUND)
        return name, {key: values[0] for key, values in parse_qs(query).items()}

    def _get(self, name: str, query: dict[str, str]) -> None:
        page = self.server.page
        if not name:
            head = _file("head.html").replace(b"COMMAND", page.command.encode())
            self._send(HTTPStatus.OK, head + _file(f"{page.command}.html"), _HTML)
        elif name in _FILES:
            self._send(HTTPStatus.OK, _file(name), _FILES[name])
        elif name.startswith("image/"):
            self._send_image(name.removeprefix("image/"))
        elif name == "state":
            self._send(HTTPStatus.OK, self._in_turn(page.now))
        elif name in page.gets:
            content = self._in_turn(lambda: getattr(page, name)(query.get("id", "")))
            self._send(HTTPStatus.OK, content)
        else:
            raise _Refused(HTTPStatus.NOT_FOUND)

    def _post(self, name: str, query: dict[str, str]) -> None:
        if name not in POSTS:
            raise _Refused(HTTPStatus.NOT_FOUND)
        body = self._body()
        self._send(HTTPStatus.OK, self._in_turn(lambda: self.server.page.say(name, body)))
        if name == "finish":
            threading.Thread(target=self.server.shutdown).start()

    def _in_turn(self, do: Callable[[], dict[str, Any]]) -> dict[str, Any]:
        self.server.wait_for(self.connection, inf)
        try:
            with self.server.turn:
                if self.server.ended:
                    raise _Refused(HTTPStatus.SERVICE_UNAVAILABLE, "the server has ended.")
                return do()
        finally:
            self.server.wait_for(self.connection, _PATIENCE)

    def _body(self) -> bytes:
        length = self.headers.get("Content-Length", "")
        if self.headers.get_content_type() != "application/json":
            raise _Refused(HTTPStatus.UNSUPPORTED_MEDIA_TYPE, "the body must be JSON.")
        if not (length.isascii() and length.isdigit()):
            raise _Refused(HTTPStatus.LENGTH_REQUIRED, "Content-Length must be a number.")
        if len(length) > 9 or int(length) > _LARGEST_BODY:
            raise _Refused(
                HTTPStatus.REQUEST_ENTITY_TOO_LARGE,
                f"the body must have {_LARGEST_BODY} bytes at most.",
            )
        return self.rfile.read(int(length))

    def _send_image(self, image: str) -> None:
        """Send a picture of a card, if it is still one below the folder of its table."""
        folder, path = self.server.page.image(image)
        real = os.path.realpath(os.path.join(folder, path))
        if not is_picture(path, folder) or os.path.getsize(real) > _LARGEST_IMAGE:
            raise _Refused(HTTPStatus.NOT_FOUND)
        kind = _IMAGES[path.rpartition(".")[2].lower()]
        with open(real, "rb") as file:
            self._send(HTTPStatus.OK, file.read(_LARGEST_IMAGE), f"image/{kind}")

    def _send(
        self, status: HTTPStatus, content: dict[str, Any] | bytes, kind: str = "application/json"
    ) -> None:
        body = content
        if isinstance(body, dict):
            body = json.dumps(body, allow_nan=False).encode()
        self.send_response(status)
        headers = {"Content-Type": kind, "Content-Length": str(len(body))}
        for name, value in (_HEADERS | headers).items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(body)


@cache
def _file(name: str) -> bytes:
    return (_HERE / name).read_bytes()
