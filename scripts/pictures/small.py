"""PNG files that are small, and the same again when they are drawn again."""

from __future__ import annotations

import io
from pathlib import Path

from PIL import Image

FOLDER = Path(__file__).parents[2] / "docs" / "_static"


def save_small(png: bytes, path: Path, colors: int = 96) -> None:
    """Write an image with a palette of few colors, and without metadata."""
    image = Image.open(io.BytesIO(png)).convert("RGB").quantize(colors, dither=Image.Dither.NONE)
    path.parent.mkdir(parents=True, exist_ok=True)
    image.save(path, optimize=True)
    print(f"{path}: {path.stat().st_size / 1000:.0f} kB")
