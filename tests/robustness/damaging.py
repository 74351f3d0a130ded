"""How files of any format are damaged, also inside what is packed."""

import gzip
import io
import json
import random
import re
import zipfile
from copy import deepcopy

HUGE = (10**400, -(10**400), 2**63, 2**64, -(2**63) - 1)
ODD_FLOATS = (float("nan"), float("inf"), -float("inf"), -0.0, 1e308, -1e308, 5e-324, 0.5, 1e300)
ODD_TEXTS = (
    *("", " ", "\0", "a\0b", "\ud800", "\u202e", "a\nb", "x" * 5000),
    *"x nan 0 1e999 \x1b[31m é 𝔘 $^$ ../x %s {0}".split(" "),
)
WORDS = (
    *("", " ", "\t", "\n", "\r\n", "\r", "\x85", "\u2028"),
    *("9" * 400, "9" * 5000, "x" * 5000, "[" * 500),
    *(": ", "- ", "<<: ", "&a ", "!!python/object/apply:os.system ", "---\n", "...\n", "|\n"),
    *", ; ' \" \0 \\ \x1b[31m \ud800 \\ud800 é 𝔘 \ufeff $^$ ? % %s { } [ ] # *a @data".split(" "),
    *"nan NaN inf -inf 1e999 1e308 -0 -1 0.5 1_000 0x1F ١٢ 10**400 null true None".split(),
    *"2147483648 18446744073709551616 1048577 9999-12-31 #N/A XFD1048576 =1+1".split(),
    *"<x/> </script> <b> {{7*7}} &a; ../x id label words NA =cmd() \u202e 5e-324".split(),
)
_VALUES = (
    *(*HUGE, *ODD_FLOATS, *ODD_TEXTS),
    *(None, True, False, [], {}, [[]], {"a": 1}, [2, 1], -1, 0, 1, 10**9, 10**18),
)
_KEYS = ("method", "threshold", "trials", "a.b", *ODD_TEXTS)
_ELSEWHERE = (
    *((b",", b";"), (b",", b"\t"), (b"\n", b"\r\n"), (b"\n", b"\r"), (b"\n", b"\n\n")),
    *((b"  ", b"\t"), (b" ", "\xa0".encode())),
)
_ENCODINGS = ("utf-8-sig", "utf-16", "utf-16-le", "utf-32", "latin-1", "cp037", "utf-7")
_NUMBER = re.compile(rb"-?\d+(\.\d+)?")
_WORD = re.compile(rb"[\w.\-]+")


def damaged(content: bytes, rng: random.Random) -> bytes:
    """Damage a file once to three times; of a packed one mostly what is in it."""
    for _ in range(rng.randint(1, 3)):
        if rng.random() < 0.8 and content[:2] == b"PK":
            content = _in_zip(content, rng)
        elif rng.random() < 0.8 and content[:2] == b"\x1f\x8b":
            content = _in_gzip(content, rng)
        elif rng.random() < 0.5 and content[:1] == b"{":
            content = _in_json(content, rng)
        else:
            content = _damaged(content, rng)
    return content


def damaged_tree(tree: object, rng: random.Random) -> object:
    """Damage a tree of values, as in YAML, once to three times."""
    tree = deepcopy(tree)
    for _ in range(rng.randint(1, 3)):
        _damage_tree(tree, rng)
    return tree


def _in_zip(content: bytes, rng: random.Random) -> bytes:
    try:
        with zipfile.ZipFile(io.BytesIO(content)) as archive:
            members = {name: archive.read(name) for name in archive.namelist()}
    except Exception:  # it is damaged already, in whatever way
        return _damaged(content, rng)
    packed = io.BytesIO()
    chosen = rng.choice([*members, ""])
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, member in members.items():
            if name != chosen:
                archive.writestr(name, member)
            elif rng.random() < 0.9:  # else it is left out
                archive.writestr(name, _damaged(member, rng))
    return packed.getvalue()


def _in_gzip(content: bytes, rng: random.Random) -> bytes:
    try:
        text = gzip.decompress(content)
    except Exception:  # as above
        return _damaged(content, rng)
    return gzip.compress(_damaged(text, rng), 1, mtime=0)


def _in_json(content: bytes, rng: random.Random) -> bytes:
    try:
        tree = json.loads(content)
    except ValueError:
        return _damaged(content, rng)
    _damage_tree(tree, rng)
    return json.dumps(tree).encode()


def _damage_tree(tree, rng: random.Random) -> None:
    """Change, wrap, move, repeat or leave out a value of a tree, or rename its key."""
    if not tree:
        return
    section, key = _place(tree, rng)
    value = section[key]
    match rng.randrange(10):
        case 0:
            del section[key]
        case 1 if isinstance(section, dict):
            section[rng.choice([f"{key}s", key.upper(), *_KEYS])] = section.pop(key)
        case 2 if isinstance(value, list):
            section[key] = rng.choice([value[::-1], value * 2, (value * 3000)[:3000]])
        case 3 if isinstance(value, int | float):
            section[key] = rng.choice([-value, value * 10**9])
        case 4:
            section[key] = rng.choice([[value], {"a": value}, str(value)])
        case 5:
            other, place = _place(tree, rng)
            section[key] = deepcopy(other[place])
        case _:
            section[key] = deepcopy(rng.choice(_VALUES))  # it may be damaged in turn


def _place(tree, rng: random.Random) -> tuple:
    """Choose a section of a tree and a key in it, mostly deep ones."""
    section, key = tree, rng.choice(_keys(tree))
    while isinstance(section[key], dict | list) and section[key] and rng.random() < 0.8:
        section = section[key]
        key = rng.choice(_keys(section))
    return section, key


def _keys(section):
    return list(section) if isinstance(section, dict) else range(len(section))


def _damaged(content: bytes, rng: random.Random) -> bytes:
    size = len(content)
    at, other = sorted(rng.randint(0, size) for _ in range(2))
    some = content[at : at + rng.choice([1, 2, 8, 100])]
    word = rng.choice(WORDS).encode("utf-8", "surrogatepass")
    lines = content.splitlines(keepends=True)
    one, two = (rng.randrange(len(lines) or 1) for _ in range(2))
    match rng.randrange(13):
        case 0 if size:
            at = rng.randrange(size)
            return content[:at] + bytes([content[at] ^ 1 << rng.randrange(8)]) + content[at + 1 :]
        case 1:
            same = bytes([rng.choice([0, 1, 0x7F, 0x80, 0xFF])]) * rng.choice([1, 4, 8])
            return content[:at] + same + content[at + 8 :]
        case 2:
            return content[:at] if rng.random() < 0.3 else content[: at + 1] + content[at + 2 :]
        case 3:
            return content[:other] + some * rng.choice([1, 2, 50]) + content[other:]
        case 4:
            return content[:at] + word + content[at:]
        case 5 | 6 if size < 10**6 and (found := [*rng.choice([_NUMBER, _WORD]).finditer(content)]):
            place = rng.choice(found)
            return content[: place.start()] + word + content[place.end() :]
        case 7 if size < 10**6 and (found := [*_WORD.finditer(content)]):
            place, source = rng.choice(found), rng.choice(found)
            return content[: place.start()] + source[0] + content[place.end() :]
        case 8:
            return content.replace(*rng.choice(_ELSEWHERE))
        case 9:
            encoding = rng.choice(_ENCODINGS)
            return content.decode("utf-8", "ignore").encode(encoding, "replace")
        case 10 if lines:
            lines.insert(one, lines[two])
        case 11 if lines:
            lines[one], lines[two] = lines[two], lines[one]
        case _ if lines:
            del lines[one]
        case _:
            return content + word
    return b"".join(lines)
