"""Parts of docs/performance.md that are written by what measures them."""

from __future__ import annotations

from scripts.tables import ROOT

PAGE = ROOT / "docs" / "performance.md"


def replace_block(name: str, text: str) -> None:
    """Replace what is on the page between ``<!-- name -->`` and ``<!-- end of name -->``."""
    before, _, after = _parts(name)
    PAGE.write_text(f"{before}\n\n{text}\n\n{after}", "utf-8")


def block(name: str) -> str:
    """Return what is on the page between the two comments."""
    return _parts(name)[1].strip("\n")


def _parts(name: str) -> tuple[str, str, str]:
    begin, end = f"<!-- {name} -->", f"<!-- end of {name} -->"
    before, opening, rest = PAGE.read_text("utf-8").partition(begin)
    between, closing, after = rest.partition(end)
    if not (opening and closing):
        raise ValueError(f"{PAGE.name} has no {begin} … {end}")
    return before + begin, between, end + after
