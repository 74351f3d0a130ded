"""`mvcc report` writes the page of a clustering or of experiments, and prints where it is."""

import json

import pytest

from mvcc.exceptions import StoreError
from tests.browser.facts import make_facts
from tests.command_line import invoke
from tests.reports import write_clustering_report

FACTS = make_facts((30, 20))


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "clustering.json").write_text(json.dumps(FACTS))
    return tmp_path


def test_the_path_is_printed_and_what_to_do_with_it(folder):
    result = invoke("report", folder)
    assert result.stdout == f"{folder / 'report.html'}\n"
    assert "Next: open it in a browser" in result.stderr
    write_clustering_report(FACTS, folder / "same.html")
    assert (folder / "report.html").read_bytes() == (folder / "same.html").read_bytes()


def test_out_and_json(folder):
    out = folder / "new" / "page.html"
    assert json.loads(invoke("report --json --out", out, folder).stdout) == {"report": str(out)}
    assert out.is_file()
    assert not (folder / "report.html").exists()


def test_a_folder_of_neither_says_what_it_looked_for(tmp_path):
    with pytest.raises(StoreError, match=r"no clustering\.json .* no finished experiment below"):
        invoke("report", tmp_path)
    assert list(tmp_path.iterdir()) == []
