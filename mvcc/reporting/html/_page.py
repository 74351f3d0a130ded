"""How a template becomes a page that is complete in itself."""

from __future__ import annotations

import hashlib
import json
from base64 import b64encode
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from mvcc.reporting.html import _words

if TYPE_CHECKING:
    from jinja2 import Environment

_HERE = Path(__file__).parent
_MARKUP = {ord(character): f"\\u{ord(character):04x}" for character in "<>&"}


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
    environment.filters.update(vars(_words))  # whose functions are filters
    return environment
