"""Draw the tables and pictures of the example that `mvcc init` writes, into the package.

python -m scripts.example
"""

from __future__ import annotations

import gzip
import io
import struct
import tarfile
import zlib
from dataclasses import dataclass
from typing import Any

import numpy as np

from mvcc._utils.files import csv_bytes
from scripts.command import no_options
from scripts.tables import ROOT

EXAMPLE = ROOT / "mvcc" / "tables" / "example"
PICTURES = "pictures"
_N_CATALOG, _N_PHOTOS, _N_BOTH, _N_MATCHES, _N_CONSTRAINTS = 360, 420, 240, 180, 40
_SEED = 21
# the entries that `mvcc ask` asks about first, one after the other, if nothing else is known
_ASKED = (66, 103, 274, 172, 230, 28, 4, 272, 212, 145)
_SIDE = 48  # of a picture, in pixels
_COLORS = {
    "red": (178, 52, 48),
    "blue": (52, 92, 170),
    "green": (58, 128, 76),
    "brown": (128, 84, 48),
    "gray": (140, 143, 148),
    "white": (232, 230, 222),
}
_BACKGROUNDS = {
    "white": (247, 247, 245),
    "black": (38, 38, 42),
    "floor": (186, 160, 128),
    "wall": (205, 205, 190),
}
_COMMON_WORDS = ["flowers", "birds", "leaves", "pair", "fragment", "repaired", "dated", "unsigned"]
_COMMON_WORDS += ["village", "family", "old", "small", "large"]

Random = np.random.Generator
Table = list[list[Any]]


@dataclass(frozen=True)
class _Kind:
    """What the objects of a kind have in common: how they are described, and how they look."""

    rare: str  # what one in four is called
    materials: tuple[str, str]  # the exact one, and a vague one
    motifs: tuple[str, ...]
    height: float  # cm
    colors: tuple[float, ...]  # how often each of `_COLORS` is the main one
    edges: float  # share of the pixels
    elongation: float  # width by height


_KINDS = {
    "carpet": _Kind(
        "rug", ("wool", "textile"), ("medallion", "border", "stars", "vine"), 180,
        (0.62, 0.12, 0.04, 0.14, 0.04, 0.04), 0.62, 1.5,
    ),
    "plate": _Kind(
        "dish", ("porcelain", "ceramic"), ("landscape", "peony", "dragon", "border"), 28,
        (0.04, 0.58, 0.06, 0.04, 0.08, 0.20), 0.42, 1.0,
    ),
    "bottle": _Kind(
        "flask", ("glass", "ceramic"), ("stopper", "seal", "ribbed", "vine"), 24,
        (0.03, 0.12, 0.60, 0.14, 0.05, 0.06), 0.22, 0.55,
    ),
    "chair": _Kind(
        "stool", ("oak", "wood"), ("carved", "arms", "leather", "stars"), 92,
        (0.14, 0.02, 0.06, 0.66, 0.10, 0.02), 0.35, 0.75,
    ),
    "spoon": _Kind(
        "ladle", ("silver", "metal"), ("initials", "shell", "twisted", "peony"), 21,
        (0.02, 0.06, 0.04, 0.10, 0.60, 0.18), 0.18, 2.2,
    ),
}  # fmt: skip


def main() -> None:
    """Write the tables and, packed into one file, the pictures."""
    no_options(__doc__)
    contents = drawn()
    pictures = {name: contents.pop(name) for name in list(contents) if name.startswith(PICTURES)}
    for name, content in contents.items():
        (EXAMPLE / name).write_bytes(content)
    with (
        # without a time, so that the bytes are the same every time
        gzip.GzipFile(EXAMPLE / f"{PICTURES}.tar.gz", "wb", mtime=0) as packed,
        tarfile.open(fileobj=packed, mode="w") as archive,
    ):
        for name, content in pictures.items():
            member = tarfile.TarInfo(name)
            member.size = len(content)
            archive.addfile(member, io.BytesIO(content))


def drawn() -> dict[str, bytes]:
    """Draw the objects of a museum; some have a catalog entry and a photo, and some of these match.

    Both tables show what an object is, with errors and gaps. Other columns say how it was recorded:
    entries are from an old register or a database, photos from a studio or a store room.
    """
    rng = np.random.default_rng(_SEED)
    n = _N_CATALOG + _N_PHOTOS - _N_BOTH
    kinds = rng.choice(list(_KINDS), n, p=[0.25, 0.2, 0.2, 0.2, 0.15])
    order = rng.permutation(n)
    entries = rng.permutation(order[:_N_CATALOG])
    photos = rng.permutation(order[_N_CATALOG - _N_BOTH :])
    entry_of = {int(thing): f"entry-{row:03d}" for row, thing in enumerate(entries)}
    photo_of = {int(thing): f"photo-{row:03d}" for row, thing in enumerate(photos)}
    catalog = [
        ["id", "kind", "title", "material", "height", "entered", "source", "condition"],
        *([entry_of[int(thing)], *_entry(rng, kinds[thing])] for thing in entries),
    ]
    pictures: dict[str, bytes] = {}
    table: Table = [["id", "file", "color", "edges", "elongation", "brightness", "sharpness"]]
    for thing in photos:
        file = f"{PICTURES}/{photo_of[int(thing)]}.png"
        *measured, background = _photo(rng, _KINDS[kinds[thing]])
        table.append([photo_of[int(thing)], file, *measured])
        pictures[file] = _picture(kinds[thing], measured[0], background)
    matched = [int(thing) for thing in order[_N_CATALOG - _N_BOTH :][:_N_MATCHES]]
    matches = sorted([entry_of[thing], photo_of[thing]] for thing in matched)
    constraints = _constraints(rng, matched, kinds, entry_of)
    tables = {
        "catalog.csv": catalog,
        "photos.csv": table,
        "matches.csv": [["catalog", "photos"], *matches],
        "pairs.csv": [["i", "j", "kind", "weight"], *constraints],
        "answers.csv": [["id", "answer"], *_answers(kinds[entries])],
    }
    return {name: csv_bytes(rows) for name, rows in tables.items()} | pictures


def _entry(rng: Random, name: str) -> list[Any]:
    """Draw an entry of the catalog; one in seven lacks a name, one in four the exact material."""
    kind, is_new = _KINDS[name], rng.random() < 0.55
    words = []
    if rng.random() < 0.85:
        words.append(str(rng.choice([name, name, name, kind.rare])))
    words += rng.choice(kind.motifs, rng.integers(0, 3), replace=False).tolist()
    words += rng.choice(_COMMON_WORDS, rng.integers(1, 4), replace=False).tolist()
    material = rng.choice([*kind.materials, ""], p=[0.75, 0.15, 0.1])
    height = f"{kind.height * np.exp(rng.normal(0, 0.2)):.0f}" if rng.random() > 0.25 else ""
    if is_new:
        entered = rng.integers(1998, 2016)
        source = rng.choice(["gift", "purchase", "bequest"], p=[0.2, 0.7, 0.1])
        condition = rng.choice(["good", "worn", "damaged"], p=[0.5, 0.4, 0.1])
    else:
        entered = rng.integers(1932, 1961)
        source = rng.choice(["gift", "purchase", "bequest"], p=[0.6, 0.1, 0.3])
        condition = rng.choice(["not recorded", "good", "damaged"], p=[0.8, 0.1, 0.1])
    return [name, " ".join(words), material, height, entered, source, condition]


def _photo(rng: Random, kind: _Kind) -> list[Any]:
    """Draw what is measured in a photo, and its background, which is not."""
    in_studio = rng.random() < 0.5
    color = rng.choice(list(_COLORS), p=kind.colors)
    edges = np.clip(rng.normal(kind.edges, 0.04), 0.02, 0.98)
    elongation = kind.elongation * np.exp(rng.normal(0, 0.1))
    brightness = np.clip(rng.normal(0.75 if in_studio else 0.35, 0.08), 0, 1)
    sharpness = np.clip(rng.normal(0.8 if in_studio else 0.45, 0.08), 0, 1)
    shares = [0.85, 0.15, 0, 0] if in_studio else [0.1, 0, 0.5, 0.4]
    background = rng.choice(list(_BACKGROUNDS), p=shares)
    measured = [f"{value:.2f}" for value in (edges, elongation, brightness, sharpness)]
    return [str(color), *measured, str(background)]


def _constraints(rng: Random, things: list[int], kinds: Any, entry_of: dict[int, str]) -> Table:
    """Draw constraints of matched entries, half of them must-links, every fifth of weight 0.8."""
    constraints: dict[tuple[int, int], str] = {}
    while len(constraints) < _N_CONSTRAINTS:
        first, second = sorted(int(thing) for thing in rng.choice(things, 2, replace=False))
        is_same = kinds[first] == kinds[second]
        if is_same == (len(constraints) % 2 == 0):
            constraints[first, second] = "must-link" if is_same else "cannot-link"
    return [
        [entry_of[first], entry_of[second], kind, 0.8 if index % 5 == 4 else 1]
        for index, ((first, second), kind) in enumerate(constraints.items())
    ]


def _answers(kinds: Any) -> Table:
    """Answer ten questions of `mvcc ask` by the kinds of the entries."""
    answers = [str(kinds[entry]) for entry in _ASKED]
    return [
        [f"catalog:entry-{entry:03d}", answer if answer in answers[:index] else f"new:{answer}"]
        for index, (entry, answer) in enumerate(zip(_ASKED, answers, strict=True))
    ]


def _picture(kind: str, color: str, background: str) -> bytes:
    """Draw a small picture of an object as PNG: pixels of three colors."""
    y, x = np.mgrid[-1 : 1 : _SIDE * 1j, -1 : 1 : _SIDE * 1j]
    inside, detail = _SHAPES[kind](x, y)
    pixels = np.where(inside & detail, 2, inside).astype(np.uint8)
    ink = _COLORS[color]
    palette = [_BACKGROUNDS[background], ink, tuple(part * 2 // 3 for part in ink)]
    rows = b"".join(b"\0" + row.tobytes() for row in pixels)
    header = struct.pack(">IIBBBBB", _SIDE, _SIDE, 8, 3, 0, 0, 0)
    parts = {b"IHDR": header, b"PLTE": bytes(sum(palette, ())), b"IDAT": zlib.compress(rows, 9)}
    file = b"\x89PNG\r\n\x1a\n"
    for name, content in {**parts, b"IEND": b""}.items():
        length, checksum = len(content), zlib.crc32(name + content)
        file += struct.pack(">I", length) + name + content + struct.pack(">I", checksum)
    return file


def _carpet(x: Any, y: Any) -> tuple[Any, Any]:
    edge = np.maximum(abs(x) / 0.9, abs(y) / 0.62)
    return edge < 1, (edge > 0.7) & (edge < 0.85) | (abs(x) + abs(y) < 0.3)


def _plate(x: Any, y: Any) -> tuple[Any, Any]:
    radius = np.hypot(x, y)
    return radius < 0.85, (radius > 0.55) & (radius < 0.62)


def _bottle(x: Any, y: Any) -> tuple[Any, Any]:
    body, neck = (abs(x) < 0.34) & (abs(y - 0.25) < 0.65), (abs(x) < 0.12) & (abs(y + 0.5) < 0.4)
    return body | neck, (y < -0.75) | (abs(y - 0.3) < 0.2)


def _chair(x: Any, y: Any) -> tuple[Any, Any]:
    back = (abs(x + 0.45) < 0.1) & (abs(y) < 0.85)
    seat, leg = (abs(x) < 0.55) & (abs(y - 0.1) < 0.1), (abs(x - 0.45) < 0.1) & (y > 0) & (y < 0.85)
    return back | seat | leg, seat


def _spoon(x: Any, y: Any) -> tuple[Any, Any]:
    bowl = (x - 0.5) ** 2 / 0.12 + y**2 / 0.05 < 1
    return bowl | (abs(y) < 0.06) & (x > -0.9) & (x < 0.5), bowl & (abs(y) < 0.1)


_SHAPES = {"carpet": _carpet, "plate": _plate, "bottle": _bottle, "chair": _chair, "spoon": _spoon}


if __name__ == "__main__":
    main()
