"""Tables of the files that `mvcc cluster` writes, from the comments at names and fields."""

from __future__ import annotations

import ast
import inspect
import re
import textwrap
from collections.abc import Iterator

from mvcc.results import _changes, _schema, _view
from mvcc.tables import _layout

FACTS = (_schema, _view, _changes)
_WORDS = {
    "StrictStr": "text",
    "StrictBool": "true or false",
    "Count": "whole number",
    "int": "whole number",
    "Positive": "whole number from 1",
    "Number": "number",
    "Weight": "number from 0",
    "Share": "number from 0 to 1",
    "Quantiles": "five numbers",
    "IdForm": '`""`, `"floats"` or `"padded"`',
    "None": "null",
    "Any": "any value",
}


def commented(source: str) -> Iterator[tuple[str, ast.expr, str]]:
    """Give name, value or type, and the comment beside or above each assignment."""
    lines = source.splitlines()
    for node in ast.parse(source).body:
        for part in node.body if isinstance(node, ast.ClassDef) else [node]:
            if not isinstance(part, ast.Assign | ast.AnnAssign):
                continue
            beside = lines[part.end_lineno - 1][part.end_col_offset :]
            above = lines[part.lineno - 2].strip()
            comment = beside.strip() or (above if above.startswith("#") else "")
            kind = part.annotation if isinstance(part, ast.AnnAssign) else part.value
            target = part.target if isinstance(part, ast.AnnAssign) else part.targets[0]
            yield ast.unparse(target), kind, comment.removeprefix("#").strip()


def files() -> Iterator[str]:
    """Give a table of the files of a results folder, and one of the columns of each."""
    yield "| file | what it holds |"
    yield "|---|---|"
    for _, value, comment in commented(inspect.getsource(_layout)):
        if comment and isinstance(value, ast.Constant) and "never read" not in comment:
            name = value.value
            path = f"VIEW/{name}" if comment.startswith("of a view") else name
            yield f"| `{path}` | {re.sub('^of a view: ', '', comment)} |"
    for name, columns in (_layout.COLUMNS | _layout.OF_PEOPLE).items():
        yield f"\n## {name}\n\n| column | what it is |\n|---|---|"
        yield from (f"| `{column}` | {meaning} |" for column, meaning in columns.items())


def in_words(kind: ast.expr) -> str:
    """Say what JSON a type is stored as."""
    if isinstance(kind, ast.BinOp):
        return f"{in_words(kind.left)}, or {in_words(kind.right)}"
    if not isinstance(kind, ast.Subscript):
        word = ast.unparse(kind)
        return _WORDS.get(word, f"[{word}](#{word.lower()})")
    parts = kind.slice.elts if isinstance(kind.slice, ast.Tuple) else [kind.slice]
    outer = ast.unparse(kind.value)
    if outer == "Literal":
        return " or ".join(f"`{ast.unparse(part)}`".replace("'", '"') for part in parts)
    if outer == "Annotated":
        return in_words(parts[0])
    if outer == "dict":
        return f"object of {in_words(parts[1])}"
    if ast.unparse(parts[-1]) == "...":
        return f"list of {in_words(parts[0])}"
    return "list: " + "; ".join(map(in_words, parts))


def records() -> Iterator[tuple[str, str]]:
    """Give name and source of each record of ``clustering.json``, the outermost first."""
    for module in FACTS:
        own = [kind for _, kind in inspect.getmembers(module, inspect.isclass)]
        own = [kind for kind in own if kind.__module__ == module.__name__]
        own = [kind for kind in own if kind.__annotations__ and kind.__name__ != "Facts"]
        for kind in sorted(own, key=lambda one: one.__name__ != "Clustering"):
            yield kind.__name__, textwrap.dedent(inspect.getsource(kind))


def facts() -> Iterator[str]:
    """Give a section for each record of ``clustering.json``, with its fields."""
    for name, source in records():
        tree = ast.parse(source).body[0]
        is_list = "NamedTuple" in source.partition("\n")[0]
        yield f"\n### {name}\n\n{ast.get_docstring(tree)}"
        yield "\nStored as a list of\n" if is_list else ""
        yield "| field | type | what it is |\n|---|---|---|"
        for field, kind, comment in commented(source):
            if field != "model_config":
                yield f"| `{field.rstrip('_')}` | {in_words(kind)} | {comment} |"
