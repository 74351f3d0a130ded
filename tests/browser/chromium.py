"""Where the browser is, and how it starts without asking the network for anything."""

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
