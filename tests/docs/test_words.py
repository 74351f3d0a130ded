"""Pages and code avoid the turns of phrase that the style in CONTRIBUTING.md names."""

import io
import re
import tokenize

import pytest

from tests.docs.blocks import ROOT, pages

AVOIDED = re.compile(
    r"\bis (?:said|told)\b(?! apart)|\bspeaks? for\b|\bgoes on\b|\b[Ww]hat bec(?:a|o)mes? of\b"
    r"|\bthat (?:is|are) there\b|(?<![Tt]here )\bis no (?!longer|more|less|better|worse)[a-z]+\b"
    r"|(?:^|[.:] )Of (?=[a-z])|(?:^|[.] )Where (?=[a-z])"
    r"|\bjudge?ments?\b|\bjudged (?:pair|row|object)s?\b"
)
TEXTS = {tokenize.COMMENT, tokenize.STRING, getattr(tokenize, "FSTRING_MIDDLE", None)}
# keys of files, which keep their names
KEYS = {'"judgments"', '"n_judgments"'}
ENDINGS = ("py", "html", "js")
CODE = [path for ending in ENDINGS for path in sorted(ROOT.glob(f"mvcc/**/*.{ending}"))]


def avoided(text: str) -> list[str]:
    return [found[0] + text[found.end() :][:40] for found in AVOIDED.finditer(text)]


def prose(page: str) -> list[str]:
    """Return the paragraphs of a page, without code, comments and its own list of bad examples."""
    text = (ROOT / page).read_text("utf-8")
    text = re.sub(r"```.*?```|<!--.*?-->|`[^`]*`|\"[^\"]*\"", "", text, flags=re.DOTALL)
    return [" ".join(part.split()) for part in re.split(r"\n\n|\n(?=[-|])", text)]


def texts_of_code(source: str) -> list[str]:
    """Return comments and strings of Python code, each in one line."""
    tokens = tokenize.generate_tokens(io.StringIO(source).readline)
    texts = [token.string for token in tokens if token.type in TEXTS and token.string not in KEYS]
    return [" ".join(re.sub("`+[^`]*`+", "", text).strip("\"'#frb ").split()) for text in texts]


@pytest.mark.parametrize("page", pages())
def test_pages_avoid_what_reads_as_translated(page):
    assert [phrase for part in prose(page) for phrase in avoided(part)] == []


def test_messages_docstrings_and_comments_avoid_it_too():
    found = []
    for path in CODE:
        source = path.read_text("utf-8")
        texts = texts_of_code(source) if path.suffix == ".py" else source.splitlines()
        found += [f"{path}: {phrase}" for text in texts for phrase in avoided(text)]
    assert found == []
