"""``api.md`` has tables that read well on GitHub; in the site, their names lead to pages.

A row is a name below ``mvcc`` and the first paragraph of its docstring. Sphinx gets them as
``autosummary`` directives, and makes a page for each name.
"""

from __future__ import annotations

import inspect
import pkgutil
import re
from pathlib import Path

from sphinx.application import Sphinx

PAGE = "docs/api"
ROW = re.compile(r"^\| `([\w.]+)` \| (.*) \|$", re.MULTILINE)
_TABLE = re.compile(r"^\| name \|.*\n\|---\|---\|\n((?:\|.*\n)+)", re.MULTILINE)


def summary_of(name: str) -> str:
    """Return the first paragraph of the docstring of a name below ``mvcc``."""
    doc = inspect.getdoc(pkgutil.resolve_name(f"mvcc.{name}")) or ""
    return " ".join(doc.partition("\n\n")[0].split()).replace("``", "`")


def _directive(rows: str, toctree: str) -> str:
    lines = [".. currentmodule:: mvcc", "", ".. autosummary::", f"   :toctree: {toctree}", ""]
    return "\n".join([*lines, *(f"   {name}" for name, _ in ROW.findall(rows))])


def _list_names(app: Sphinx) -> None:
    """Have a page made for every name, before autosummary looks for names."""
    rows = (Path(app.srcdir) / f"{PAGE}.md").read_text("utf-8")
    listed = Path(app.doctreedir) / "api-names.rst"
    listed.parent.mkdir(parents=True, exist_ok=True)
    listed.write_text(_directive(rows, str(Path(app.srcdir) / PAGE)), "utf-8")
    app.config.autosummary_generate = [str(listed)]


def _fill(app: Sphinx, docname: str, source: list[str]) -> None:
    if docname == PAGE:
        source[0] = _TABLE.sub(
            lambda table: f"```{{eval-rst}}\n{_directive(table[1], 'api')}\n```\n", source[0]
        )


def setup(app: Sphinx) -> dict[str, bool]:
    app.connect("builder-inited", _list_names, priority=400)
    app.connect("source-read", _fill)
    return {"parallel_read_safe": True}
