"""How files of any format are damaged, also inside what is packed."""

import gzip
import io
import json
import random
import re
import zipfile

_WORDS = (
    *(b"", b" ", b"\t", b"\n", b"\r", b"9" * 400, b"x" * 5000, b"[" * 500, "é𝔘".encode()),
    *b", ; \" ' \0 \x1b[31m \xff \xed\xa0\x80 \\ud800 [ { } <x/> &a; ../x %s id label".split(b" "),
    *b"nan inf -inf 1e999 1e308 -0 -1 0.5 null true 2147483648 18446744073709551616".split(),
    *b"1048577 =1+1 9999-12-31 #N/A XFD1048576".split(),
)
_VALUES = (
    *(None, True, -1, 0, 1, 10**9, 10**18, 1e308, 0.5),
    *("", "x", "a\0b", "x" * 5000, [], {}, [[]]),
)
_NUMBER = re.compile(rb"-?\d+(\.\d+)?")
_WORD = re.compile(rb"[\w.\-]+")


def damaged(content: bytes, rng: random.Random) -> bytes:
    """Damage a file once to three times; of a packed one mostly what is in it."""
    for _ in range(rng.randint(1, 3)):
        if rng.random() < 0.8 and content[:2] == b"PK":
            content = _in_zip(content, rng)
        elif rng.random() < 0.8 and content[:2] == b"\x1f\x8b":
            content = _in_gzip(content, rng)
        elif rng.random() < 0.3 and content[:1] == b"{":
            content = _in_json(content, rng)
        else:
            content = _damaged(content, rng)
    return content


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
    at, key = tree, rng.choice([*tree] or [""])
    while (
        isinstance(at.get(key) if isinstance(at, dict) else at[key], dict | list)
        and rng.random() < 0.8
    ):
        inner = at[key]
        if not inner:
            break
        at, key = inner, rng.choice([*inner] if isinstance(inner, dict) else range(len(inner)))
    value = at.get(key) if isinstance(at, dict) else at[key]
    at[key] = rng.choice([*_VALUES, [value], {"a": value}])
    return json.dumps(tree).encode()


def _damaged(content: bytes, rng: random.Random) -> bytes:
    size = len(content)
    at, other = sorted(rng.randint(0, size) for _ in range(2))
    some = content[at : at + rng.choice([1, 2, 8, 100])]
    match rng.randrange(9):
        case 0 if size:
            at = rng.randrange(size)
            return content[:at] + bytes([content[at] ^ 1 << rng.randrange(8)]) + content[at + 1 :]
        case 1:
            return (
                content[:at]
                + bytes([rng.choice([0, 1, 0x7F, 0x80, 0xFF])]) * rng.choice([1, 4, 8])
                + content[at + 8 :]
            )
        case 2:
            return content[:at] if rng.random() < 0.3 else content[: at + 1] + content[at + 2 :]
        case 3:
            return content[:other] + some * rng.choice([1, 2, 50]) + content[other:]
        case 4:
            return content[:at] + rng.choice(_WORDS) + content[at:]
        case 5 if size < 10**6 and (found := [*_NUMBER.finditer(content)]):
            one = rng.choice(found)
            return content[: one.start()] + rng.choice(_WORDS) + content[one.end() :]
        case 6 if size < 10**6 and (found := [*_WORD.finditer(content)]):
            one, two = rng.choice(found), rng.choice(found)
            return content[: one.start()] + two[0] + content[one.end() :]
        case 7 if lines := content.splitlines(keepends=True):
            lines.insert(rng.randrange(len(lines)), lines[rng.randrange(len(lines))])
            return b"".join(lines)
        case _ if lines := content.splitlines(keepends=True):
            del lines[rng.randrange(len(lines))]
            return b"".join(lines)
    return content + rng.choice(_WORDS)
