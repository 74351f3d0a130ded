"""``mvcc ask`` on a terminal, killed at any moment, goes on with what it confirmed."""

import random
import re
import time
from pathlib import Path

import pytest

from mvcc.tables import AskSession, load_job, read_inputs
from tests.tables.asking.pages import KINDS, kind_of, write_tables
from tests.tables.problems import read_csv
from tests.terminal import Terminal

QUESTIONS = 30  # of a session, before the next begins
PROMPT = "? why"
CONFIRMED = re.compile(r"You said “(\w+)” about ((?:texts|images):[ti]\d+);")
DERIVED = ("groups.csv", "texts.csv", "images.csv")


@pytest.fixture
def folder(tmp_path):
    """Texts and images of three kinds, half of which are the same object."""
    return write_tables(tmp_path).parent


def undisturbed(folder: Path) -> list[tuple[str, str]]:
    """Return all that is asked and answered without a kill, in the folder ``whole``."""
    job = load_job(folder / "cluster.yaml")
    with AskSession(job, read_inputs(job), folder / "whole") as session:
        for _ in range(QUESTIONS):
            (question,) = session.next()
            name, known = name_of(question.id), {group.name for group in session.groups}
            session.answer(question.id, name if name in known else f"new:{name}")
        return [(one.id, one.answer) for one in session.said]


def name_of(id: str) -> str:
    return kind_of(int(id.split(":")[1][1:]))


class Answering:
    """A person at a terminal, who answers by the true classes."""

    def __init__(self, terminal: Terminal) -> None:
        self.terminal, self.text = terminal, ""

    def card(self) -> str:
        """Wait for a card, and return it."""
        shown = plain(self.terminal.wait_for(PROMPT))
        self.text += shown
        return shown

    def answer(self, card: str) -> None:
        """Press the keys of the answer, the last of which stores it."""
        name = name_of(asked_about(card))
        keys = dict(re.findall(rf"^ (\d)  ({'|'.join(KINDS)}) \(", card, re.M))
        number = next((key for key, own in keys.items() if own == name), None)
        if number is None:
            self.terminal.press("n")
            self.text += self.terminal.wait_for("Esc: back): ")
        self.terminal.press(number or f"{name}\n")

    def kill(self) -> str:
        """Kill it, and return all that was shown."""
        self.terminal.process.kill()
        _, last = self.terminal.end()
        return self.text + plain(last)


def plain(shown: str) -> str:
    """Return what a terminal shows without styles."""
    return re.sub(r"\x1b\[[0-9;]*m", "", shown)


def asked_about(card: str) -> str:
    """Return the row that a card shows first, as "view:id"."""
    return ":".join(re.search(r"^(texts|images): ([ti]\d+)", card, re.M).groups())


def check_files(
    out: Path, expected: list[tuple[str, str]], confirmed: list[tuple[str, str]]
) -> int:
    """Check what a killed process has left; return how many answers are stored."""
    if not (out / "asked.csv").exists():
        assert not confirmed
        return 0
    for name in ("asked.csv", *DERIVED):
        content = (out / name).read_bytes() if (out / name).exists() else b"\n"
        assert content.endswith(b"\n"), f"{name} is half written"
    said = [(row["id"], row["answer"].removeprefix("new:")) for row in read_csv(out / "asked.csv")]
    assert said == expected[: len(said)], "the questions are those of an undisturbed session"
    assert confirmed == said[: len(confirmed)], "what was confirmed is stored"
    assert len(said) <= len(confirmed) + 1
    return len(said)


@pytest.mark.slow
@pytest.mark.parametrize("kills", [4, pytest.param(100, marks=pytest.mark.reliability)])
def test_a_terminal_that_is_killed_again_and_again_loses_no_answer(folder, tried, kills):
    moment, expected = random.Random(kills), undisturbed(folder)
    out, stored = folder / "asked0", 0
    for number in range(kills):
        if stored > QUESTIONS - 6:
            out, stored = folder / f"asked{number}", 0
        confirmed = expected[:stored]
        with Terminal(folder, "cluster.yaml", "--out", out.name) as terminal:
            person = Answering(terminal)
            if moment.random() < 0.2:
                time.sleep(moment.uniform(0, 4))  # while it starts, or reads what was said
            else:
                card = person.card()
                assert not list(out.glob(".*.part")), "the next start clears up"
                assert asked_about(card) == expected[stored][0]
                for _ in range(moment.randrange(4)):
                    person.answer(card)
                    card = person.card()
                person.answer(card)
                time.sleep(moment.uniform(0, 0.03))  # while it stores the answer
            shown = person.kill()
        assert "Traceback" not in shown
        confirmed += [(id, kind) for kind, id in CONFIRMED.findall(shown)]
        stored = check_files(out, expected, confirmed)
    with Terminal(folder, "cluster.yaml", "--out", out.name) as terminal:
        person = Answering(terminal)
        card = person.card()
        for _ in range(QUESTIONS - stored):
            person.answer(card)
            card = person.card()
        terminal.press("f")
        assert terminal.end()[0] == 0
    assert check_files(out, expected, expected) == QUESTIONS
    assert [path.name for path in out.glob(".*")] == [".mvcc-files"]
    for name in DERIVED:
        assert (out / name).read_bytes() == (folder / "whole" / name).read_bytes()
    tried("questions in a terminal killed by a signal", kills)
