"""Photograph the report that the tutorial shows, made by ``mvcc init`` and ``mvcc cluster``.

``python -m scripts.pictures.report``. It needs Chromium.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from pathlib import Path

from scripts.command import no_options
from scripts.pictures.small import FOLDER, save_small
from tests.browser.chromium import chromium
from tests.browser.conftest import DRAWN

WIDTH, HEIGHT = 1280, 1440


def main() -> None:
    """Make the example's report and photograph its beginning."""
    no_options(__doc__)
    # the kernels of the tutorial's numbers
    variables = os.environ | {"OPENBLAS_CORETYPE": "Haswell"}
    with tempfile.TemporaryDirectory() as folder:
        for arguments in (
            ["init", "my-data"],
            ["cluster", "my-data/cluster.yaml", "--out", "results", "--quiet"],
        ):
            command = [sys.executable, "-m", "mvcc", *arguments]
            subprocess.run(command, cwd=folder, env=variables, check=True)
        save_small(photograph(Path(folder) / "results" / "report.html"), FOLDER / "report.png")


def photograph(page: Path) -> bytes:
    """Return the beginning of a page as PNG."""
    with chromium() as browser:
        tab = browser.new_page(viewport={"width": WIDTH, "height": HEIGHT}, color_scheme="light")
        tab.goto(page.as_uri())
        tab.wait_for_function(DRAWN)
        image: bytes = tab.screenshot()
    return image


if __name__ == "__main__":
    main()
