"""The code blocks of the documentation, and what is to become of them.

A comment right above a block says what it is, if it is not simply to be run:

``<!-- slow: why -->``          only `make reliability` runs it
``<!-- ci -->``                 `.ci/run` has these commands, word by word
``<!-- background: words -->``  one command that goes on; the page does once it prints these words
``<!-- fails -->``              its exit status is not 0; what it says on stderr counts as printed
``<!-- file: name -->``         its text is written to this file
``<!-- merge: name -->``        its YAML is added to that of this file
``<!-- excerpt: name -->``      it is in this file of the checkout, word by word but for indentation
``<!-- output -->``             it is what the block before it prints; "..." stands for anything
"""

import json
import re
import sys
import tomllib
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml
from markdown_it import MarkdownIt

ROOT = Path(__file__).parents[2]
HERE = Path(sys.executable).parent  # where the programs are that the tests themselves use
GENERATED = {"_build", "api", "gallery"}  # folders of docs/ that the site's tools write

PYTHON = {"python", "py"}
SHELL = {"console", "sh"}
DATA: dict[str, Callable[[str], Any]] = {
    "json": json.loads,
    "toml": tomllib.loads,
    "yaml": yaml.safe_load,
}
PROSE = {"", "text"}  # drawings, tables, messages, and what programs print

_MARKS = "slow|ci|background|fails|file|merge|excerpt|output"
_COMMENT = re.compile(rf"<!--\s*({_MARKS})(?::\s*(.*?))?\s*-->\s*", re.DOTALL)


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
    def is_code(self) -> bool:
        """Whether it is there to be run: not a file, an excerpt, data or prose."""
        return self.language in PYTHON | SHELL and self.mark not in ("file", "excerpt")

    @property
    def commands(self) -> list[str]:
        """The commands of a shell block, those after `$ ` if there are such."""
        lines = self.text.replace("\\\n", " ").splitlines()
        prompted = [line[2:] for line in lines if line.startswith("$ ")]
        return [
            line for line in prompted or lines if line.strip() and not line.lstrip().startswith("#")
        ]


def pages() -> list[str]:
    """Return the pages whose blocks are run, as paths from the top of the checkout."""
    of_docs = (path.relative_to(ROOT) for path in sorted(ROOT.glob("docs/**/*.md")))
    docs = [str(path) for path in of_docs if path.parts[1] not in GENERATED]
    return ["README.md", "CONTRIBUTING.md", "data/README.md", *docs]


def blocks_of(page: str, text: str | None = None) -> list[Block]:
    """Return the fenced blocks of a page but directives, with the comments above them."""
    tokens = MarkdownIt("commonmark").parse(
        (ROOT / page).read_text("utf-8") if text is None else text
    )
    found = []
    for before, token in zip([None, *tokens], tokens, strict=False):
        if token.type != "fence" or token.info.startswith("{"):
            continue
        comment = (
            _COMMENT.fullmatch(before.content)
            if before is not None and before.type == "html_block"
            else None
        )
        mark, said = (comment[1], comment[2] or "") if comment else ("", "")
        language = token.info.split()[0] if token.info.split() else ""
        found.append(Block(page, token.map[0] + 1, language, token.content, mark, said))
    return found


def parse(block: Block) -> None:
    """See that a block is of a language that somebody reads, and is written in it."""
    known = PYTHON | SHELL | DATA.keys() | PROSE
    assert block.language in known, (
        f"{block.place}: nobody runs {block.language!r}; known: {', '.join(sorted(known))}"
    )
    if block.language in DATA:
        DATA[block.language](block.text)
    elif block.language in PYTHON:
        compile(block.text, block.place, "exec")
