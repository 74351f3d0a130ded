"""Cards of questions, as a terminal shows them."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import zip_longest

from rich.cells import cell_len
from rich.console import Console
from rich.table import Column, Table
from rich.text import Text

from mvcc._utils.messages import counted, padded, percent
from mvcc.tables import Card, GivenAnswer, ShownGroup, ShownRow, Status

_NARROW = 80  # columns, below which rows are one below the other
_LONGEST = 600  # characters of a value
_WIDEST = 24  # a column and its value beside a bar, in half of a terminal


class Screen:
    """Print cards, groups and messages; ids and values of tables do not act on the terminal."""

    def __init__(self) -> None:
        self._console = Console(highlight=False, markup=False, emoji=False)

    def show_card(self, card: Card, status: Status, whole: bool = True) -> None:
        """Print how far the session is, why a question is asked, and its rows if it is `whole`."""
        self._console.rule(style="dim")
        self.say_all(_in_words(status), " · ")
        if card.second_look:
            self.say(f"Once more: {clean(card.second_look)}.")
        elif card.said:
            self.say(f"You said {quoted(card.said)}.")
        if whole:
            self.side_by_side(card.rows[::2], card.rows[1::2])
        self.say_why(card)

    def say_why(self, card: Card) -> None:
        self.say(f"Asked because {clean(card.why)}.", "dim")

    def show_groups(self, groups: Iterable[ShownGroup], n: int) -> None:
        """Print some of n groups with the keys that choose them."""
        shown = list(groups)
        if not shown:
            self.say("No group is there yet; n opens the first.")
            return
        title = "Which of these is it like?"
        if n > len(shown):
            title += f"  ({len(shown)} of {n} groups)"
        self.say(title)
        for group in shown:
            self.say(f" {group.key:1}  {clean(group.name)} ({group.size})", "bold")
            for rows in group.exemplars:
                line = " | ".join(f"{row.id}: {_summary(row)}" for row in rows)
                self._console.print(
                    Text(f"    {clean(line)}"), no_wrap=True, overflow="ellipsis", crop=True
                )

    def side_by_side(self, left: Iterable[ShownRow], right: Iterable[ShownRow]) -> None:
        """Print rows beside each other, or one below the other where the terminal is narrow."""
        lines = [[_described(row) for row in pair if row] for pair in zip_longest(left, right)]
        across = 2
        if self._console.width < _NARROW:
            lines, across = [[cell] for line in lines for cell in line], 1
        grid = Table.grid(expand=True, padding=(0, 2))
        for _ in range(across):
            grid.add_column(ratio=1, overflow="fold")
        for cells in lines:
            grid.add_row(*cells)
        self._console.print(grid)

    def say_all(self, parts: Iterable[str], between: str) -> None:
        """Print parts dimly, and break lines only between them."""
        line, *others = parts
        for part in others:
            if cell_len(f"{line}{between}{part}") <= self._console.width:
                line += between + part
            else:
                self.say(line, "dim")
                line = part
        self.say(line, "dim")

    def say(self, text: str, style: str = "") -> None:
        self._console.print(Text(text, style))

    def show_list(self, answers: list[GivenAnswer]) -> None:
        number = Column(justify="right", min_width=3, no_wrap=True)
        table = Table.grid(number, *(Column(overflow="fold") for _ in range(3)), padding=(0, 2))
        for index, answer in enumerate(answers, 1):
            table.add_row(str(index), clean(answer.id), clean(answer.title), clean(answer.answer))
        self._console.print(table)

    def prompt(self, text: str, end: str) -> None:
        """Print what a line is asked for."""
        self._console.print(Text(f"{text}: "), end=end)


def _in_words(status: Status) -> list[str]:
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


def _described(row: ShownRow) -> Text:
    text = Text()
    text.append(clean(f"{row.view}: {row.id}") + "\n", "bold")
    for image in row.images:
        text.append(f"image: {clean(image)} (--browser shows it)\n")
    for column, value in row.values:
        cut = value if len(value) <= _LONGEST else f"{value[: _LONGEST - 1]}…"
        text.append(f"{clean(column)}: {clean(cut)}\n")
    if row.bars:
        values = padded([value for _, value, _ in row.bars])
        names = padded([clean(name) for name, *_ in row.bars], most=_WIDEST - len(values[0]))
        for name, value, (*_, score) in zip(names, values, row.bars, strict=True):
            rounded = f"{score:+.1f}"
            bar = rounded[0] * min(8, round(2 * abs(score)))
            text.append(f"{name} {value} {rounded} {bar}\n")
        text.append("(standard deviations from the mean)\n", "dim")
    return text


def _summary(row: ShownRow) -> str:
    """Return what tells most of a row, in one line."""
    bars = ", ".join(f"{column} {value}" for column, value, _ in row.bars[:2])
    return [*(value for _, value in row.values), *row.images, bars][0]


def quoted(answer: str) -> str:
    """Return an answer as a sentence has it."""
    words = {"unsure": "unsure", "outlier": "fits nowhere"}
    return words.get(answer) or f"“{clean(answer)}”"


def clean(text: str) -> str:
    """Return a text that no terminal acts on: in one line, with escapes written out."""
    text = " ".join(text.split())
    return "".join(
        char if char.isprintable() else char.encode("unicode_escape").decode() for char in text
    )
