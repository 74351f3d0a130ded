"""Pages made from the code: the command line, `cluster.yaml`, output files, terms.

A page has a comment, such as `<!-- commands -->`, where the text belongs.
"""

from __future__ import annotations

from collections.abc import Iterator

import click
from click.testing import CliRunner
from output_files import facts, files
from sphinx.application import Sphinx

from mvcc._utils.settings import Section, options_in
from mvcc.cli import cli
from mvcc.cli._shared import TERMS
from mvcc.tables import Job, View


def _commands(group: click.Group = cli, path: tuple[str, ...] = ()) -> Iterator[str]:
    """Give a section for every command, with its help as the terminal shows it."""
    for name in group.list_commands(click.Context(group)):
        words = [*path, name]
        shown = CliRunner().invoke(cli, [*words, "--help"], prog_name="mvcc", terminal_width=80)
        yield f"## {' '.join(words)}\n\n```text\n{shown.output}```\n"
        command = group.get_command(click.Context(group), name)
        if isinstance(command, click.Group):
            yield from _commands(command, (*path, name))


def _settings(kind: type[Section]) -> Iterator[str]:
    """Give a table of the keys of a section, their options and defaults."""
    yield "| key | what it is | default | option |"
    yield "|---|---|---|---|"
    options = options_in(kind)
    for name, field in kind.model_fields.items():
        flag = default = ""
        if option := options.get(name):
            flag = f"`{f'{option.flags[0]} {option.metavar}'.strip()}`".replace("|", r"\|")
            default = option.default
        if field.is_required():
            default = "must be given"
        example = f", such as `{field.examples[0]}`" if field.examples else ""
        yield f"| `{name}` | {str(field.description).rstrip('.')}{example} | {default} | {flag} |"


def _terms() -> Iterator[str]:
    """Give a table of the terms that the help of the commands explains."""
    yield "| term | what it is |"
    yield "|---|---|"
    for term, meaning in TERMS.items():
        yield f"| {term} | {meaning} |"


def _fill(app: Sphinx, docname: str, source: list[str]) -> None:
    if not docname.startswith("docs/reference/"):
        return
    for comment, lines in (
        ("<!-- commands -->", _commands()),
        ("<!-- settings of a view -->", _settings(View)),
        ("<!-- settings -->", _settings(Job)),
        ("<!-- terms -->", _terms()),
        ("<!-- files -->", files()),
        ("<!-- facts -->", facts()),
    ):
        if comment in source[0]:
            source[0] = source[0].replace(comment, "\n".join(lines))


def setup(app: Sphinx) -> dict[str, bool]:
    app.connect("source-read", _fill)
    return {"parallel_read_safe": True}
