"""Questions in the terminal: cards, and single keys to answer them."""

from __future__ import annotations

import os
import select
import sys
from collections.abc import Callable, Iterable
from itertools import takewhile, zip_longest
from typing import Self

from rich.cells import cell_len
from rich.console import Console
from rich.table import Column, Table
from rich.text import Text

from mvcc._utils.messages import counted, percent
from mvcc.exceptions import MvccError
from mvcc.tables import AskSession, Card, ShownGroup, ShownRow

_NARROW = 80  # columns, below which rows are one below the other
_MOST_GROUPS = 9  # that have a key
_FIRST_GROUPS = 4
_LONGEST = 600  # characters of a value
_ESC = b"\x1b"
_SECONDS = 0.05  # within which the rest of a key arrives
_OTHER_KEYS = ("u unsure", "o fits nowhere", "p undo", "f finish", "l list", "? why")


def ask_in_terminal(session: AskSession, *, pairs: bool, single_keys: bool) -> None:
    """Ask until nothing is left or the person finishes.

    Every answer is stored before the next card.

    Parameters
    ----------
    session : AskSession
    pairs : bool
        Ask whether two are alike.
    single_keys : bool
        Keys work without Enter; else each is a line of standard input.
    """
    with _Keyboard() if single_keys else _Lines() as keyboard:
        _Dialog(session, keyboard).run(pairs)


class _Finished(Exception):
    """The person wants no more questions."""


class _Lines:
    """Standard input, where every key is a line."""

    after_prompt = "\n"

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        pass

    def key(self) -> str:
        """Return the next key."""
        return self.line()

    def line(self) -> str:
        """Return the next line; empty where Esc ended it."""
        sys.stdout.flush()
        line = sys.stdin.readline()
        if not line:
            raise _Finished
        return line.strip()


class _Keyboard(_Lines):
    """A terminal, whose keys work without Enter.

    What is typed ahead is kept, which click.getchar discards.
    """

    after_prompt = ""

    def __enter__(self) -> Self:
        import termios

        self._fd = sys.stdin.fileno()
        self._before = termios.tcgetattr(self._fd)
        self._by_key()
        return self

    def __exit__(self, *error: object) -> None:
        import termios

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
        import termios
        import tty

        tty.setcbreak(self._fd, termios.TCSADRAIN)

    def _by_line(self) -> None:
        import termios

        *flags, characters = self._before
        by_esc = [_ESC if place == termios.VEOL else one for place, one in enumerate(characters)]
        termios.tcsetattr(self._fd, termios.TCSADRAIN, [*flags, by_esc])


class _Dialog:
    def __init__(self, session: AskSession, keyboard: _Lines) -> None:
        self._session, self._keyboard = session, keyboard
        self._console = Console(highlight=False, markup=False, emoji=False)
        self._wanted: str | None = None  # the id of the question to ask next

    def run(self, pairs: bool) -> None:
        while (card := self._next_card()) is not None:
            try:
                self._ask_pairs(card) if pairs else self._ask_groups(card)
            except _Finished:
                return
        self._say("Nothing is left to ask.")

    def _next_card(self) -> Card | None:
        session = self._session
        questions = [session.question(self._wanted)] if self._wanted else session.next()
        self._wanted = None
        return session.card(questions[0]) if questions else None

    def _ask_groups(self, card: Card) -> None:
        self._show(card)
        first, n = 0, _FIRST_GROUPS
        self._show_groups(card.groups[:n], len(card.groups))
        more = ("m more groups",) if len(card.groups) > n else ()
        while True:
            offered = card.groups[first : first + n]
            key = self._key("n none of these" if offered else "n new group", *more)
            if key.isdigit() and 1 <= int(key) <= len(offered):
                done = self._answer(card, offered[int(key) - 1].name)
            elif key == "n":
                done = self._opens(card)
            elif key == "m" and more:
                first = 0 if n == _FIRST_GROUPS or first + n >= len(card.groups) else first + n
                n = _MOST_GROUPS
                self._show_groups(card.groups[first : first + n], len(card.groups))
                continue
            else:
                done = self._other(key, card)
            if done:
                return

    def _ask_pairs(self, card: Card) -> None:
        """Ask down the groups, the likeliest first, whether the row is like a member."""
        if not card.groups:
            self._answer(card, "new")
            return
        self._show(card, whole=False)
        for group in card.groups:
            if group.exemplars[0] == card.rows:  # alone in its group
                continue
            self._say(f"Are these two alike? {_clean(card.id)} and one of {_clean(group.name)}:")
            self._side_by_side(card.rows, group.exemplars[0])
            while (key := self._key("y yes", "n no")) != "n":
                if self._answer(card, group.name) if key == "y" else self._other(key, card):
                    return
        if not self._opens(card):
            self._wanted = card.id

    def _opens(self, card: Card) -> bool:
        name = self._line("Name of the new group (Enter or Esc: back)")
        known = name in {
            group.name for group in card.groups
        }  # one that was not shown, or overlooked
        return bool(name) and self._answer(card, name if known else f"new:{name}")

    def _answer(self, card: Card, answer: str) -> bool:
        """Store an answer; tell what came of it, or why it is refused."""

        def store() -> None:
            said = self._session.answer(card.id, answer, again=True)
            guess = ""
            if said.guessed:
                guess = "  It was the first guess."
            elif said.guessed is not None:
                guess = f"  The first guess was “{_clean(card.groups[0].name)}”."
            answered = said.answer if answer in ("unsure", "outlier") else f"“{said.answer}”"
            self._say(f"{_clean(said.id)}: {_clean(answered)}.{guess}")

        return self._done(store)

    def _other(self, key: str, card: Card) -> bool:
        """Do what a key says that names no group; return whether the card is through."""
        if key == "f":
            raise _Finished
        if key in ("u", "o"):
            return self._answer(card, "unsure" if key == "u" else "outlier")
        if key == "p":
            return self._done(self._undo)
        if key == "l":
            self._list(card)
            return True
        if key == "?":
            self._explain(card)
        else:
            self._say("There is no such key here.")
        return False

    def _undo(self) -> None:
        self._wanted = self._session.undo()
        self._say(f"Taken back: {_clean(self._wanted or 'what was done with the groups')}.")

    def _explain(self, card: Card) -> None:
        self._say_why(card)
        for near in self._session.nearest(self._session.question(card.id)):
            rows = [
                f"{row.id} ({row.group or 'no group'}{'' if row.answered else ', a guess'})"
                for row in near.rows
            ]
            self._say_all(map(_clean, (f"Near in {near.view}:", *(rows or ["nothing"]))), "  ")

    def _list(self, card: Card) -> None:
        """List what was said, and change it: one answer, or groups; then go on with the card."""
        session, said = self._session, self._session.said
        texts = (Column(overflow="fold"), Column(overflow="fold"))
        table = Table.grid(
            Column(justify="right", min_width=3, no_wrap=True), *texts, padding=(0, 2)
        )
        for number, one in enumerate(said, 1):
            table.add_row(str(number), *map(_clean, one))
        self._console.print(table)
        self._wanted = card.id
        chosen = self._line("A number to answer it again, m merge groups, r rename one, Enter back")
        if chosen in ("m", "r"):
            change, *prompts = {
                "m": (session.merge, "Group that stays", "Group that goes into it"),
                "r": (session.rename, "Group", "New name"),
            }[chosen]
            names = list(takewhile(bool, map(self._line, prompts)))  # without one, back
            if len(names) == len(prompts):
                self._done(lambda: change(*names))
        elif chosen.isdecimal() and 1 <= int(chosen) <= len(said):
            self._wanted = said[int(chosen) - 1][0]

    def _done(self, what: Callable[[], None]) -> bool:
        try:
            what()
        except MvccError as error:
            self._say(f"Refused: {_clean(str(error))}")
            return False
        return True

    def _show(self, card: Card, whole: bool = True) -> None:
        self._console.rule(style="dim")
        self._say_all(self._status(), " · ")
        if card.second_look:
            self._say(f"Once more: {_clean(card.second_look)}.")
        if whole:
            self._side_by_side(card.rows[::2], card.rows[1::2])
        self._say_why(card)

    def _say_why(self, card: Card) -> None:
        self._say(f"Asked, since it {_clean(card.why)}.", "dim")

    def _show_groups(self, groups: Iterable[ShownGroup], n: int) -> None:
        shown = list(groups)
        if not shown:
            self._say("No group is there yet; n opens the first.")
            return
        self._say(
            "Which of these is it"
            f" like?{f'  ({len(shown)} of {n} groups)' if n > len(shown) else ''}"
        )
        for number, group in enumerate(shown, 1):
            self._say(f" {number}  {_clean(group.name)} ({group.size})", "bold")
            for rows in group.exemplars:
                line = " | ".join(f"{row.id}: {_summary(row)}" for row in rows)
                self._console.print(
                    Text(f"    {_clean(line)}"), no_wrap=True, overflow="ellipsis", crop=True
                )

    def _side_by_side(self, left: Iterable[ShownRow], right: Iterable[ShownRow]) -> None:
        """Print rows beside each other, or one below the other where the terminal is narrow."""
        pairs = [[_described(row) for row in pair if row] for pair in zip_longest(left, right)]
        across = 1 if self._console.width < _NARROW else 2
        grid = Table.grid(expand=True, padding=(0, 2))
        for _ in range(across):
            grid.add_column(ratio=1, overflow="fold")
        for cells in pairs if across == 2 else [[cell] for pair in pairs for cell in pair]:
            grid.add_row(*cells)
        self._console.print(grid)

    def _status(self) -> list[str]:
        status = self._session.status
        parts = [f"{status.n_answers} answered", counted(status.n_groups, "group")]
        if status.moved is not None:
            parts.append(f"the last 10 answers moved {percent(status.moved)} of the rows")
        if status.n_answers:
            parts.append(
                f"guessed {status.guessed_of_last_ten} of your last {min(10, status.n_answers)}"
            )
        if status.settled:
            parts.append(f"k = {status.n_clusters_hint} is settled")
        return parts

    def _say_all(self, parts: Iterable[str], between: str) -> None:
        """Print parts dimly, and break lines only between them."""
        line, *others = parts
        for part in others:
            if cell_len(f"{line}{between}{part}") <= self._console.width:
                line += between + part
            else:
                self._say(line, "dim")
                line = part
        self._say(line, "dim")

    def _say(self, text: str, style: str = "") -> None:
        self._console.print(Text(text, style))

    def _key(self, *keys: str) -> str:
        self._say_all((*keys, *_OTHER_KEYS), "  ")
        return self._keyboard.key().lower()

    def _line(self, prompt: str) -> str:
        self._console.print(Text(f"{prompt}: "), end=self._keyboard.after_prompt)
        return self._keyboard.line()


def _described(row: ShownRow) -> Text:
    text = Text()
    text.append(_clean(f"{row.view}: {row.id}") + "\n", "bold")
    for image in row.images:
        text.append(f"image: {_clean(image)} (--browser shows it)\n")
    for column, value in row.values:
        cut = value if len(value) <= _LONGEST else f"{value[: _LONGEST - 1]}…"
        text.append(f"{_clean(column)}: {_clean(cut)}\n")
    width = min(20, max((len(_clean(column)) for column, _ in row.bars), default=0))
    for column, score in row.bars:
        bar = ("+" if score > 0 else "-") * min(10, round(2 * abs(score)))
        text.append(f"{_clean(column):{width}} {score:+.1f} {bar}\n")
    if row.bars:
        text.append("(standard deviations from the mean)\n", "dim")
    return text


def _summary(row: ShownRow) -> str:
    """Return what tells most of a row, in one line."""
    said = [value for _, value in row.values[:1]] or list(row.images[:1])
    return (
        said[0] if said else ", ".join(f"{column} {score:+.1f}" for column, score in row.bars[:2])
    )


def _clean(text: str) -> str:
    """Return a text without what a terminal would act on.

    Blanks for line breaks, escapes as they are written.
    """
    text = " ".join(text.split())
    return "".join(
        one if one.isprintable() else one.encode("unicode_escape").decode() for one in text
    )
