"""Every test reaches each of its verdicts, and for the right reason."""

from dataclasses import dataclass

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mvcc.reporting.claims._checks import (
    MIN_TRIALS,
    All,
    Beside,
    Level,
    Linear,
    Positive,
    Somewhere,
    Within,
)
from mvcc.reporting.claims._evidence import Evidence
from mvcc.reporting.claims._result import F_DIFFERENCE, PRECISION, SHARE, Side, Verdict
from mvcc.reporting.claims._sources import Rows, Together

NOTHING = Evidence(pd.DataFrame())
CP, DM = "constraint-propagation", "direct-mapping"
BETTER, UNDECIDED, REVERSED = Side.BETTER, Side.UNDECIDED, Side.REVERSED


@dataclass(frozen=True)
class Given:
    """A source that gives the table it is given: a column per cell, named "<data set> <base>"."""

    cells: dict
    rows: tuple = (Rows(CP),)

    def table(self, evidence):
        table = pd.DataFrame(self.cells)
        table.columns = pd.MultiIndex.from_tuples(
            [tuple(name.split()) for name in table], names=["dataset", "base"]
        )
        return table


def around(mean, trials=20, spread=0.01, seed=0):
    noise = np.random.default_rng(seed).normal(0, spread, trials)
    return mean + noise - noise.mean()


def sides(result):
    return [cell.side for cell in result.cells]


CLEAR = {"protein pck-means": around(0.1), "protein mpck-means": around(0.1, seed=1)}
UNCLEAR = {"rec_talk pck-means": around(0.0, seed=2)}
AGAINST = {"rec_talk mpck-means": around(-0.1, seed=3)}


def positive(cells, **how):
    return Positive(Given(cells), **how)(NOTHING)


@pytest.mark.parametrize(
    ("cells", "verdict", "expected"),
    [
        (CLEAR | UNCLEAR, Verdict.HOLDS, [BETTER, BETTER, UNDECIDED]),
        (CLEAR | AGAINST, Verdict.HOLDS_IN_PART, [BETTER, BETTER, REVERSED]),
        (UNCLEAR, Verdict.DOES_NOT_HOLD, [UNDECIDED]),
        (AGAINST, Verdict.DOES_NOT_HOLD, [REVERSED]),
        ({"protein pck-means": np.zeros(20)}, Verdict.DOES_NOT_HOLD, [UNDECIDED]),
    ],
    ids=["nothing against", "one against", "0", "-", "all zero"],
)
def test_positive_holds_where_nothing_is_against_it_in_part_or_not(cells, verdict, expected):
    result = positive(cells)
    assert (result.verdict, sides(result)) == (verdict, expected)
    assert [" ".join(dict(cell.place).values()) for cell in result.cells] == list(cells)
    assert result.effect.estimate.mean == pytest.approx(np.mean([*cells.values()]))


def test_a_few_large_differences_against_many_small_ones_decide_nothing():
    mixed = np.array([500.0, *-np.arange(1.0, 20.0)])
    result = positive({"protein mixed": mixed, **CLEAR})
    assert result.cells[0].p < 0.05
    assert result.cells[0].mean > 0
    assert result.cells[0].side is UNDECIDED


def test_no_rows_and_too_few_trials_of_a_data_set_are_not_enough_data():
    few = {"protein pck-means": around(0.1, MIN_TRIALS - 1)}
    result = positive(few)
    assert result.verdict is Verdict.NOT_ENOUGH_DATA
    assert result.details[0].startswith(f"Protein has {MIN_TRIALS - 1} of the {MIN_TRIALS} trials")
    none = Positive(Given({"protein pck-means": []}, (Rows(CP, study="views"),)))(NOTHING)
    assert none.verdict is Verdict.NOT_ENOUGH_DATA
    assert "mvcc run configs/views_<data set>.yaml" in none.details[0]
    lacking = np.where(np.arange(20) < MIN_TRIALS - 1, 0.1, np.nan)
    result = positive(CLEAR | {"rec_talk pck-means": lacking})
    assert result.verdict is Verdict.NOT_ENOUGH_DATA
    assert "Rec/Talk" in result.details[0]


def test_holm_looks_at_all_cells_of_the_claim():
    weak = {"protein pck-means": around(0.0055, spread=0.01)}
    assert sides(positive(weak)) == [BETTER]
    many = {f"rec_talk base-{i}": around(0.0, seed=i) for i in range(30)}
    assert sides(positive(weak | many))[0] is UNDECIDED


def test_excepted_cells_are_shown_and_not_judged():
    result = positive(CLEAR | AGAINST, excepted=lambda place: place["dataset"] == "rec_talk")
    assert result.verdict is Verdict.HOLDS
    assert [cell.side for cell in result.excepted] == [REVERSED]
    assert len(result.cells) == 2


@given(st.lists(st.floats(-0.3, 0.3), min_size=1, max_size=4), st.integers(0, 100))
def test_swapping_the_two_sides_flips_every_cell(means, seed):
    cells = {f"protein base-{i}": around(mean, 12, 0.05, seed + i) for i, mean in enumerate(means)}
    there = positive(cells)
    back = positive({name: -values for name, values in cells.items()})
    flipped = {BETTER: REVERSED, UNDECIDED: UNDECIDED, REVERSED: BETTER}
    assert sides(back) == [flipped[side] for side in sides(there)]
    assert back.effect.estimate.low == pytest.approx(-there.effect.estimate.high)
    assert not (there.verdict is back.verdict is Verdict.HOLDS)


def test_somewhere_needs_one_significant_cell_and_says_which():
    def somewhere(cells):
        return Somewhere(Positive(Given(cells)))(NOTHING)

    found = somewhere(UNCLEAR | CLEAR | AGAINST)
    assert found.verdict is Verdict.HOLDS
    assert "2 of 4 cells: Protein, PCK-Means" in found.details[-1]
    assert somewhere(UNCLEAR | AGAINST).verdict is Verdict.DOES_NOT_HOLD
    assert somewhere({"protein pck-means": []}).verdict is Verdict.NOT_ENOUGH_DATA


HIGH = {"protein pck-means": around(0.99, spread=0.002)}
HIGH |= {"protein mpck-means": around(0.995, spread=0.002)}
LOW = {"rec_talk pck-means": around(0.97, spread=0.002)}
BARELY_LOW = {"rec_talk pck-means": around(0.9799, spread=0.002)}


@pytest.mark.parametrize(
    ("cells", "verdict", "last"),
    [
        (HIGH, Verdict.HOLDS, BETTER),
        (HIGH | BARELY_LOW, Verdict.HOLDS, UNDECIDED),
        (HIGH | LOW, Verdict.HOLDS_IN_PART, REVERSED),
        (LOW, Verdict.DOES_NOT_HOLD, REVERSED),
    ],
)
def test_a_level_is_reached_everywhere_in_part_or_not(cells, verdict, last):
    below = {name: 1 - values for name, values in cells.items()}
    result = Level(Given(cells), PRECISION, at_least=0.98)(NOTHING)
    mirrored = Level(Given(below), SHARE, at_most=0.02)(NOTHING)
    assert result.verdict is mirrored.verdict is verdict
    assert result.cells[-1].side is last
    assert sides(mirrored) == sides(result)


def test_a_cell_with_values_in_few_trials_decides_nothing():
    rarely = np.where(np.arange(20) < 3, 0.5, np.nan)
    result = Level(Given(HIGH | {"protein other": rarely}), PRECISION, at_least=0.98)(NOTHING)
    assert result.cells[-1].side is UNDECIDED


@pytest.mark.parametrize(
    ("mean", "spread", "verdict", "side"),
    [
        (0.002, 0.005, Verdict.HOLDS, BETTER),
        (0.009, 0.01, Verdict.DOES_NOT_HOLD, UNDECIDED),
        (-0.03, 0.005, Verdict.DOES_NOT_HOLD, REVERSED),
    ],
)
def test_comparable_means_that_the_whole_interval_is_within_the_margin(mean, spread, verdict, side):
    cells = {"protein pck-means": around(mean, spread=spread)}
    result = Within(Given(cells), PRECISION, low=-0.01, high=0.01)(NOTHING)
    assert (result.verdict, sides(result)) == (verdict, [side])


def test_one_incomparable_cell_counts_among_many_and_a_margin_on_one_side_ignores_the_other():
    cells = {f"protein base-{i}": around(0, spread=0.001, seed=i) for i in range(9)}
    cells["protein odd"] = around(0.03, spread=0.001)
    result = Within(Given(cells), PRECISION, -0.01, 0.01)(NOTHING)
    assert result.verdict is Verdict.HOLDS_IN_PART
    assert result.count(REVERSED) == 1
    result = Within(Given({"protein pck-means": around(0.5)}), F_DIFFERENCE, low=-0.01)(NOTHING)
    assert result.verdict is Verdict.HOLDS


def curve_world(world, exponent):
    main = (world["study"] == "main") & (world["method"] == CP)
    world.loc[main, ["propagated_must_links", "propagated_cannot_links"]] = 0.0
    noise = 1 + 0.02 * np.sin(np.arange(len(world)))
    world.loc[main, "propagated_must_links"] = (world["n_constraints"] ** exponent * noise)[main]
    return world


@pytest.mark.parametrize(("exponent", "verdict"), [(1, Verdict.HOLDS), (3, Verdict.DOES_NOT_HOLD)])
def test_a_line_is_a_line_and_a_cubic_is_none(world, testify, exponent, verdict):
    check = Linear(Rows(CP), ("dataset", "base", "mapped"), "propagated", 0.95)
    result = check(testify(curve_world(world, exponent)))
    assert result.verdict is verdict
    assert set(sides(result)) == {BETTER if exponent == 1 else REVERSED}
    slopes = (f"from {exponent}.0", f"from {exponent - 1}.99")
    assert any(slope in result.details[0] for slope in slopes)


def test_a_line_with_a_single_number_above_zero_has_no_slope_and_two_points_test_none(
    world, testify
):
    check = Linear(Rows(CP), ("dataset", "base", "mapped"), "propagated", 0.95)
    world = curve_world(world, 1)
    none = (world["study"] == "main") & (world["n_constraints"] < 200)
    world.loc[none, "propagated_must_links"] = 0.0
    assert "the slopes range from 0.00 to 0.00" in check(testify(world)).details[0]
    two = world[world["n_constraints"].isin([10, 200])]
    assert check(testify(two)).verdict is Verdict.NOT_ENOUGH_DATA


def test_all_is_as_good_as_its_worst_part():
    good, part = Positive(Given(CLEAR)), Positive(Given(CLEAR | AGAINST))
    bad, lacking = Positive(Given(AGAINST)), Positive(Given({"protein pck-means": []}))
    assert All({"a": good, "b": good})(NOTHING).verdict is Verdict.HOLDS
    assert All({"a": good, "b": part})(NOTHING).verdict is Verdict.HOLDS_IN_PART
    assert All({"a": bad, "b": part})(NOTHING).verdict is Verdict.DOES_NOT_HOLD
    assert All({"a": bad, "b": lacking})(NOTHING).verdict is Verdict.NOT_ENOUGH_DATA
    assert len(All({"a": good, "b": part})(NOTHING).cells) == 5


def test_parts_of_one_measure_have_their_effect_together():
    parts = {"a": Given(CLEAR), "b": Given(AGAINST)}
    checks = {name: Positive(source) for name, source in parts.items()}
    first = All(checks)(NOTHING)
    pooled = All(checks, pooled=Positive(Together(parts)))(NOTHING)
    assert first.effect.estimate.mean == pytest.approx(0.1)
    assert pooled.effect.estimate.mean == pytest.approx(0.1 / 3)  # of all three cells
    assert (pooled.verdict, pooled.cells) == (first.verdict, first.cells)


def test_what_stands_beside_decides_nothing():
    plain = positive(CLEAR)
    result = Beside(Positive(Given(CLEAR)), "Also", Given(AGAINST), F_DIFFERENCE)(NOTHING)
    assert result.verdict is plain.verdict
    assert result.details[-1].startswith("Also: Rec/Talk −0.100")
