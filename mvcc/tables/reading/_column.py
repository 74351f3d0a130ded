"""What became of a column of a table: what it is used as, how its cells are written, or why it is
left out.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from mvcc.tables._job import Kind


class Written(StrEnum):
    """How the cells of a column are written, in the words that say so."""

    PLAIN = ""
    MAILS = "mails without headers and signatures"
    IN_SECONDS = "in seconds"
    DECIMAL_COMMAS = "with decimal commas"
    COMMAS = "with commas for thousands"
    POINTS = "with points for thousands"
    SPACES = "with separators of thousands"
    TRUE_FALSE = "true is 1"
    YES_NO = "yes is 1"
    Y_N = "y is 1"
    WAHR_FALSCH = "wahr is 1"
    JA_NEIN = "ja is 1"
    J_N = "j is 1"
    VRAI_FAUX = "vrai is 1"
    OUI_NON = "oui is 1"
    SI_NO = "sí is 1"
    CROSSES = "x is 1"
    CHECKS = "✓ is 1"
    YEAR_MONTH_DAY = "year-month-day"
    YEAR_SLASHES = "year/month/day"
    YEAR_DOTS = "year.month.day"
    DAY_DASHES = "day-month-year"
    DAY_SLASHES = "day/month/year"
    DOTS = "day.month.year"
    MONTH_DASHES = "month-day-year"
    MONTH_SLASHES = "month/day/year"


TRUTH = {  # the words for 0 and 1
    Written.TRUE_FALSE: ("false", "true"),
    Written.YES_NO: ("no", "yes"),
    Written.Y_N: ("n", "y"),
    Written.WAHR_FALSCH: ("falsch", "wahr"),
    Written.JA_NEIN: ("nein", "ja"),
    Written.J_N: ("n", "j"),
    Written.VRAI_FAUX: ("faux", "vrai"),
    Written.OUI_NON: ("non", "oui"),
    Written.SI_NO: ("no", "sí"),
    Written.CROSSES: ("", "x"),
    Written.CHECKS: ("", "✓"),
}


class LeftOut(StrEnum):
    """Why a column is left out, in the words that say so."""

    NAMES_ROWS = "names the rows"
    AN_ID = "an id"
    BESIDE = "beside the array"
    CONSTANT = "constant"
    EMPTY = "empty"
    IGNORED = "ignored"
    IS_LABELS = "labels"
    LIKE_LABELS = "looks like labels"
    NOT_ASKED_FOR = "not asked for"
    PICTURES = "names of pictures"
    FILES = "names of files"
    NAMES = "names that hardly repeat"
    ROW_NUMBERS = "counts the rows"
    EXPORT_TIMES = "times of an export"
    REPEATS = "repeats another column"
    PADDED = "codes, since some begin with 0"
    POSTAL_CODES = "postal codes"
    PHONE_NUMBERS = "phone numbers"
    BARCODES = "barcodes"


@dataclass(frozen=True)
class Column:
    """What became of a column."""

    name: str
    kind: Kind | None  # what it is clustered as; None if it is left out
    n_missing: int = 0
    written: Written = Written.PLAIN
    unit: str = ""  # of all its numbers
    why: LeftOut | None = None  # it is left out
    remarks: tuple[str, ...] = ()  # what else must be known of it
    told: float = 0.0  # share of rows whose cluster it tells alone, if it may be a label
    examples: tuple[tuple[str, str], ...] = ()  # values as in the file, and as they are used

    @property
    def note(self) -> str:
        """Why the column is left out, or how it was read."""
        unit = f"in {self.unit}" if self.unit else ""
        told = "may be a label, since the clusters follow it" if self.told else ""
        return ", ".join(filter(None, (self.why, unit, self.written, *self.remarks, told)))

    def to_dict(self) -> dict[str, Any]:
        """Return the facts of the column."""
        return {
            "name": self.name,
            "kind": self.kind,
            "note": self.note,
            "n_missing": self.n_missing,
            "examples": [list(pair) for pair in self.examples],
        }

    def to_stored(self) -> dict[str, str | None]:
        """Return what new rows are read by, as a model holds it."""
        written = str(self.written)
        return {"name": self.name, "kind": self.kind, "written": written, "unit": self.unit}
