"""How input is spoilt: values, rows, arrays, texts, bytes and trees of values."""

import json
import re
from copy import deepcopy

import numpy as np
from hypothesis import strategies as st

HUGE = (10**400, -(10**400), 2**63, 2**64, -(2**63) - 1)
ODD_FLOATS = (float("nan"), float("inf"), -float("inf"), -0.0, 1e308, -1e308, 5e-324, 0.5, 1e300)
ODD_TEXTS = (
    *("", " ", "\0", "\ud800", "\u202e", "a\nb", "x" * 5000),
    *"x nan 0 1e999 \x1b[31m é 𝔘 $^$ ../x %s {0}".split(" "),
)


class _Thing:
    """Nothing that anybody expects, under the same name in every process."""

    def __repr__(self):
        return "thing"


ODD_OBJECTS = (
    *(None, True, False, ..., int, slice(1), _Thing(), b"\xff", 1 + 2j),
    *([], {}, (), [[]], {"a": 1}, {1, 2}),
)
TYPES = (
    *(None, np.int8, np.uint64, np.float16, np.longdouble, complex, object, bool),
    *"U9 S3 M8[s] m8[s]".split(),
)

odd_numbers = st.sampled_from([*HUGE, *ODD_FLOATS, -1, 0, 1, 2**31, 10**18])
odd_objects = st.sampled_from(ODD_OBJECTS)
odd_values = odd_numbers | odd_objects | st.sampled_from(ODD_TEXTS)


@st.composite
def spoilt_rows(draw, rows, values=odd_values):
    """Spoil a list of rows: replace, add, drop or repeat values and rows."""
    rows = [list(row) for row in rows]
    for _ in range(draw(st.integers(1, 3))):
        if not rows:
            break
        at = draw(st.integers(0, len(rows) - 1))
        match draw(st.integers(0, 7)):
            case 0 | 1 | 2 if rows[at]:
                rows[at][draw(st.integers(0, len(rows[at]) - 1))] = draw(values)
            case 3:
                rows[at].append(draw(values))
            case 4:
                rows[at] = rows[at][:-1]
            case 5:
                rows.append(list(rows[at]))
            case 6:
                rows[at].reverse()
            case 7:
                del rows[at]
    return rows


def spoilt_list(values):
    """Spoil a list of single values."""
    return spoilt_rows([(value,) for value in values]).map(
        lambda rows: [row[0] if row else [] for row in rows]
    )


def any_array(lists):
    """Give lists as they are, as arrays of any type that they fit, or something else altogether."""
    return lists | st.builds(_converted, lists, st.sampled_from(TYPES)) | odd_values


def _converted(values, dtype):
    try:
        with np.errstate(all="ignore"):
            return np.array(values, dtype=dtype)
    except (TypeError, ValueError, OverflowError):
        return values


# ---- texts

_TOKENS = (
    *("", " ", "\t", "\n", "\r\n", "\r", "\x85", "\u2028", "x" * 5000, "9" * 5000),
    *(": ", "- ", "<<: ", "&a ", "!!python/object/apply:os.system ", "---\n", "...\n", "|\n"),
    *", ; ' \" \0 \x1b[31m \ud800 é 𝔘 \ufeff $^$ ? % { } [ ] # *a @data =1+1".split(" "),
    *"nan NaN inf -inf 1e999 -0 -1 0.5 1_000 1e308 0x1F ١٢ 10**400 null true None".split(" "),
)
_ELSEWHERE = [
    *((",", other) for other in (";", "\t")),
    *(("\n", other) for other in ("\r\n", "\r", "\n\n")),
    *(("  ", "\t"), (" ", "\xa0")),
]
_ENCODINGS = ("utf-8-sig", "utf-16", "utf-16-le", "utf-32", "latin-1", "cp037", "utf-7")
tokens = st.sampled_from(_TOKENS)


@st.composite
def spoilt_text(draw, text):
    """Spoil a text: cut it, drop, repeat or swap lines, put something else into words."""
    for _ in range(draw(st.integers(1, 3))):
        lines = text.splitlines(keepends=True) or [""]
        one, other = (draw(st.integers(0, len(lines) - 1)) for _ in range(2))
        match draw(st.integers(0, 8)):
            case 0:
                lines = [text[: draw(st.integers(0, len(text)))]]
            case 1:
                del lines[one]
            case 2:
                lines.insert(other, lines[one])
            case 3:
                lines[one], lines[other] = lines[other], lines[one]
            case 4:
                at = draw(st.integers(0, len(text)))
                lines = [text[:at], draw(tokens), text[at:]]
            case 5:
                lines = [text.replace(*draw(st.sampled_from(_ELSEWHERE)))]
            case _:
                words = re.split(r"([\s,:]+)", lines[one])
                words[draw(st.integers(0, len(words) - 1))] = draw(tokens)
                lines[one] = "".join(words)
        text = "".join(lines)
    return text


@st.composite
def spoilt_bytes(draw, text):
    """Spoil a text as ``spoilt_text`` does, and sometimes its encoding or single bytes."""
    content = draw(spoilt_text(text)).encode("utf-8", "surrogatepass")
    match draw(st.integers(0, 9)):
        case 0:
            content = content.decode("utf-8", "ignore").encode(
                draw(st.sampled_from(_ENCODINGS)), "replace"
            )
        case 1:
            at = draw(st.integers(0, len(content)))
            content = content[:at] + draw(st.binary(min_size=1, max_size=4)) + content[at:]
    return content


# ---- trees of values, as in YAML and JSON

_VALUES = (
    *(*HUGE, *ODD_FLOATS, *ODD_TEXTS),
    *(None, True, False, [], {}, [[]], {"a": 1}, [2, 1], -1, 0, 1, 10**9, 10**18),
)
_KEYS = ("method", "threshold", "trials", "a.b", *ODD_TEXTS)


def places(tree, path=()):
    """List the paths of all values inside a tree."""
    inside = (
        tree.items()
        if isinstance(tree, dict)
        else enumerate(tree)
        if isinstance(tree, list)
        else ()
    )
    return [
        place for key, value in inside for place in ((*path, key), *places(value, (*path, key)))
    ]


@st.composite
def spoilt_tree(draw, tree):
    """Spoil a tree: other values, nested, moved, repeated or left out, keys renamed."""
    tree = json.loads(json.dumps(tree))
    for _ in range(draw(st.integers(1, 3))):
        known = places(tree)
        if not known:
            break
        path = draw(st.sampled_from(known))
        section, key = _value(tree, path[:-1]), path[-1]
        value = section[key]
        match draw(st.integers(0, 9)):
            case 0 | 1 | 2 | 3:
                section[key] = deepcopy(draw(st.sampled_from(_VALUES)))  # it may be spoilt in turn
            case 4:
                section[key] = draw(
                    st.sampled_from([[value], {"a": value}, {str(key): value}, str(value)])
                )
            case 5:
                del section[key]
            case 6 if isinstance(section, dict):
                section[draw(st.sampled_from([f"{key}s", str(key).upper(), *_KEYS]))] = section.pop(
                    key
                )
            case 7 if isinstance(value, list):
                section[key] = draw(
                    st.sampled_from([value[::-1], value * 2, (value * 3000)[:3000]])
                )
            case 8 if isinstance(value, int | float):
                section[key] = draw(st.sampled_from([-value, value * 10**9]))
            case _:
                section[key] = json.loads(json.dumps(_value(tree, draw(st.sampled_from(known)))))
    return tree


def _value(tree, path):
    for step in path:
        tree = tree[step]
    return tree
