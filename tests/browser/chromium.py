"""Where the browser is, and how it starts without asking the network for anything."""

from contextlib import contextmanager
from shutil import which

CHROMIUM = next(
    (path for name in ("chromium", "chromium-browser", "google-chrome") if (path := which(name))),
    None,
)
ARGUMENTS = (
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
)


@contextmanager
def chromium():
    """Give a browser, and close it in the end."""
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        launched = playwright.chromium.launch(executable_path=CHROMIUM, args=ARGUMENTS)
        yield launched
        launched.close()
