"""The page on reliability says how often each promise was really tried."""

import csv
from pathlib import Path

ROOT = Path(__file__).parents[1]


def test_the_page_has_the_counts_of_the_tests():
    page = (ROOT / "docs" / "reliability.md").read_text("utf-8")
    with open(ROOT / "results" / "reliability.csv", encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    assert len(rows) >= 10
    for row in rows:
        assert f"| {row['tried']} | {int(row['times']):,} |" in page
