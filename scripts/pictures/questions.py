"""Photograph the page of questions for ``docs/how-to/ask.md``.

``python -m scripts.pictures.questions``.

It needs Chromium. The tables are halves of 600 handwritten digits, 200 of them in both, with a
picture for each row.
"""

from __future__ import annotations

import tempfile
from pathlib import Path

import numpy as np
import pandas as pd
from PIL import Image
from sklearn.datasets import load_digits

from mvcc.tables import AskSession, load_job, read_inputs
from scripts.command import no_options
from scripts.pictures.small import FOLDER, save_small
from tests.browser.chromium import chromium
from tests.tables.asking.pages import serving

NAMES = ("zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine")
N_ANSWERS = 24
SIZES = {"ask-wide.png": (1280, 800), "ask-phone.png": (390, 844)}


def main() -> None:
    """Answer questions about digits as they are, then photograph the next card at two sizes."""
    no_options(__doc__)
    with tempfile.TemporaryDirectory() as folder:
        config = write_digits(Path(folder))
        job = load_job(config)
        with AskSession(job, read_inputs(job), config.parent / "answers") as session:
            for _ in range(N_ANSWERS):
                (question,) = session.next()
                name = NAMES[load_digits().target[int(question.id.rpartition("-")[2])]]
                known = name in [group.name for group in session.groups]
                session.answer(question.id, name if known else f"new:{name}", again=True)
        with serving(config) as server, chromium() as browser:
            for file, (width, height) in SIZES.items():
                phone = width < 600
                tab = browser.new_page(
                    viewport={"width": width, "height": height},
                    color_scheme="light",
                    is_mobile=phone,
                    has_touch=phone,
                )
                tab.goto(server.address)
                tab.wait_for_selector("#rows img")
                tab.wait_for_load_state("networkidle")
                save_small(tab.screenshot(), FOLDER / file)


def write_digits(folder: Path) -> Path:
    """Write left and right halves of digits, pictures, matches and a config; return that."""
    (folder / "pictures").mkdir()
    pixels = load_digits().images
    for view, rows, columns in (
        ("left", range(400), slice(0, 4)),
        ("right", range(200, 600), slice(4, 8)),
    ):
        table = []
        for row in rows:
            half = pixels[row][:, columns]
            path = f"pictures/{view}-{row}.png"
            Image.fromarray(np.kron(255 - 15.9 * half, np.ones((12, 12))).astype(np.uint8)).save(
                folder / path
            )
            table.append([f"{view}-{row}", path, *half.ravel()])
        header = ["id", "picture", *(f"pixel_{index}" for index in range(32))]
        pd.DataFrame(table, columns=header).to_csv(folder / f"{view}.csv", index=False)
    both = [(f"left-{row}", f"right-{row}") for row in range(200, 400)]
    pd.DataFrame(both, columns=["left", "right"]).to_csv(folder / "matches.csv", index=False)
    config = folder / "cluster.yaml"
    config.write_text(
        "views: {left: left.csv, right: right.csv}\nmatches: {'left:right':"
        " matches.csv}\nn_clusters: auto\nshow: {left: picture, right: picture}\n"
    )
    return config


if __name__ == "__main__":
    main()
