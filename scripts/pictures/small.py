"""PNG files that are small, and the same again when they are drawn again."""

from __future__ import annotations

import io
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any

import matplotlib
import matplotlib.pyplot as plt
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from PIL import Image

from scripts.tables import ROOT

matplotlib.use("agg")

FOLDER = ROOT / "docs" / "_static"
Style = tuple[str, str, str]  # label, color, marker


def save_small(png: bytes, path: Path, colors: int = 96) -> None:
    """Write an image with a palette of few colors, and without metadata."""
    image = Image.open(io.BytesIO(png)).convert("RGB").quantize(colors, dither=Image.Dither.NONE)
    path.parent.mkdir(parents=True, exist_ok=True)
    image.save(path, optimize=True)
    print(f"{path}: {path.stat().st_size / 1000:.0f} kB")


def save_figure(
    figure: Figure, path: Path, *, dpi: int = 200, colors: int = 96, **options: Any
) -> None:
    """Write a figure, and close it."""
    png = io.BytesIO()
    figure.savefig(png, format="png", dpi=dpi, **options)
    plt.close(figure)
    save_small(png.getvalue(), path, colors)


def draw_all(pictures: Iterable[Callable[[Any], Figure]], folder: Path, scene: Any) -> None:
    """Draw the steps of a method, each to a file of its name."""
    for draw in pictures:
        save_figure(draw(scene), folder / f"{draw.__name__}.png", dpi=110)


def new_chart(names: Sequence[str], label: str, height: float) -> tuple[Figure, Axes]:
    """Return a figure that has a line for each name, where points have errors to the sides."""
    figure, axes = plt.subplots(figsize=(7, height), layout="constrained")
    axes.set_yticks(range(len(names)), names, fontsize=8)
    axes.set_xlabel(label, fontsize=8)
    axes.tick_params(axis="x", labelsize=8)
    axes.tick_params(axis="y", length=0)
    axes.grid(axis="y", color="#e6e6e6", linewidth=0.8)
    axes.set_axisbelow(True)
    axes.spines[["top", "right", "left"]].set_visible(False)
    return figure, axes


def draw_points(axes: Axes, x: Any, y: Any, errors: Any, style: Style) -> None:
    """Draw points of such a figure."""
    label, color, fmt = style
    looks = {"color": color, "markersize": 4.5, "elinewidth": 0.8}
    axes.errorbar(x, y, xerr=errors, fmt=fmt, label=label, **looks)
