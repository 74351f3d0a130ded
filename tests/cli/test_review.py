"""``mvcc review`` as a program uses it: what to look at, and corrections of it."""

import json
import socket

from tests.command_line import mvcc
from tests.tables.asking.test_review import SAID, labels, made, results
from tests.tables.problems import write_csv

__all__ = ["made", "results"]  # fixtures


def test_a_program_reads_what_to_look_at_and_corrects_it(results, tmp_path):
    before = labels(results)
    shown = json.loads(mvcc("review", results, "--json", "-n", 2).stdout)
    doubts = {"between", "nowhere", "disputed", "violated", "matches"}
    assert set(shown) == {"clusters", *doubts, "corrections"}
    assert [one["cluster"] for one in shown["clusters"]] == [0, 1, 2]
    assert len(shown["nowhere"]) <= 2
    parts = json.loads(mvcc("review", results, "--parts", 1).stdout)["parts"]
    rows = [f"{view}:{id}" for view, own in parts.items() for id in own]
    assert sorted(rows) == sorted(row for row, cluster in before.items() if cluster == 1)
    table = write_csv(tmp_path / "c.csv", [["id", "answer"], *SAID[:3]])
    done = mvcc("review", results, "--answers", table)
    n = sum(cluster != before[row] for row, cluster in labels(results).items())
    assert done.stdout == (
        f"3 corrections recorded; {n} rows moved.\n{results} has 3 corrections in all.\n"
    )
    told = mvcc("review", results, "--answers", table, "--json")
    assert (told.returncode, told.stdout) == (1, "")
    assert "c.csv:3: There is no cluster '1' among 0, 2." in told.stderr
    new = f"--view=view1={results.parent / 'view1.csv'}"
    assert not mvcc("predict", results, new, "--out", tmp_path / "merged.csv").stderr
    split = write_csv(tmp_path / "c.csv", [["id", "answer"], *SAID[3:5]])
    assert mvcc("review", results, "--answers", split).returncode == 0
    noted = mvcc("predict", results, new, "--out", tmp_path / "split.csv").stderr
    assert "view1: no new row is put into clusters 3 and 4, which corrections made" in noted
    again = ("cluster", results / "cluster.yaml", "--continue", results, "--out", tmp_path / "next")
    assert f"Since {results}, before corrections:\n" in mvcc(*again).stdout
    report = (tmp_path / "next" / "report.html").read_text()
    assert f"since <bdi>{results}</bdi>, before corrections</h3>" in report


def test_the_page_is_served_on_the_port_that_is_named(results):
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        done = mvcc("review", results, "--no-open", "--port", port)
    assert (done.returncode, done.stdout) == (1, "")
    assert f"cannot serve on port {port}: Address already in use" in done.stderr
