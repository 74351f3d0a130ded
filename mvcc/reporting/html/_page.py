"""How a template becomes a page that is complete in itself; words, numbers and symbols on it."""

from __future__ import annotations

import hashlib
import json
import re
from base64 import b64encode
from collections.abc import Callable, Mapping
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from mvcc._utils.messages import agreeing, percent
from mvcc.results import leaves_of

if TYPE_CHECKING:
    from jinja2 import Environment
    from markupsafe import Markup

_HERE = Path(__file__).parent
_MARKUP = {ord(character): f"\\u{ord(character):04x}" for character in "<>&"}
# The first seven after Okabe and Ito; the colors themselves, for light and dark, are --c0 … --c9 of
# report.css. Their number and that of the symbols have no common divisor: 90 clusters are all
# different.
N_COLORS = 10
SHAPES = {  # most by the names that matplotlib has for them; in a square from -8 to 8
    "o": "M-6,0a6,6 0 1,0 12,0a6,6 0 1,0 -12,0Z",
    "s": "M-5.5,-5.5H5.5V5.5H-5.5Z",
    "D": "M0,-7.5L7.5,0L0,7.5L-7.5,0Z",
    "^": "M0,-6.5L7,5.5H-7Z",
    "P": "M-2.5,-7H2.5V-2.5H7V2.5H2.5V7H-2.5V2.5H-7V-2.5H-2.5Z",
    "X": "M0,3.2L-3.5,6.7L-6.7,3.5L-3.2,0L-6.7,-3.5L-3.5,-6.7L0,-3.2L3.5,-6.7L6.7,-3.5L3.2,0"
    "L6.7,3.5L3.5,6.7Z",
    "*": "M0,-8L2,-2.7L7.6,-2.5L3.2,1L4.7,6.5L0,3.4L-4.7,6.5L-3.2,1L-7.6,-2.5L-2,-2.7Z",
    "v": "M0,6.5L7,-5.5H-7Z",
    "bowtie": "M-7,-6V6L7,-6V6Z",
}
_PATHS = list(SHAPES.values())
_OPTION = re.compile(r"`([^`]+)`|(?<![\w-])(?:--[a-z][a-z-]*[a-z]|-[a-z])(?![\w-])")


def rendered(page: str, data: Mapping[str, Any], **context: Any) -> bytes:
    """Return a page, made of its template and script; the same arguments give the same bytes.

    The script needs `data`, plain values, and the template shows `context`.
    """
    from markupsafe import Markup

    scripts = [_asset("plot.js"), _asset("page.js"), _asset(f"{page}.js")]
    html = (
        _environment()
        .get_template(f"{page}.html")
        .render(
            policy=_policy(scripts),
            style=Markup(_asset("report.css")),
            scripts=[Markup(script) for script in scripts],
            data=Markup(script_json(data)),
            **context,
        )
    )
    return html.encode("utf-8", "replace")  # half a surrogate pair cannot be encoded


def script_json(value: Any) -> str:
    """Write plain values as JSON that can stand inside ``<script>``."""
    # It is ASCII, and no text in it ends the element. U+2028 and U+2029, line ends to some readers
    # of JavaScript, are escaped with all else that is not ASCII.
    return json.dumps(value, separators=(",", ":"), allow_nan=False).translate(_MARKUP)


def _policy(scripts: list[str]) -> str:
    """Forbid every request, and every script but ours: a text that got out of its place could
    not run.
    """
    ours = " ".join(
        f"'sha256-{b64encode(hashlib.sha256(script.encode()).digest()).decode()}'"
        for script in scripts
    )
    return (
        f"default-src 'none'; script-src {ours}; style-src 'unsafe-inline'; img-src data:; "
        "base-uri 'none'; form-action 'none'"
    )


@cache
def _asset(name: str) -> str:
    return (_HERE / "assets" / name).read_text(encoding="utf-8")


@cache
def _environment() -> Environment:
    from jinja2 import Environment, FileSystemLoader, StrictUndefined

    environment = Environment(
        loader=FileSystemLoader(_HERE / "templates"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters.update({write.__name__: write for write in _FILTERS})
    return environment


def symbol(cluster: int) -> dict[str, Any]:
    """Give a cluster its color and its symbol."""
    return {"color": cluster % N_COLORS, "path": _PATHS[cluster % len(SHAPES)]}


def count(number: int) -> str:
    """Write a whole number: 12,345."""
    return f"{number:,}"


def plural(number: int, one: str, many: str = "") -> str:
    """Write a number and what it counts: 1 row, 2 rows."""
    return f"{number:,} {agreeing(number, one, many or one + 's')}"


def number(value: float | None, digits: int = 3) -> str:
    """Write a number with a few significant digits."""
    return "–" if value is None else f"{value:.{digits}g}".replace("-", "−")


def repeatability(agreement: float) -> str:
    """Say what a mean adjusted Rand index between runs means, from 1, the same, to 0, chance."""
    if agreement >= 0.9:
        return "practically the same every time"
    if agreement >= 0.7:
        return "mostly the same every time"
    if agreement >= 0.4:
        return "they differ considerably from time to time"
    return "they depend mainly on the start; do not rely on them"


def unbroken(text: str) -> str:
    """Let no line end before a percent sign."""
    return text.replace(" %", "\N{NO-BREAK SPACE}%")


def options(text: str) -> Markup:
    """Mark options, and what is between backticks, so that no line ends within one."""
    from markupsafe import Markup, escape

    marked = _OPTION.sub(lambda m: f'<code class="option">{m[1] or m[0]}</code>', escape(text))
    return Markup(marked)


def rows_of_settings(tree: Mapping[str, Any]) -> list[tuple[str, str]]:
    """List nested settings under dotted keys, in words."""
    return [(key, _plain(value)) for key, value in leaves_of(tree)]


def _plain(value: Any) -> str:
    if isinstance(value, list | tuple):
        return ", ".join(map(_plain, value)) or "none"
    if value is None or value == {}:
        return "none"
    return str(value).lower() if isinstance(value, bool) else str(value)


_FILTERS: tuple[Callable[..., Any], ...] = (
    count,
    number,
    options,
    percent,
    plural,
    repeatability,
    rows_of_settings,
    symbol,
    unbroken,
)
