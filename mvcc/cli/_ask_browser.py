"""``mvcc ask --browser``: the questions in a page of this machine."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mvcc.cli._shared import remark, say

if TYPE_CHECKING:
    from mvcc.tables import AskSession


def ask_in_browser(session: AskSession, then: str, *, port: int, opens: bool) -> None:
    """Ask until the page finishes, Ctrl-C or SIGTERM; ``then`` is the command that comes next."""
    from mvcc.tables import serve_page

    def ready(address: str) -> None:
        say(address)
        remark("Answer in the browser; press Ctrl-C to end. Every answer is stored at once.")
        if opens:
            from threading import Thread
            from webbrowser import open as open_browser

            Thread(
                target=open_browser, args=(address,), daemon=True
            ).start()  # some wait for the browser to end

    serve_page(session, then, ready, port=port)
