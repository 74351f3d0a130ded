"""The code blocks of the documentation, and how they are run.

A comment right above a block says what is to become of it:

``<!-- not run: why -->``   it is only checked that its commands, options and files exist
``<!-- fails -->``          its exit status is not 0; what it says on stderr counts as printed
``<!-- file: name -->``     its text is written to this file
``<!-- output -->``         it is what the block before it prints; "..." stands for anything
"""

from __future__ import annotations

import contextlib
import io
import json
import os
import re
import shlex
import subprocess
import sys
import tomllib
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from doctest import ELLIPSIS, NORMALIZE_WHITESPACE, OutputChecker
from importlib.util import find_spec
from pathlib import Path
from shutil import which
from typing import Any

import click
import yaml
from markdown_it import MarkdownIt

from mvcc.cli import cli

ROOT = Path(__file__).parents[2]
GENERATED = {"_build", "api", "gallery"}  # folders of docs/ that the site's tools write

PYTHON = {"python", "py"}
SHELL = {"console", "sh"}
DATA: dict[str, Callable[[str], Any]] = {
    "json": json.loads,
    "toml": tomllib.loads,
    "yaml": yaml.safe_load,
}
PROSE = {"", "text"}  # drawings, tables, messages, and what programs print

_COMMENT = re.compile(r"<!--\s*(not run|fails|file|output)(?::\s*(.*?))?\s*-->\s*", re.DOTALL)


@dataclass(frozen=True)
class Block:
    """A fenced block of a page."""

    page: str
    line: int
    language: str
    text: str
    mark: str = ""
    said: str = ""

    @property
    def place(self) -> str:
        return f"{self.page}:{self.line}"

    @property
    def commands(self) -> list[str]:
        """The commands of a shell block: all lines, or those after `$ ` where there are such, joined at backslashes."""
        lines = self.text.replace("\\\n", " ").splitlines()
        prompted = [line[2:] for line in lines if line.startswith("$ ")]
        return [line for line in prompted or lines if line.strip() and not line.lstrip().startswith("#")]


def pages() -> list[str]:
    """Return the pages whose blocks are run, as paths from the top of the checkout."""
    docs = (path for path in ROOT.glob("docs/**/*.md") if path.relative_to(ROOT / "docs").parts[0] not in GENERATED)
    return ["README.md", "CONTRIBUTING.md", "data/README.md", *sorted(str(path.relative_to(ROOT)) for path in docs)]


def blocks_of(page: str, text: str | None = None) -> list[Block]:
    """Return the fenced blocks of a page with the comments right above them; directives of the site are none."""
    tokens = MarkdownIt("commonmark").parse((ROOT / page).read_text("utf-8") if text is None else text)
    found = []
    for before, token in zip([None, *tokens], tokens, strict=False):
        if token.type != "fence" or token.info.startswith("{"):
            continue
        comment = _COMMENT.fullmatch(before.content) if before is not None and before.type == "html_block" else None
        mark, said = (comment[1], comment[2] or "") if comment else ("", "")
        language = token.info.split()[0] if token.info.split() else ""
        found.append(Block(page, token.map[0] + 1, language, token.content, mark, said))
    return found


def run_page(blocks: list[Block], folder: Path) -> tuple[int, int]:
    """Run the blocks of a page in order, in a folder; return how many were run, and how many were only checked."""
    namespace: dict[str, Any] = {"__name__": "__main__"}
    printed, n_run, n_checked = "", 0, 0
    for block in blocks:
        if block.mark == "not run":
            assert block.said, f"{block.place}: say why it is not run: <!-- not run: why -->"
            check(block)
            n_checked += 1
        elif block.mark == "file":
            _parse(block)
            (folder / block.said).parent.mkdir(parents=True, exist_ok=True)
            (folder / block.said).write_text(block.text, encoding="utf-8")
        elif block.mark == "output":
            _compare(block, printed)
        elif block.language in PYTHON:
            printed, n_run = _run_python(block, namespace), n_run + 1
        elif block.language in SHELL:
            printed, n_run = _run_shell(block, folder), n_run + 1
        else:
            _parse(block)
    return n_run, n_checked


def _parse(block: Block) -> None:
    known = PYTHON | SHELL | DATA.keys() | PROSE
    assert block.language in known, f"{block.place}: nobody runs {block.language!r}; known: {', '.join(sorted(known))}"
    if block.language in DATA:
        DATA[block.language](block.text)
    elif block.language in PYTHON:
        compile(block.text, block.place, "exec")


def _run_python(block: Block, namespace: dict[str, Any]) -> str:
    # as many empty lines before it as the page has, so that a traceback names the line of the page
    code = compile("\n" * block.line + block.text, str(ROOT / block.page), "exec")
    with contextlib.redirect_stdout(io.StringIO()) as out:
        exec(code, namespace)
    return out.getvalue()


def _run_shell(block: Block, folder: Path) -> str:
    script = block.text if "$ " not in block.text else "\n".join(block.commands)
    done = subprocess.run(
        ["bash", "-e", "-o", "pipefail", "-c", script],
        cwd=folder,
        env=os.environ | {"PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"},
        capture_output=True,
        text=True,
    )
    fails = block.mark == "fails"
    told = f"{block.place}: exit status {done.returncode}\n{script}\n{done.stdout}{done.stderr}"
    assert (done.returncode != 0) == fails, told
    return done.stdout + done.stderr if fails else done.stdout


def _compare(block: Block, printed: str) -> None:
    checker, flags = OutputChecker(), ELLIPSIS | NORMALIZE_WHITESPACE
    assert checker.check_output(block.text, printed, flags), f"{block.place}: it prints instead:\n{printed}"


def check(block: Block) -> None:
    """See that what a block names exists: targets, commands with their options, modules, scripts, extras."""
    if block.language in PYTHON and block.text.startswith(" "):  # a part of a class
        compile(f"class _:\n{block.text}", block.place, "exec")
    elif block.language not in SHELL:
        _parse(block)
    for command in block.commands if block.language in SHELL else ():
        words = [word for word in shlex.split(command, comments=True) if not re.fullmatch(r"[A-Z_]+=.*", word)]
        for word, rest in _programs(words):
            problem = _problem(word, rest)
            assert not problem, f"{block.place}: {command}: {problem}"


def _programs(words: list[str]) -> Iterator[tuple[str, list[str]]]:
    """Give the program and arguments of every part of a line that &&, ;, | or & separate."""
    part: list[str] = []
    for word in [*words, ";"]:
        if word in ("&&", "||", ";", "|", "&"):
            if part:
                yield part[0], part[1:]
            part = []
        else:
            part.append(word)


def _problem(program: str, arguments: list[str]) -> str:
    name = Path(program).name
    if name == "make":
        return "" if set(arguments) <= _targets() else "there is no such target in the Makefile"
    if name == "mvcc":
        return _usage_problem(cli, arguments)
    if name in ("python", "python3"):
        return _python_problem(arguments)
    if name == "pip":
        extras = {extra for word in arguments for extra in re.findall(r"\[([\w,]+)\]", word)}
        unknown = {extra for listed in extras for extra in listed.split(",")} - _extras()
        return f"there is no extra {', '.join(sorted(unknown))}" if unknown else ""
    if name in ("source", "cd", "export"):
        return ""
    there = which(program) or which(name, path=Path(sys.executable).parent) or find_spec(name.replace("-", "_"))
    return "" if there else "there is no such program"


def _python_problem(arguments: list[str]) -> str:
    if arguments[:1] == ["-m"]:
        return "" if find_spec(arguments[1]) else f"there is no module {arguments[1]}"
    scripts = [word for word in arguments if word.endswith(".py")]
    return "".join(f"there is no script {script}" for script in scripts if not (ROOT / script).exists())


def _targets() -> set[str]:
    makefile = (ROOT / "Makefile").read_text("utf-8")
    return set(re.findall(r"^([a-z-]+):", makefile, re.MULTILINE))


def _extras() -> set[str]:
    return set(tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]["optional-dependencies"])


def _usage_problem(command: click.Command, arguments: list[str]) -> str:
    """Return what is wrong with options and subcommands, without running anything."""
    context = click.Context(command)
    try:
        _, rest, _ = command.make_parser(context).parse_args(list(arguments))
        if isinstance(command, click.Group) and rest:
            _, inner, rest = command.resolve_command(context, rest)
            return _usage_problem(inner, rest)
    except click.UsageError as error:
        return error.format_message()
    return f"too many arguments: {' '.join(rest)}" if rest else ""
