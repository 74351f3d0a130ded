"""Reads reasons as a person would.

Each step is looked up among what was given, and must go on where the last ended.
"""

import re
from dataclasses import dataclass
from math import inf

STEP = re.compile(
    r"(?P<one>\S+) (?:and (?P<judged>\S+) have a (?P<how>must-link|cannot-link)"
    r" \((?P<place>line \d+ of \S+)\)"
    r"|is matched with (?P<matched>[^\s,]+))|… (?P<more>\d+) more steps(?: \((?P<lines>.+?)\))? …"
)
NEAR = re.compile(r"(\S+) is near ([^\s,]+), ")
CLUSTERS = re.compile(r"because (\S+) and (\S+) are in (the same cluster|different clusters)")


@dataclass(frozen=True)
class Known:
    """What was given: kind and weight of the constraint at each line of a file, and which rows are
    matched.
    """

    judged: dict[str, tuple[frozenset[str], bool, float]]
    matched: set[frozenset[str]]

    @classmethod
    def of(cls, ids, constraints, relations):
        judged = {}
        for names, given in zip(ids, constraints, strict=True):
            listed = zip(
                given.pairs.tolist(), given.must_link.tolist(), given.weights.tolist(), strict=True
            )
            for place, ((i, j), must_link, weight) in enumerate(listed):
                judged[given.source_of(place)] = frozenset((names[i], names[j])), must_link, weight
        matched = {
            frozenset((ids[u][i], ids[v][j]))
            for (u, v), rows in relations.items()
            for i, j in rows.tolist()
        }
        return cls(judged, matched)


def nearness(because: str) -> tuple[list[tuple[str, str]], str]:
    """Return which rows are said to be near which, and the rest of a reason."""
    near, rest = [], because.removeprefix("because ")
    while said := NEAR.match(rest):
        near.append(said.groups())
        rest = rest[said.end() :]
    return near, rest


@dataclass
class Walk:
    """Where a chain of steps leads, over how many cannot-links, by which kinds of steps, and its
    weakest link.
    """

    start: str
    end: str
    n_apart: int = 0
    weight: float = inf
    kinds: str = ""  # j for a constraint, m for a match, … for steps that are not named


def walks(text: str, known: Known) -> list[Walk]:
    """Follow the steps of a reason.

    A step that does not go on from the one before begins another walk.
    """
    found: list[Walk] = []
    in_gap, position = False, 0
    while position < len(text):
        step = STEP.match(text, position)
        assert step, text[position:]
        if step["more"]:
            assert int(step["more"]) > 1, "a single step is named"
            for place in _places(step["lines"]):
                _, must_link, weight = known.judged[place]
                found[-1].n_apart += not must_link
                found[-1].weight = min(found[-1].weight, weight)
            found[-1].kinds += "…"
            in_gap = True
        else:
            one, other = step["one"], step["judged"] or step["matched"]
            if not found or not (in_gap or found[-1].end == one):
                found.append(Walk(one, one))
            _take(found[-1], step, frozenset((one, other)), known)
            found[-1].end, in_gap = other, False
        position = step.end() + len(", ")
    assert not in_gap
    return found


def _take(walk: Walk, step: re.Match[str], rows: frozenset[str], known: Known) -> None:
    if step["matched"]:
        assert rows in known.matched, step[0]
        walk.kinds += "m"
        return
    said, must_link, weight = known.judged[step["place"]]
    assert said == rows, step[0]
    assert must_link == (step["how"] == "must-link"), step[0]
    walk.n_apart += not must_link
    walk.weight = min(walk.weight, weight)
    walk.kinds += "j"


def _places(lines: str | None) -> list[str]:
    listed = re.findall(r"lines? ([\d, ]+) of ([^\s,]+)", lines or "")
    return [f"line {line} of {file}" for numbers, file in listed for line in numbers.split(", ")]


def implied(because: str, known: Known) -> tuple[str, str, bool, float]:
    """Return both ends of the only chain of a reason, whether it is a must-link, and what it
    weighs.
    """
    (walk,) = walks(because.removeprefix("because "), known)
    assert walk.n_apart <= 1, because
    return walk.start, walk.end, walk.n_apart == 0, 1.0 if walk.weight == inf else walk.weight
