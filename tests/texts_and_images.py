"""Two tables without words, their matches, constraints and config, as files: a small job to cluster.

Texts have counts of twelve words, images the amounts of eight colors.
"""

import csv
import io
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import numpy as np

_TOPICS = ("garden", "harbor", "kitchen", "street")
_N_TEXTS, _N_IMAGES, _N_BOTH, _N_MATCHES, _N_CONSTRAINTS = 240, 320, 150, 60, 40
_SEED = 5
_CONFIG = """\
views:
  texts: {path: texts.csv, id_column: id, labels_column: topic}
  images: images.csv
matches: {"texts:images": matches.csv}
constraints: {texts: pairs.csv}
n_clusters: 4
stability_runs: 10
"""


def write_texts_and_images(folder: Path) -> None:
    for name, rows in _tables().items():
        (folder / name).write_text(_csv(rows), "utf-8")
    (folder / "cluster.yaml").write_text(_CONFIG, "utf-8")
    (folder / "README.md").write_text("Two tables and their config.\n", "utf-8")


def _tables() -> dict[str, list[Iterable[Any]]]:
    """Draw objects of four topics; some have a text and an image, and some of these match."""
    rng = np.random.default_rng(_SEED)
    n = _N_TEXTS + _N_IMAGES - _N_BOTH
    topic = rng.integers(len(_TOPICS), size=n)
    order = rng.permutation(n)
    texts, images = rng.permutation(order[:_N_TEXTS]), rng.permutation(order[_N_TEXTS - _N_BOTH :])
    words = rng.gamma(2.0, size=(len(_TOPICS), 12)) * 1.5
    colors = rng.uniform(0.2, 0.8, size=(len(_TOPICS), 8))
    counts = rng.poisson(words[topic[texts]])
    shares = np.clip(colors[topic[images]] + rng.normal(scale=0.2, size=(_N_IMAGES, 8)), 0, 1)
    text_of = {int(thing): f"text-{row:03d}" for row, thing in enumerate(texts)}
    image_of = {int(thing): f"image-{row:03d}" for row, thing in enumerate(images)}
    both = [int(thing) for thing in order[_N_TEXTS - _N_BOTH : _N_TEXTS]]
    matches = [(text_of[thing], image_of[thing]) for thing in both[:_N_MATCHES]]
    return {
        "texts.csv": [
            ["id", "topic", *(f"word_{w + 1}" for w in range(12))],
            *(
                [text_of[int(thing)], _TOPICS[topic[thing]], *row]
                for thing, row in zip(texts, counts, strict=True)
            ),
        ],
        "images.csv": [
            ["id", *(f"color_{c + 1}" for c in range(8))],
            *(
                [image_of[int(thing)], *(f"{v:.3f}" for v in row)]
                for thing, row in zip(images, shares, strict=True)
            ),
        ],
        "matches.csv": [["texts", "images"], *sorted(matches)],
        "pairs.csv": [
            ["i", "j", "kind", "weight"],
            *_judged(rng, both[:_N_MATCHES], topic, text_of),
        ],
    }


def _judged(
    rng: np.random.Generator,
    things: list[int],
    topic: np.ndarray[Any, Any],
    text_of: dict[int, str],
) -> list[list[Any]]:
    """Draw constraints of matched texts, half of them must-links, every fifth of weight 0.8."""
    judged: dict[tuple[int, int], str] = {}
    while len(judged) < _N_CONSTRAINTS:
        one, other = sorted(int(thing) for thing in rng.choice(things, 2, replace=False))
        same = topic[one] == topic[other]
        if same == (len(judged) % 2 == 0):
            judged[one, other] = "must-link" if same else "cannot-link"
    return [
        [text_of[one], text_of[other], kind, 0.8 if number % 5 == 4 else 1]
        for number, ((one, other), kind) in enumerate(judged.items())
    ]


def _csv(rows: Iterable[Iterable[Any]]) -> str:
    text = io.StringIO()
    csv.writer(text, lineterminator="\n").writerows(rows)
    return text.getvalue()
