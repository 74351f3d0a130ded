"""Pages, complete in themselves: which one a folder gives, and how a template becomes one."""

from __future__ import annotations

import hashlib
import json
from base64 import b64encode
from collections.abc import Iterable, Mapping
from functools import cache
from os.path import exists, realpath  # the first is false for what cannot be a path
from pathlib import Path
from typing import TYPE_CHECKING, Any

from mvcc._utils.outputs import put_back, write_output
from mvcc.exceptions import StoreError
from mvcc.reporting.html import _words
from mvcc.results import CLUSTERING, find_experiments, read_facts, refuse_aside

if TYPE_CHECKING:
    from jinja2 import Environment

REPORT, REPORT_KIND = "report.html", "a report"
_HERE = Path(__file__).parent
_MARKUP = {ord(character): f"\\u{ord(character):04x}" for character in "<>&"}


def write_report(
    folder: Path, path: Path | None = None, *, fresh: bool = False, inputs: Iterable[str] = ()
) -> Path:
    """Write the report of a folder.

    That of its clustering if it holds one, else that of the experiments below it. It goes to
    ``path``, by default ``report.html`` in the folder. Another report is replaced only if
    ``fresh``, and none that was changed since, nor any of ``inputs``, such as the tables of a
    clustering.
    """
    path = path or folder / REPORT
    if realpath(path.parent) == realpath(folder):
        put_back(folder)
    if exists(folder / CLUSTERING):
        from mvcc.reporting.html._clustering import clustering_page

        page = clustering_page(read_facts(folder))
    else:
        refuse_aside(folder / CLUSTERING)
        try:
            find_experiments(folder)
        except StoreError as error:
            raise StoreError(f"there is no {CLUSTERING} in {folder}, and {error}") from error
        # pandas and scipy.stats, which the report of a clustering does without
        from mvcc.reporting.html._experiment import experiment_page

        page = experiment_page(folder)
    write_output(path, page, REPORT_KIND, fresh=fresh, inputs=inputs)
    return path


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
