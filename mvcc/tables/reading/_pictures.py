"""Picture files that a table names: which ones are opened, and what is measured in them."""

from __future__ import annotations

import io
import os
import warnings
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from mvcc._utils.arrays import Floats
from mvcc._utils.reading import opened

SUFFIXES = (".png", ".jpg", ".jpeg", ".gif", ".webp")
_FORMATS = ("PNG", "JPEG", "GIF", "WEBP")
_LARGEST = 20 * 2**20  # bytes of a file that is read
_MOST_PIXELS = 2**26  # that are decoded
_SIDE = 32  # pixels each way of a picture that is measured
_HUES, _GRAYS, _CELLS, _DIRECTIONS = 12, 3, 4, 8
N_MEASURED = _HUES + _GRAYS + _CELLS**2 * _DIRECTIONS


def is_picture(text: str, base: str | os.PathLike[str]) -> bool:
    """Tell whether a text is the path of a picture below a folder, wherever links lead."""
    if not text.lower().endswith(SUFFIXES) or os.path.isabs(text) or "\0" in text:
        return False
    path = os.path.realpath(os.path.join(base, text))
    return path.startswith(os.path.join(os.path.realpath(base), "")) and os.path.isfile(path)


def decoded_picture(path: str, side: int) -> tuple[Any, bytes]:
    """Return a picture of Pillow, with ``side`` pixels or more if it has them, and its file."""
    from PIL import Image, UnidentifiedImageError

    with opened(path) as file:
        content = file.read(_LARGEST + 1)
    if len(content) > _LARGEST:
        raise ValueError(f"it has more than {_LARGEST // 2**20} MB")
    too_large = f"it has more than {_MOST_PIXELS:,} pixels"
    try:
        # Pillow warns of some sizes, and refuses larger ones
        with warnings.catch_warnings(action="ignore", category=Image.DecompressionBombWarning):
            image = Image.open(io.BytesIO(content), formats=_FORMATS)
    except UnidentifiedImageError:
        known = f"{', '.join(_FORMATS[:-1])} or {_FORMATS[-1]}"
        raise ValueError(f"it is not a {known} file") from None
    except Image.DecompressionBombError:
        raise ValueError(too_large) from None
    if image.width * image.height > _MOST_PIXELS:
        raise ValueError(too_large)
    image.draft("RGB", (2 * side, 2 * side))  # a JPEG is not decoded in full
    image.load()
    return image, content


def measured_pictures(texts: pd.Series[Any], base: str) -> tuple[NDArray[np.object_], list[str]]:
    """Return what is measured in every picture, NaN without one, and why one cannot be read."""
    values = np.empty(len(texts), dtype=object)
    reasons = [""] * len(texts)
    for row, text in enumerate(texts):
        values[row] = np.full(N_MEASURED, np.nan)
        if not isinstance(text, str):
            continue
        if not is_picture(text, base):
            reasons[row] = f"no picture of this name is in the folder {base or '.'}"
            continue
        try:
            values[row] = _measured(decoded_picture(os.path.join(base, text), _SIDE)[0])
        except (OSError, ValueError, SyntaxError) as error:  # of what is cut or damaged
            reasons[row] = str(error)
    return values, reasons


def _measured(image: Any) -> Floats:
    """Return square roots of shares of colors and edges, for distances to be those of Hellinger."""
    from PIL import Image, ImageOps

    small = ImageOps.exif_transpose(image).convert("RGBA").resize((_SIDE, _SIDE))
    on_white = Image.new("RGBA", small.size, "white")
    on_white.alpha_composite(small)
    rgb = on_white.convert("RGB")
    colors, edges = _colors(rgb), _edges(np.asarray(rgb.convert("L"), dtype=float))
    return np.sqrt(np.concatenate((colors / _SIDE**2, edges / (edges.sum() or 1.0))))


def _colors(rgb: Any) -> Floats:
    """Count the hue of every pixel as far as it is colored, and its brightness for the rest."""
    hue, saturation, brightness = np.asarray(rgb.convert("HSV"), dtype=float).reshape(-1, 3).T / 256
    chroma = saturation * brightness
    hues = np.bincount((hue * _HUES).astype(int), chroma, _HUES)
    grays = np.bincount((brightness * _GRAYS).astype(int), 1 - chroma, _GRAYS)
    return np.concatenate((hues, grays))


def _edges(gray: Floats) -> Floats:
    """Sum the steepness of brightness by direction in each part of a picture."""
    down, right = np.gradient(gray)
    turn = np.arctan2(down, right) / np.pi % 1
    direction = np.minimum((turn * _DIRECTIONS).astype(int), _DIRECTIONS - 1)
    part = np.arange(_SIDE) * _CELLS // _SIDE
    bins = (part[:, None] * _CELLS + part) * _DIRECTIONS + direction
    steepness = np.hypot(down, right)
    return np.bincount(bins.ravel(), steepness.ravel(), _CELLS**2 * _DIRECTIONS).astype(float)
