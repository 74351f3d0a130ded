"""Questions in the terminal: cards, and single keys to answer them."""

from __future__ import annotations

import os
import select
import sys
import termios
import tty
from collections.abc import Callable
from contextlib import closing
from itertools import chain, cycle, takewhile

from mvcc.cli._ask_cards import Screen, clean, quoted
from mvcc.exceptions import MvccError
from mvcc.multiview import MERGE, RENAME
from mvcc.tables import AskSession, Card, NearRow

_ESC = b"\x1b"
_SECONDS = 0.05  # within which the rest of a key arrives
_MOST_GROUPS = 9  # shown at once
_FIRST_GROUPS = 4
_SAYS = {"u": "unsure", "o": "outlier"}
_PROMPTS = {"m": ("Group that stays", "Group that goes into it"), "r": ("Group", "New name")}
_OTHER_KEYS = ("u unsure", "o fits nowhere", "p undo", "f finish", "l list", "? why")


class _Finished(Exception):
    """The person wants no more questions."""


class _Lines:
    """Standard input, where every key is a line."""

    after_prompt = "\n"

    def key(self) -> str:
        return self.line()

    def line(self) -> str:
        """Return the next line; empty where Esc ended it."""
        sys.stdout.flush()
        line = sys.stdin.readline() if sys.stdin else ""  # None where it is closed
        if not line:
            raise _Finished
        return line.strip()


class _Keyboard(_Lines):
    """A terminal, whose keys work without Enter.

    Keys that are typed ahead are kept, and Esc is a key of its own at once. click.getchar and
    readchar discard the former and wait for another key after the latter.
    """

    after_prompt = ""

    def __init__(self) -> None:
        self._fd = sys.stdin.fileno()
        self._before = termios.tcgetattr(self._fd)
        self._by_key()

    def close(self) -> None:
        termios.tcsetattr(self._fd, termios.TCSADRAIN, self._before)

    def key(self) -> str:
        sys.stdout.flush()
        key = self._byte()
        if key == _ESC:
            self._rest_of_key()
        return key.decode("ascii", "replace")

    def line(self) -> str:
        self._by_line()
        typed, byte = b"", b""
        try:
            while byte not in (b"\n", _ESC):
                typed += byte
                byte = self._byte()
        finally:
            self._by_key()
        if byte == _ESC:
            self._rest_of_key()
            print()  # what is shown next is not beside the name
            return ""
        return typed.decode(errors="replace").strip()

    def _rest_of_key(self) -> None:
        """Take the rest of a key, such as an arrow, that begins as Esc does."""
        if select.select([self._fd], [], [], _SECONDS)[0] and self._byte() in (b"[", b"O"):
            while not b"@" <= self._byte() <= b"~":
                pass

    def _byte(self) -> bytes:
        byte = os.read(self._fd, 1)
        if byte in (b"", b"\x04"):  # Ctrl-D
            raise _Finished
        return byte

    def _by_key(self) -> None:
        tty.setcbreak(self._fd, termios.TCSADRAIN)

    def _by_line(self) -> None:
        *flags, characters = self._before
        characters = [*characters]
        characters[termios.VEOL] = _ESC  # a second key that ends a line
        termios.tcsetattr(self._fd, termios.TCSADRAIN, [*flags, characters])


def ask_in_terminal(session: AskSession, *, pairs: bool, single_keys: bool) -> None:
    """Ask until nothing is left or the person finishes; each answer is stored at once.

    `pairs` asks whether two are alike. With `single_keys`, keys work without Enter; else each is a
    line of standard input.
    """
    if not single_keys:
        _Dialog(session, _Lines()).run(pairs)
        return
    with closing(_Keyboard()) as keyboard:
        _Dialog(session, keyboard).run(pairs)


class _Dialog:
    def __init__(self, session: AskSession, keyboard: _Lines) -> None:
        self._session, self._keyboard = session, keyboard
        self._screen = Screen()
        self._wanted: str | None = None  # the id of the question to ask next

    def run(self, pairs: bool) -> None:
        while (card := self._next_card()) is not None:
            try:
                if pairs:
                    self._ask_pairs(card)
                else:
                    self._ask_groups(card)
            except _Finished:
                return
        self._screen.say("Nothing is left to ask.")

    def _next_card(self) -> Card | None:
        session, wanted = self._session, self._wanted
        self._wanted = None
        if wanted:
            return session.card(session.question(wanted))
        return next(map(session.card, session.next()), None)

    def _ask_groups(self, card: Card) -> None:
        groups = card.groups
        self._screen.show_card(card, self._session.status)
        starts = range(0, len(groups), _MOST_GROUPS)
        pages = chain(
            [groups[:_FIRST_GROUPS]],
            cycle(groups[start : start + _MOST_GROUPS] for start in starts),
        )
        self._screen.show_groups(next(pages), len(groups))
        keys = ["n none of these"]
        if not groups:
            keys = ["n new group"]
        elif len(groups) > _FIRST_GROUPS:
            keys.append("m more groups")
        says = {group.key: group.name for group in groups if group.key}  # also if it is not shown
        while True:
            key = self._key(*keys)
            if key == "m" and len(groups) > _FIRST_GROUPS:
                self._screen.show_groups(next(pages), len(groups))
            elif key == "n":
                if self._opens(card):
                    return
            elif self._does(key, card, says):
                return

    def _ask_pairs(self, card: Card) -> None:
        """Ask down the groups, the likeliest first, whether the row is like a member."""
        if not card.groups:
            self._answer(card, "new")
            return
        self._screen.show_card(card, self._session.status, whole=False)
        for group in card.groups:
            if group.exemplars[0] == card.rows:  # alone in its group
                continue
            self._screen.say(
                f"Are these two alike? {clean(card.id)} and one of {clean(group.name)}:"
            )
            self._screen.side_by_side(card.rows, group.exemplars[0])
            while (key := self._key("y yes", "n no")) != "n":
                if self._does(key, card, {"y": group.name}):
                    return
        if not self._opens(card):
            self._wanted = card.id

    def _opens(self, card: Card) -> bool:
        name = self._line("Name of the new group (Enter or Esc: back)")
        if not name:
            return False
        if name in {group.name for group in card.groups}:  # it was not shown, or overlooked
            return self._answer(card, name)
        return self._answer(card, f"new:{name}")

    def _answer(self, card: Card, answer: str) -> bool:
        """Store an answer; tell what came of it, or why it is refused."""

        def store() -> None:
            line = self._session.answer(card.id, answer, again=True)
            guess = ""
            if line.guessed:
                guess = "\nIt was the first guess."
            elif line.guessed is not None:
                guess = f"\nThe first guess was “{clean(card.groups[0].name)}”."
            said = f"You said {quoted(line.says)} about {clean(line.id)}; p takes it back."
            self._screen.say(f"{said}{guess}")

        return self._done(store)

    def _does(self, key: str, card: Card, says: dict[str, str]) -> bool:
        """Do what a key says, of which some are answers; return whether the card is through."""
        answers = _SAYS | says
        if key in answers:
            return self._answer(card, answers[key])
        if key == "f":
            raise _Finished
        if key == "p":
            return self._done(self._undo)
        if key == "l":
            self._list(card)
            return True
        if key == "?":
            self._explain(card)
        else:
            self._screen.say("There is no such key here.")
        return False

    def _undo(self) -> None:
        self._wanted = self._session.undo()
        self._screen.say(f"Taken back: {clean(self._wanted or 'what was done with the groups')}.")

    def _explain(self, card: Card) -> None:
        self._screen.say_why(card)
        near = self._session.nearest(self._session.question(card.id))
        for view, rows in near.items():
            neighbors = list(map(_near, rows)) or ["nothing"]
            self._screen.say_all(map(clean, (f"Near in {view}:", *neighbors)), "  ")

    def _list(self, card: Card) -> None:
        """List what was said, and change it: one answer, or groups; then go on with the card."""
        session, said = self._session, self._session.said
        self._screen.show_list(said)
        self._wanted = card.id
        chosen = self._line("A number to answer it again, m merge groups, r rename one, Enter back")
        if chosen in ("m", "r"):
            names = list(takewhile(bool, map(self._line, _PROMPTS[chosen])))  # without one, back
            if len(names) == 2:
                first, second = names
                line = {"m": (second, f"{MERGE}{first}"), "r": (first, f"{RENAME}{second}")}[chosen]
                self._done(lambda: session.record([line]))
        elif chosen.isdecimal() and 1 <= int(chosen) <= len(said):
            self._wanted = said[int(chosen) - 1].id

    def _done(self, action: Callable[[], object]) -> bool:
        try:
            action()
        except MvccError as error:
            self._screen.say(f"Refused: {clean(str(error))}")
            return False
        return True

    def _key(self, *keys: str) -> str:
        self._screen.say_all((*keys, *_OTHER_KEYS), "  ")
        return self._keyboard.key().lower()

    def _line(self, prompt: str) -> str:
        self._screen.prompt(prompt, self._keyboard.after_prompt)
        return self._keyboard.line()


def _near(row: NearRow) -> str:
    group = row.group or "no group"
    if not row.answered:
        group += ", a guess"
    return f"{f'{row.id} {row.title}'.strip()} ({group})"
