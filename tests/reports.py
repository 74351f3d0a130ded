"""Reports of facts that a test has made or changed, and scorecards of few claims."""

import io
from unittest.mock import patch

from rich.console import Console

from mvcc.reporting import html
from mvcc.reporting.claims import CLAIMS, _scorecard, print_scorecard
from mvcc.results import parse_facts


def write_clustering_report(facts, path):
    """Write the report of facts, as ``clustering.json`` holds them."""
    html.write_clustering_report(parse_facts(facts), path)


def report_of(facts, folder):
    """Write the report of facts into a folder; return its text, with single spaces."""
    write_clustering_report(facts, folder / "report.html")
    return " ".join((folder / "report.html").read_text("utf-8").split())


def few_claims(*numbers):
    """Have no other claims of the paper tested, since each takes its time."""
    return patch.object(_scorecard, "CLAIMS", {number: CLAIMS[number] for number in numbers})


def printed(scorecard, **options):
    """Return what is printed of a scorecard on a terminal of 100 columns."""
    stream = io.StringIO()
    print_scorecard(scorecard, Console(file=stream, width=100, highlight=False, **options))
    return stream.getvalue()
