"""Every claim of the paper, put to the test on the results of finished experiments.

Imported by the command that needs it only, for it brings pandas and scipy along.
"""

from __future__ import annotations

from mvcc.reporting.claims._evaluate import Experiment, Scorecard, evaluate_claims
from mvcc.reporting.claims._files import beyond_to_markdown, to_json, to_markdown, write_markdown
from mvcc.reporting.claims._outcome import Outcome, Verdict
from mvcc.reporting.claims._scorecard import CLAIMS, Claim
from mvcc.reporting.claims._terminal import print_scorecard

__all__ = [
    "CLAIMS",
    "Claim",
    "Experiment",
    "Outcome",
    "Scorecard",
    "Verdict",
    "beyond_to_markdown",
    "evaluate_claims",
    "print_scorecard",
    "to_json",
    "to_markdown",
    "write_markdown",
]
