"""Formulas of a page as drawings, made by Matplotlib at build time: no LaTeX, no script, no
network.

GitHub shows the same ``$…$`` by itself. The drawings have the color of the text, in the light and
in the dark.
"""

from __future__ import annotations

import logging
from html import escape
from typing import Any

from docutils import nodes
from matplotlib.font_manager import FontProperties
from matplotlib.path import Path
from matplotlib.textpath import TextPath, TextToPath
from sphinx.application import Sphinx

_SIZE = 100  # units of a drawing to the size of the font
_FONT = FontProperties(family="DejaVu Serif", math_fontfamily="dejavuserif")
_PAD = 4
_LETTERS = {
    Path.MOVETO: "M",
    Path.LINETO: "L",
    Path.CURVE3: "Q",
    Path.CURVE4: "C",
    Path.CLOSEPOLY: "Z",
}


def drawing(formula: str) -> str:
    """Return a formula as an SVG element that stands on the line of the text."""
    text = f"${' '.join(formula.split())}$"
    path = TextPath((0, 0), text, size=_SIZE, prop=_FONT)
    width, height, descent = TextToPath().get_text_width_height_descent(text, _FONT, ismath=True)
    scale = _SIZE / _FONT.get_size_in_points()
    width, height, descent = (
        width * scale + 2 * _PAD,
        height * scale + 2 * _PAD,
        descent * scale + _PAD,
    )
    steps = []
    for points, code in path.iter_segments(simplify=False, curves=True):
        numbers = " ".join(f"{number:.0f}" for number in points * ([1, -1] * (len(points) // 2)))
        steps.append("Z" if code == Path.CLOSEPOLY else _LETTERS[code] + numbers)
    return (
        f'<svg class="formula" role="img" aria-label="{escape(formula.strip())}" '
        f'fill="currentColor" '
        f'viewBox="{-_PAD} {descent - height:.0f} {width:.0f} {height:.0f}" '
        f'style="width:{width / _SIZE:.2f}em;height:{height / _SIZE:.2f}em;'
        f'vertical-align:{-descent / _SIZE:.2f}em">'
        f'<path d="{"".join(steps)}"/></svg>'
    )


def _inline(translator: Any, node: nodes.math) -> None:
    translator.body.append(drawing(node.astext()))
    raise nodes.SkipNode


def _block(translator: Any, node: nodes.math_block) -> None:
    lines = node.astext().strip().split(r"\\")
    translator.body.append(
        "".join(f'<p class="formula-line">{drawing(line)}</p>' for line in lines)
    )
    raise nodes.SkipNode


def setup(app: Sphinx) -> dict[str, Any]:
    """Let Sphinx draw formulas by this module."""
    logging.getLogger("matplotlib.mathtext").setLevel(
        logging.WARNING
    )  # it names the font of every letter
    app.add_html_math_renderer("mathtext", (_inline, None), (_block, None))
    return {"parallel_read_safe": True, "parallel_write_safe": True}
