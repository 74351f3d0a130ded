"""Text files: how they are encoded, the records of CSV and ARFF, and the words of texts.

Excel's "CSV" is in the encoding of the system, Windows-1252 in most of Europe and America, which
nothing in a file says, but its bytes tell. Its "Unicode text" is in UTF-16 with a byte-order mark.
Texts of Chinese and Japanese have no blanks between their words.
"""

from __future__ import annotations

import codecs
import csv
import io
import re
from collections.abc import Iterable, Iterator
from itertools import islice, pairwise
from typing import NamedTuple

from mvcc._utils.messages import shown
from mvcc.exceptions import DataError, MvccError

UTF_8, UTF_16 = "utf-8-sig", "utf-16"  # by Python's names
_UTF_16_MARKS = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)
# what no text in Windows-1252 has: bytes without a meaning, and umlauts of UTF-8, Ã¤ for ä
_NOT_WINDOWS = re.compile(rb"[\x81\x8d\x8f\x90\x9d]|\xc3[\x80-\xbf]")
# what Excel writes above the names of columns, or wants to find there
DELIMITER_LINE = re.compile(r"sep=([,;\t|])\s*", re.IGNORECASE)
_QUOTED = r"'(?:[^'\\]|\\.)*'|\"(?:[^\"\\]|\\.)*\""
_ATTRIBUTE = re.compile(
    rf"@attribute\s+({_QUOTED}|[^\s{{'\"][^\s{{]*(?=[\s{{]))\s*(\S.*)", re.IGNORECASE
)
_UP_TO_COMMA = re.compile(rf"\s*+({_QUOTED}|[^,'\"]*+)\s*+(?:,|$)")
_UP_TO_BLANK = re.compile(rf"({_QUOTED}|[^\s'\"]++)(?:\s++|$)")
_SAVE_AS = "save the file as UTF-8"
_BINARY = "this is a binary file (or UTF-16), no text; save it as UTF-8."

_KATAKANA = "[ァ-ヺー-ヿｦ-ﾟ]+"
_UNBROKEN = re.compile(rf"{_KATAKANA}|[ぁ-ゖゝゞ々〆㐀-䶿一-鿿豈-\ufaff]+")

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


class Text(NamedTuple):
    """The text of a file, how it was encoded, and what was assumed of the file."""

    text: str
    encoding: str
    notes: list[str]


def assumed(encoding: str, path: str) -> list[str]:
    """Say that a file was taken to be in the encoding of some system, if it was."""
    if encoding not in NAMES:
        return []
    return [
        f"{path}: the file is not UTF-8 and was read as {NAMES[encoding]}, as Excel writes CSV. If"
        f" letters look wrong, {_SAVE_AS}."
    ]


def decoded(content: bytes, path: str, error: type[MvccError]) -> str:
    """Return a text that must be UTF-8, with or without a byte-order mark, or raise ``error``."""
    before, binary, _ = content.partition(b"\0")
    if binary:
        line = 1 + before.count(b"\n")
        raise error(f"{path}:{line}: {_BINARY}")
    try:
        return content.decode(UTF_8)
    except UnicodeDecodeError as bad:
        line = 1 + bad.object.count(b"\n", 0, bad.start)
        raise error(f"{path}:{line}: this is not UTF-8 text; {_SAVE_AS}.") from bad


def read_text(content: bytes, path: str, error: type[MvccError]) -> Text:
    """Return a text in UTF-8, UTF-16 with a mark, or the encoding of a system, or refuse it."""
    if b"\0" not in content and is_utf_8(content):
        return Text(content.decode(UTF_8), UTF_8, [])
    encoding = encoding_of(io.BytesIO(content).readlines(), path, error)
    try:
        text = content.decode(encoding)
    except UnicodeDecodeError as bad:
        raise error(f"{path}: this is not UTF-16 text; {_SAVE_AS}.") from bad
    if "\0" in text:
        raise error(f"{path}: {_BINARY}")
    return Text(text, encoding, assumed(encoding, path))


def delimiter_of(first: str, second: str = "") -> str:
    """Return what separates the values of a line: what it has most often, outside of quotes."""
    # `|` does if the second line has it as often, but not what else could be, or has it, too, and
    # nothing else can: names may list answers by it
    bare, below = (re.sub(r'"[^"]*"?', "", line) for line in (first, second))
    best = max(",;\t", key=bare.count)
    n, n_bars = bare.count(best), bare.count("|")
    # a comma that a blank follows is one of a name, unless as many recur below as bars, or more
    n_best, n_below = (len(re.findall(f"{best}(?! )", line)) for line in (bare, below))
    if n == below.count(best) and (n > n_bars or (n == n_bars and n_best == n_below)):
        return best
    is_bar = n_best < n_bars == below.count("|") and n_best != n_below
    return "|" if is_bar or (n_best == 0 < n_bars and "|" in second) else best


def records_of(
    text: str, path: str, error: type[MvccError], delimiter: str
) -> Iterator[tuple[int, list[str]]]:
    """Give the records of a CSV file that are not empty, with the line that each begins in."""
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, strict=True)
    line = 1
    try:
        for record in reader:
            if record:
                yield line, record
            line = reader.line_num + 1
    except csv.Error as bad:
        raise error(f"{path}:{line}: cannot be read as CSV: {bad}.") from bad


def encoding_of(lines: Iterable[bytes], path: str, error: type[MvccError]) -> str:
    """Return the encoding of the lines of a text, which may be read twice; as `read_text`."""
    first_bad = 0  # the number of the first line that is not UTF-8
    says_utf_8 = False
    for line_number, line in enumerate(lines, 1):
        if line_number == 1 and line.startswith(_UTF_16_MARKS):
            return UTF_16
        says_utf_8 |= line_number == 1 and line.startswith(codecs.BOM_UTF8)
        if b"\0" in line:
            raise error(f"{path}:{line_number}: {_BINARY}")
        if not first_bad and not line.isascii() and not is_utf_8(line):
            first_bad = line_number
    if not first_bad:
        return UTF_8
    if not says_utf_8 and (encoding := told_by_letters(lines)):
        return encoding
    if says_utf_8 or any(_NOT_WINDOWS.search(line) for line in lines):
        raise error(f"{path}:{first_bad}: this is not UTF-8 text; {_SAVE_AS}.")
    return WINDOWS


class Attribute(NamedTuple):
    """A column: its name, its type as it is written, and the line of the file."""

    name: str
    type: str
    line: int


def parse_arff(text: str, path: str) -> tuple[list[Attribute], list[list[str]], list[int]]:
    """Return the attributes of an ARFF file, the values of every row, and the line of each."""
    # commas or white space separate values; quotation marks around them are left out
    attributes: list[Attribute] = []
    rows: list[list[str]] = []
    lines: list[int] = []
    in_data = False
    for line_number, raw in enumerate(text.split("\n"), start=1):
        line = raw.strip()
        if not line or line.startswith("%"):
            continue
        if in_data:
            rows.append(_row(line, len(attributes), f"{path}:{line_number}"))
            lines.append(line_number)
            continue
        keyword = line.split(maxsplit=1)[0].lower()
        if attribute := _ATTRIBUTE.fullmatch(line):
            attributes.append(Attribute(_bare(attribute[1]), attribute[2], line_number))
        elif keyword == "@data":
            if not attributes:
                raise DataError(f"{path}:{line_number}: there is no @attribute before @data.")
            in_data = True
        elif keyword != "@relation":
            raise DataError(
                f"{path}:{line_number}: @relation, @attribute or @data is expected, not"
                f" {shown(line)}."
            )
    if not in_data:
        raise DataError(f"{path}: there is no @data; the ARFF file is incomplete.")
    return attributes, rows, lines


def nominal_values(attribute: Attribute) -> list[str]:
    """Return what a nominal attribute may be, in the order of the file, or nothing."""
    listed = re.fullmatch(r"\{(.*)\}", attribute.type)
    return (listed and _values(listed[1].strip())) or []


def _row(line: str, width: int, location: str) -> list[str]:
    values = _values(line)
    if values is None:
        raise DataError(
            f"{location}: a quotation mark is not closed, or text stands right beside one."
        )
    if len(values) != width:
        raise DataError(
            f"{location}: {len(values)} values instead of {width}; sparse rows are not read."
        )
    return values


def _values(line: str) -> list[str] | None:
    """Split a line into values; None where quotation marks are out of place."""
    if "'" not in line and '"' not in line:
        texts = line.split(",") if "," in line else line.split()
        return ["" if value.strip() == "?" else value.strip() for value in texts]
    up_to_end = _UP_TO_COMMA if "," in line else _UP_TO_BLANK
    values, position = [], 0
    while position <= len(line) and (value := up_to_end.match(line, position)):
        written = value[1].strip()
        values.append("" if written == "?" else _bare(written))
        if value.end() == len(line) and not value[0].endswith(","):
            return values
        position = value.end()
    return None


def _bare(text: str) -> str:
    """Return a text without its quotation marks."""
    return re.sub(r"\\(.)", r"\1", text[1:-1]) if text[:1] in ("'", '"') else text


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
