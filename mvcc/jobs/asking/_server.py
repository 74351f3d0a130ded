"""Questions in the browser: a server on this machine, for those who know its address."""

from __future__ import annotations

import json
import os
import secrets
import socketserver
import sys
import threading
from collections.abc import Callable
from functools import cache
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import parse_qs

from mvcc._utils.messages import shown
from mvcc.exceptions import InvalidInputError, MvccError
from mvcc.jobs.asking._page_state import PageState, Stale

if TYPE_CHECKING:
    from mvcc.jobs.asking._session import AskSession

_HERE = Path(__file__).parent / "_page"
_FILES = {
    "": ("page.html", "text/html; charset=utf-8"),
    "page.js": ("page.js", "text/javascript; charset=utf-8"),
    "page.css": ("page.css", "text/css; charset=utf-8"),
    "icon.svg": ("icon.svg", "image/svg+xml"),
}
_IMAGES = {"png": "png", "jpg": "jpeg", "jpeg": "jpeg", "gif": "gif", "webp": "webp"}
_LARGEST_IMAGE = 20 * 2**20
_LARGEST_BODY = 2**16
_HEADERS = {
    "Cache-Control": "no-store",
    "Content-Security-Policy": "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; "
    "connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Referrer-Policy": "no-referrer",
    "X-Content-Type-Options": "nosniff",
}


def serve_page(session: AskSession, then: str, on_ready: Callable[[str], None], *, port: int = 0) -> None:
    """Ask in the browser, until the page finishes or the process is interrupted.

    Parameters
    ----------
    session : AskSession
    then : str
        The command that comes next, which the last page shows.
    on_ready : callable
        Told the address of the page.
    port : int, default=0
        0 for any that is free.

    Raises
    ------
    InvalidInputError
        For a port that cannot be had.
    """
    server = PageServer(PageState(session, then), session.base, port)
    on_ready(server.address)
    server.serve()


class PageServer(ThreadingHTTPServer):
    """Serve one page and take its answers, one at a time; pictures are below the folder ``images``."""

    daemon_threads = True

    def __init__(self, state: PageState, images: Path, port: int) -> None:
        self.state = state
        self.images = os.path.realpath(images)
        self.token = secrets.token_urlsafe(24)
        self.turn = threading.Lock()
        self.ended = False
        try:
            super().__init__(("127.0.0.1", port), _Handler)
        except OSError as error:
            raise InvalidInputError(f"cannot serve on port {port}: {error.strerror}; choose another --port.") from error
        self.hosts = {f"{name}:{self.server_port}" for name in ("127.0.0.1", "localhost")}

    @property
    def address(self) -> str:
        """The address of the page."""
        return f"http://127.0.0.1:{self.server_port}/{self.token}/"

    def server_bind(self) -> None:
        """Bind without asking for the name of this machine, which may take seconds."""
        socketserver.TCPServer.server_bind(self)
        self.server_name, self.server_port = self.server_address[:2]  # type: ignore[assignment]

    def serve(self) -> None:
        """Serve until the page finishes or the process is interrupted; what was being written is written."""
        try:
            self.serve_forever(poll_interval=0.1)
        except KeyboardInterrupt:
            pass  # the usual end
        finally:
            with self.turn:
                self.ended = True
            self.server_close()

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
    timeout = 30  # seconds for a request to arrive

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
            self._send(HTTPStatus.INTERNAL_SERVER_ERROR, {"error": "something went wrong; see the terminal."})
            raise

    def _admitted(self) -> tuple[str, dict[str, str]]:
        """Return what is asked for, of requests with the token that come from our own page or from the address bar."""
        headers, hosts = self.headers, self.server.hosts
        origin, site = headers.get("Origin"), headers.get("Sec-Fetch-Site", "none")
        foreign = origin is not None and origin.removeprefix("http://") not in hosts
        if headers.get_all("Host") not in [[host] for host in hosts] or foreign or site not in ("none", "same-origin"):
            raise _Refused(HTTPStatus.FORBIDDEN)
        path, _, query = self.path.partition("?")
        token, slash, name = path.removeprefix("/").partition("/")
        if not slash or not secrets.compare_digest(token.encode(), self.server.token.encode()):
            raise _Refused(HTTPStatus.NOT_FOUND)
        return name, {key: values[0] for key, values in parse_qs(query).items()}

    def _get(self, name: str, query: dict[str, str]) -> None:
        state = self.server.state
        if name in _FILES:
            file, kind = _FILES[name]
            self._send(HTTPStatus.OK, _file(file), kind)
        elif name.startswith("image/"):
            self._send_image(name.removeprefix("image/"))
        elif name == "state":
            self._send(HTTPStatus.OK, self._in_turn(state.now))
        elif name in ("card", "nearest"):
            self._send(HTTPStatus.OK, self._in_turn(lambda: getattr(state, name)(query.get("id", ""))))
        else:
            raise _Refused(HTTPStatus.NOT_FOUND)

    def _post(self, name: str, query: dict[str, str]) -> None:
        if name not in ("answer", "undo", "merge", "rename", "finish"):
            raise _Refused(HTTPStatus.NOT_FOUND)
        said = self._body()
        self._send(HTTPStatus.OK, self._in_turn(lambda: getattr(self.server.state, name)(said)))
        if name == "finish":
            threading.Thread(target=self.server.shutdown).start()

    def _in_turn(self, do: Callable[[], dict[str, Any]]) -> dict[str, Any]:
        with self.server.turn:
            if self.server.ended:
                raise _Refused(HTTPStatus.SERVICE_UNAVAILABLE, "the server has ended.")
            return do()

    def _body(self) -> dict[str, Any]:
        length = self.headers.get("Content-Length", "")
        if self.headers.get_content_type() != "application/json":
            raise _Refused(HTTPStatus.UNSUPPORTED_MEDIA_TYPE, "the body must be JSON.")
        if not (length.isascii() and length.isdigit()):
            raise _Refused(HTTPStatus.LENGTH_REQUIRED, "Content-Length must be a number.")
        if len(length) > 9 or int(length) > _LARGEST_BODY:
            raise _Refused(HTTPStatus.REQUEST_ENTITY_TOO_LARGE, f"the body must have {_LARGEST_BODY} bytes at most.")
        try:
            said = json.loads(self.rfile.read(int(length)))
        except (ValueError, RecursionError):
            raise _Refused(HTTPStatus.BAD_REQUEST, "the body is no JSON.") from None
        if not isinstance(said, dict):
            raise _Refused(HTTPStatus.BAD_REQUEST, f"the body must be an object, got {shown(said)}.")
        return said

    def _send_image(self, number: str) -> None:
        """Send a picture of a card, if it is still one below the folder of pictures."""
        path = self.server.state.image(number)
        kind = _IMAGES.get(path.rpartition(".")[2].lower())
        if kind is None:
            raise _Refused(HTTPStatus.NOT_FOUND)
        real = os.path.realpath(os.path.join(self.server.images, path))
        inside = os.path.commonpath([real, self.server.images]) == self.server.images
        if not inside or not os.path.isfile(real) or os.path.getsize(real) > _LARGEST_IMAGE:
            raise _Refused(HTTPStatus.NOT_FOUND)
        with open(real, "rb") as file:
            self._send(HTTPStatus.OK, file.read(_LARGEST_IMAGE), f"image/{kind}")

    def _send(self, status: HTTPStatus, content: dict[str, Any] | bytes, kind: str = "application/json") -> None:
        body = content if isinstance(content, bytes) else json.dumps(content, allow_nan=False).encode()
        self.send_response(status)
        for name, value in {**_HEADERS, "Content-Type": kind, "Content-Length": str(len(body))}.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(body)


@cache
def _file(name: str) -> bytes:
    return (_HERE / name).read_bytes()
