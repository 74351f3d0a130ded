"""A page of this machine in the browser: questions, or corrections of a result."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from mvcc.cli._shared import remark, say

if TYPE_CHECKING:
    from mvcc.tables import Page


def in_browser(page: Page, images: Path, verb: str, *, port: int, opens: bool) -> None:
    """Serve a page until it finishes, Ctrl-C or SIGTERM; messages say what one does there."""
    from mvcc.tables import serve_page

    def ready(address: str) -> None:
        say(address)
        remark(f"{verb} in the browser; press Ctrl-C to end. Everything is stored at once.")
        if opens:
            from threading import Thread
            from webbrowser import open as open_browser

            Thread(
                target=open_browser, args=(address,), daemon=True
            ).start()  # some wait for the browser to end

    serve_page(page, images, ready, port=port)
