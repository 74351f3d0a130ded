"""Words of texts, also of Chinese and Japanese ones, which have no blanks between their words."""

from __future__ import annotations

import re
from itertools import pairwise

_KATAKANA = "[ァ-ヺー-ヿｦ-ﾟ]+"
_UNBROKEN = re.compile(rf"{_KATAKANA}|[ぁ-ゖゝゞ々〆㐀-䶿一-鿿豈-\ufaff]+")


def with_blanks(text: str) -> str:
    """Return a text with blanks between the words, which are all pairs of signs side by side.

    As in Lucene's ``CJKBigramFilter``; but what is written in katakana is a word.
    """
    return text if text.isascii() else _UNBROKEN.sub(_in_pairs, text)


def n_words(text: str) -> int:
    """Return the number of words of a text; two signs without a blank count as one."""
    return len((text if text.isascii() else _UNBROKEN.sub(_half, text)).split())


def _in_pairs(run: re.Match[str]) -> str:
    signs = run[0]
    if len(signs) < 3 or re.fullmatch(_KATAKANA, signs):
        return f" {signs} "
    return f" {' '.join(map(''.join, pairwise(signs)))} "


def _half(run: re.Match[str]) -> str:
    return " x" * ((len(run[0]) + 1) // 2)
