"""Pages avoid the turns of phrase that the style in CONTRIBUTING.md names."""

from __future__ import annotations

import re

import pytest

from tests.docs.blocks import ROOT, pages

AVOIDED = re.compile(
    r"\bis (?:said|told)\b(?! apart)|\bspeaks? for\b|\bgoes on\b|\bwhat bec(?:a|o)mes? of\b"
    r"|\bthat (?:is|are) there\b|(?<!\bthere )\bis no (?!longer|more|less|better|worse)[a-z]+\b"
    r"|(?:^|[.:] )Of (?=[a-z])|(?:^|[.] )Where (?=[a-z])"
)


def prose(page: str) -> list[str]:
    """Return the paragraphs of a page, without code, comments and its own list of bad examples."""
    text = (ROOT / page).read_text("utf-8")
    text = re.sub(r"```.*?```|<!--.*?-->|`[^`]*`|\"[^\"]*\"", "", text, flags=re.DOTALL)
    return [" ".join(part.split()) for part in re.split(r"\n\n|\n(?=[-|])", text)]


@pytest.mark.parametrize("page", pages())
def test_pages_avoid_what_reads_as_translated(page):
    found = [
        match[0] + part[match.end() :][:40]
        for part in prose(page)
        for match in AVOIDED.finditer(part)
    ]
    assert found == []
