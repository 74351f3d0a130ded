"""How Excel encodes CSV: as the system does, which nothing in a file says, but its bytes tell."""

from __future__ import annotations

import re
from collections.abc import Iterable
from itertools import islice

WINDOWS = "cp1252"  # by Python's name
NAMES = {
    WINDOWS: "Windows-1252",
    "cp1250": "Windows-1250",
    "cp1254": "Windows-1254",
    "cp1251": "Windows-1251",
    "cp949": "EUC-KR",
    "gb18030": "GB18030",
    "cp932": "Shift-JIS",
    "cp950": "Big5",
}
# the first bytes of most letters of Cyrillic, Hangul, and Chinese and Japanese as most texts have
_USUAL = {
    "cp1251": {0xA8, 0xAA, 0xAF, 0xB2, 0xB3, 0xB8, 0xBA, 0xBF, *range(0xC0, 0x100)},
    "cp949": range(0xB0, 0xC9),
    "gb18030": range(0xB0, 0xD8),
    "cp932": {*range(0x81, 0x84), *range(0x88, 0x98)},
    "cp950": range(0xA4, 0xC7),
}
_FIRST_LETTER = 0xC0  # of Windows-1252 and -1254
_TURKISH_I = {*"ıİ".encode("cp1254")}
_TURKISH_ALONE = _TURKISH_I | {*"ğşĞŞ".encode("cp1254")}
_TURKISH = _TURKISH_ALONE | {*"çöüâîûÇÖÜÂÎÛ".encode("cp1254")}
_MOST = 0.8  # of the letters are usual ones
_SAMPLE = 1000  # lines
_HIGH = re.compile(rb"[\x80-\x9f\xa1-\xff]+")  # but no-break spaces
_LONG = 3  # bytes, as ä and its like hardly ever stand in a row, unless all are •


def told_by_letters(lines: Iterable[bytes]) -> str:
    """Return the encoding of lines not in UTF-8 that their letters tell; else nothing."""
    sample = [*islice((line for line in lines if not line.isascii()), _SAMPLE)]
    best = _of_another_script(sample) or _of_latin_letters(b"".join(sample))
    return best if best and all(_is_in(best, line) for line in lines) else ""


def _of_latin_letters(sample: bytes) -> str:
    """Tell Polish by ł within a word, in Windows-1252 ³ as in m³h, and Turkish by all it has."""
    if re.search(rb"[a-ln-z]\xb3[a-z]", sample):
        return "cp1250"
    letters = {byte for byte in sample if byte >= _FIRST_LETTER}
    has_some = letters & _TURKISH_I and len(letters & _TURKISH_ALONE) > 1
    return "cp1254" if has_some and letters <= _TURKISH else ""


def _of_another_script(sample: list[bytes]) -> str:
    runs = [run for line in sample for run in _HIGH.findall(line)]
    n_long = sum(len(run) for run in runs if len(run) >= _LONG and len({*run}) > 1)
    if 2 * n_long < sum(map(len, runs)) or 2 * sum(map(is_utf_8, sample)) > len(sample):
        return ""
    best = max(_USUAL, key=lambda encoding: _share_of_usual(sample, encoding))
    return best if _share_of_usual(sample, best) >= _MOST else ""


def is_utf_8(line: bytes) -> bool:
    return _is_in("utf-8", line)


def _is_in(encoding: str, line: bytes) -> bool:
    try:
        line.decode(encoding)
    except UnicodeDecodeError:
        return False
    return True


def _share_of_usual(sample: list[bytes], encoding: str) -> float:
    try:
        text = b"".join(sample).decode(encoding)
    except UnicodeDecodeError:
        return 0.0
    letters = [char for char in text if char.isalpha() and not char.isascii()]
    n_usual = sum(char.encode(encoding)[0] in _USUAL[encoding] for char in letters)
    return n_usual / max(len(letters), 1)
