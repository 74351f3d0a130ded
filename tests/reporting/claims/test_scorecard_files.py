"""The scorecard is written for people and for machines, and both say the same."""

import json
from dataclasses import replace

import pytest
from rich.text import Text

from mvcc.reporting.claims import CLAIMS, Verdict, to_json, to_markdown, write_markdown
from mvcc.reporting.claims._result import F_DIFFERENCE, SHARE, write_p, write_place
from mvcc.reporting.claims._scorecard import Scorecard, evaluate
from tests.reports import printed

CP, DM = "constraint-propagation", "direct-mapping"


@pytest.fixture(scope="module")
def scorecard(whole_world, testify) -> Scorecard:
    """Turn one cell of Protein against the paper, without most studies."""
    small = whole_world.query(
        "study in ['main', 'closure'] and experiment == 'multi-view'"
        " and dataset in ['protein', 'rec_talk']"
    )
    cell = small.eval(
        "study == 'main' and dataset == 'protein' and base == 'mpck-means' and method == @CP"
        " and mapped == 0.4 and n_constraints == 50"
    )
    return evaluate(testify(small.assign(f_measure=small["f_measure"] - 0.1 * cell)))


def test_the_table_fits_into_100_columns_and_color_says_nothing_that_words_do_not(scorecard):
    text = printed(scorecard)
    assert max(map(len, text.splitlines())) <= 100
    assert "\x1b" not in text
    assert "…" not in text  # nothing is cut
    for verdict in ("holds", "holds in part", "not enough data"):
        assert verdict in text
    colored = printed(scorecard, force_terminal=True, color_system="standard")
    assert "\x1b" in colored
    assert Text.from_ansi(colored).plain.split() == text.split()


def test_one_claim_holds_and_several_hold(scorecard):
    rows = [row for row in scorecard.rows if row.result.verdict == Verdict.HOLDS]
    assert "2 claims: 2 hold. " in to_markdown(replace(scorecard, rows=rows[:2]))
    assert "1 claim: 1 holds. " in to_markdown(replace(scorecard, rows=rows[:1]))


def test_the_page_names_the_reversed_cell(scorecard):
    page = to_markdown(scorecard)
    paragraph = page.split("### 3. ")[1].split("###")[0]
    assert paragraph.startswith("CP beats Direct Mapping: holds in part")
    cell = "Protein, MPCK-Means, 40% mapped, n = 50: −0.0"
    assert f"**Reversed in 1 of 48 cells:**\n  - {cell}" in paragraph
    for claim in CLAIMS.values():
        assert claim.says in page
        assert claim.test in page


def test_the_page_is_the_same_for_the_same_results(scorecard, tmp_path):
    (path,) = write_markdown(scorecard, tmp_path)
    first = path.read_bytes()
    assert path == tmp_path / "claims.md"
    assert write_markdown(scorecard, tmp_path) == [path]
    assert path.read_bytes() == first
    assert {path.name for path in tmp_path.iterdir()} == {"claims.md", ".mvcc-files"}


def test_the_data_hold_every_cell_and_are_valid_json(scorecard):
    data = json.loads(json.dumps(to_json(scorecard), allow_nan=False))
    third = data["claims"][2]
    assert third["number"] == 3
    assert third["verdict"] == "holds in part"
    assert len(third["cells"]) == sum(third["counts"].values()) == 48
    numbers = [cell["n_constraints"] for cell in third["cells"] if cell["side"] == "reversed"]
    assert numbers == [50]
    assert third["effect"]["low"] < third["effect"]["mean"] < third["effect"]["high"]
    assert set(data["readings"]) == {"full", "view", "none", "own"}
    assert [claim["number"] for claim in data["readings"]["own"]["claims"]] == list(range(1, 13))
    assert {"study": "main", "dataset": "protein", "trials": 12} in data["experiments"]
    assert sum(data["verdicts"].values()) == len(CLAIMS)


def test_a_share_is_written_as_what_a_share_can_be():
    assert [SHARE.write(value) for value in (-0.02, 0.5, 1.01)] == ["0.0%", "50.0%", "100.0%"]
    differences = [F_DIFFERENCE.write(value) for value in (-0.0001, -0.5, 0.25)]
    assert differences == ["+0.000", "−0.500", "+0.250"]


def test_places_and_p_values_read_well():
    place = {"dataset": "letters_digits", "view": "digits"}
    place |= {"base": "pck-means", "kind": "must-link"}
    said = "Letters/Digits (digits), PCK-Means, must-links"
    assert write_place(tuple(place.items())) == said
    place = {"dataset": "protein", "mapped": 0.4, "against": DM, "rewired": 0.25}
    said = "Protein, 40% mapped, against Direct Mapping, 25% rewired, n = 50"
    assert write_place((*place.items(), ("n_constraints", 50.0))) == said
    written = [write_p(p) for p in (None, 0.0, 0.0009, 0.0412, 1.0)]
    assert written == ["–", "< 0.001", "< 0.001", "0.041", "1.000"]
