"""Whole sessions of questions by keys, tables, bodies of a page and programs, to be held again.

``python -m tests.tables.asking.replaying`` writes the files of each into the folder ``stored``.
"""

import io
import json
import re
import shutil
import sys
import tempfile
from contextlib import suppress
from itertools import count
from pathlib import Path
from unittest.mock import patch

from mvcc.exceptions import MvccError
from mvcc.tables import AskSession, load_job, read_inputs
from mvcc.tables.asking._pages import AskPage, Stale
from tests.command_line import mvcc
from tests.tables.asking.pages import kind_of, write_tables
from tests.tables.problems import answer_by, write_csv

STORED = Path(__file__).parent / "stored"
WHEN = "2026-11-25T00:00:00+00:00"
KEYS_OF_GROUPS = [*"lm", "harbor", "sea", *"lr", "street", "road", *"l1ulm", "g2", "g2"]
UNDO = {"id": "", "answer": "undo"}
SESSIONS = {
    "keys": [
        ("keys", *"n|harbor|n||n|street|1|u|o|p|1|2|?|N|harbor|x|f".split("|")),
        ("keys", *KEYS_OF_GROUPS, *"ppn", "sea", "n", "g1", "n", "new", "n", "x" * 201, *"p1f"),
    ],
    "pairs": [("pairs", "n", "n", "sea", *"ynonnpunn", "tree", "f")],
    "tables": [
        ("table", ("@0", "new:a"), ("@1", "new"), ("@2", "g1"), ("@3", "outlier"), ("", "undo"),
         ("@3", "unsure")),
        ("table", ("@0", "new:b"), ("@1", "c")),  # refused as a whole
        ("table", ("@0", "new:b"), ("a", "merge:b"), ("group 2", "rename:two"), ("@1", "two")),
        ("table", ("texts:t4", "two"), ("images:i4", "unsure")),  # one object
        ("table", ("", "undo"), ("any", "undo"), ("two", "rename:g9")),
        ("table", ("", "undo"), ("", "undo"), ("@5", "outlier"), ("@6", "new:last"),
         ("last", "merge:b")),
    ],
    "page": [
        ("page", {"answer": "new:harbor"}, {"answer": "new"}, {"answer": "g2"},
         {"answer": "outlier"}, UNDO, {"answer": "unsure"},
         {"id": "g2", "answer": "rename:street"}, {"answer": "g2", "version": 1},
         {"answer": "new:forest"}, {"id": "g3", "answer": "merge:g1"}, UNDO,
         {"id": "texts:t0", "answer": "g1"}, {"id": "images:i0", "answer": "street"},
         {"id": "images:i0", "answer": "street", "again": True}, {"answer": "g7"},
         {"id": "g1", "answer": "merge:g1"}, {"id": "g1", "answer": "rename:g1"},
         {"answer": "new:street"}, UNDO, UNDO, {"answer": "forest"}),
    ],
    "contradicted": [
        ("constraints", ("t0", "t3", "cannot-link"), ("t1", "t4", "must-link")),
        ("table", ("texts:t0", "new:a"), ("texts:t1", "new:b")),
        ("page", {"id": "texts:t3", "answer": "a"}, {"id": "texts:t4", "answer": "a"},
         {"id": "images:i4", "answer": "b"}, UNDO, {"id": "texts:t3", "answer": "new"}),
        ("table", ("texts:t6", "a"), ("texts:t3", "a")),
    ],
    "second looks": [("truly", 64, 6), ("keys", *"12n", "of its own", "f"), ("truly", 15, 100)],
    "moved": [("truly", 20, 3), ("page", {"id": "g2", "answer": "merge:g1"}, UNDO, UNDO,
                                 {"answer": "g1"}), ("truly", 21, 5)],
}  # fmt: skip


def hold(steps, folder: Path) -> None:
    """Hold a session about the tables of a folder, whose answers are in ``answers``."""
    config = write_tables(folder)
    for kind, *parts in steps:
        HOW[kind](config, parts)


def files_of(folder: Path) -> dict[str, str]:
    """Return the files of a folder of answers, without the times."""
    texts = {path.name: path.read_bytes().decode() for path in sorted(folder.glob("*.csv"))}
    return {
        name: re.sub(r"\d{4}-\d\d-\d\dT[\d:+]+$", WHEN, text, flags=re.M)
        for name, text in texts.items()
    }


def opened(config: Path) -> AskSession:
    job = load_job(config)
    return AskSession(job, read_inputs(job), config.parent / "answers")


def _by_keys(config, keys, *words):
    with patch.object(sys, "stdin", io.StringIO("".join(f"{key}\n" for key in keys))):
        return mvcc("ask", config.name, "--out", "answers", *words, cwd=config.parent)


def _by_pairs(config, keys):
    _by_keys(config, keys, "--pairs")


def _by_table(config, rows):
    ids = []
    if any(id.startswith("@") for id, _ in rows):
        told = json.loads(_by_keys(config, [], "--json", "-n", "9").stdout)
        ids = [question["id"] for question in told["questions"]]
    named = [(ids[int(id[1:])] if id.startswith("@") else id, answer) for id, answer in rows]
    write_csv(config.parent / "table.csv", [("id", "answer"), *named])
    _by_keys(config, [], "--answers", "table.csv")


def _by_page(config, requests):
    with opened(config) as session:
        state = AskPage(session, lambda status: ("Go on", "then"))
        for said in requests:
            now = state.now()
            here = {"id": now["card"]["id"], "version": now["status"]["version"]}
            with suppress(MvccError, Stale):
                state.say("answer", json.dumps(here | said).encode())


def _truly(config, parts):
    """Answer by the true kinds, but each so many-th wrongly."""
    n, wrong = parts
    numbers = count(1)

    def name_of(id):
        return kind_of(int(id.partition(":")[2][1:]) + (next(numbers) % wrong == 0))

    with opened(config) as session:
        answer_by(name_of, session, n)


def _constrained(config, pairs):
    write_csv(config.parent / "judged.csv", [("i", "j", "kind"), *pairs])
    config.write_text(config.read_text() + "constraints: {texts: judged.csv}\n")


HOW = {"keys": _by_keys, "pairs": _by_pairs, "table": _by_table, "page": _by_page, "truly": _truly,
       "constraints": _constrained}  # fmt: skip


def main() -> None:
    """Store all sessions."""
    for name, steps in SESSIONS.items():
        with tempfile.TemporaryDirectory() as folder:
            hold(steps, Path(folder))
            shutil.rmtree(STORED / name, ignore_errors=True)
            (STORED / name).mkdir(parents=True)
            for file, text in files_of(Path(folder) / "answers").items():
                (STORED / name / file).write_bytes(text.encode())


if __name__ == "__main__":
    main()
