"""Tables of constraints are right: each comes from the one it names, for the reason it gives."""

from itertools import pairwise

import numpy as np

from mvcc.constraints._constraints import Constraints
from mvcc.multiview.co_em import _methods as methods
from mvcc.multiview.co_em._transfer import DirectMapping
from mvcc.tables import cluster_job, load_job
from mvcc.tables.fitting._chains import Reasons, without_loops
from tests.reports import write_clustering_report
from tests.tables.problems import by_co_em, write_csv, write_problem


def judged_in_a_row(ids):
    return [["i", "j", "kind"], *([i, j, "must-link"] for i, j in pairwise(ids))]


def chain_in_words(tmp_path, n_steps):
    ids = [f"a{i}" for i in range(n_steps + 1)]
    path = write_csv(tmp_path / "judged.csv", judged_in_a_row(ids))
    reasons = Reasons([ids], [Constraints.read_csv(path, ids=ids)], {}, "view")
    return reasons.words(reasons.chain((0, 0), (0, n_steps), False, 1.0))


def test_of_a_long_chain_several_steps_in_the_middle_are_left_out_but_for_their_lines(tmp_path):
    because = chain_in_words(tmp_path, 8)
    assert because.count(" and ") == 6
    assert because.endswith(
        "a4 and a5 have a must-link (line 6 of judged.csv), … 2 more steps (lines 7, 8 of"
        " judged.csv) …, a7 and a8 have a must-link (line 9 of judged.csv)"
    )
    assert "more" not in chain_in_words(tmp_path, 7)


def test_steps_from_several_files_are_left_out_with_the_lines_of_each(tmp_path):
    n = 8
    ids = [[f"{letter}{i}" for i in range(n)] for letter in "ab"]
    given = []
    for names in ids:
        path = write_csv(tmp_path / f"{names[0]}.csv", judged_in_a_row(names))
        given.append(Constraints.read_csv(path, ids=names))
    reasons = Reasons(ids, given, {(0, 1): np.array([(n - 1, 0)])}, "full")
    because = reasons.words(reasons.chain((0, 0), (1, n - 1), False, 1.0))
    left_out = "lines 7, 8 of a0.csv, lines 2, 3, 4, 5, 6, 7 of b0.csv"
    assert f"… 9 more steps ({left_out}) …" in because


def test_what_comes_back_from_another_view_is_told_without_the_way_there_and_back():
    given = [Constraints([(0, 1)], [False]), Constraints([], [])]
    relations = {(0, 1): np.array([(0, 0), (1, 1)])}
    reasons = Reasons([["a0", "a1"], ["b0", "b1"]], given, relations, "full")
    there = reasons.chain((0, 0), (1, 0), False, np.inf)
    passed_on = reasons.chain((1, 0), (1, 1), True, 1.0)
    back = reasons.chain((1, 1), (0, 1), False, np.inf)
    assert [len(there), len(passed_on), len(back)] == [1, 3, 1]
    assert without_loops(there + passed_on + back) == reasons.chain((0, 0), (0, 1), True, 1.0)
    assert without_loops(passed_on) == passed_on


class Labelled(DirectMapping):
    def __init__(self, threshold="auto"):
        self.threshold = threshold


def test_a_methods_own_parameter_called_threshold_is_none_of_propagation(tmp_path, monkeypatch):
    monkeypatch.setitem(methods._TRANSFERS, "own", methods._Own(f"{__name__}:Labelled"))
    job = load_job(None, by_co_em(write_problem(tmp_path))).model_copy(update={"transfer": "own"})
    facts = cluster_job(job, tmp_path / "out").to_dict()
    assert (facts["co_em"]["propagates"], facts["co_em"]["threshold"]) == (False, None)
    write_clustering_report(facts, tmp_path / "report.html")
