"""Commands of the documentation name what exists; nothing is run."""

import re
import shlex
import tomllib
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path
from shutil import which

import click

from mvcc.cli import cli
from tests.docs.blocks import HERE, ROOT, SHELL, Block, parse


def check(block: Block) -> None:
    """See that targets, options, modules, scripts and extras that a block names exist."""
    if block.language not in SHELL:
        parse(block)
    for command in block.commands if block.language in SHELL else ():
        words = [
            word
            for word in shlex.split(command, comments=True)
            if not re.fullmatch(r"[A-Z_]+=.*", word)
        ]
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
        targets = {word for word in arguments if not word.startswith("-")}
        return "" if targets <= _targets() else "there is no such target in the Makefile"
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
    there = which(program) or which(name, path=HERE) or find_spec(name.replace("-", "_"))
    return "" if there else "there is no such program"


def _python_problem(arguments: list[str]) -> str:
    if arguments[:1] == ["-m"]:
        return "" if find_spec(arguments[1]) else f"there is no module {arguments[1]}"
    scripts = [word for word in arguments if word.endswith(".py")]
    return "".join(
        f"there is no script {script}" for script in scripts if not (ROOT / script).exists()
    )


def _targets() -> set[str]:
    makefile = (ROOT / "Makefile").read_text("utf-8")
    return set(re.findall(r"^([a-z-]+):", makefile, re.MULTILINE))


def _extras() -> set[str]:
    return set(
        tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"][
            "optional-dependencies"
        ]
    )


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
