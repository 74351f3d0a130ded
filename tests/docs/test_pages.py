"""Pages, pictures and the notebook are true, and lead somewhere, on GitHub and in the site."""

import doctest
import inspect
import json
import pkgutil
import re
import subprocess
import sys
import tempfile

import matplotlib
import pytest
from matplotlib.testing.compare import compare_images

import mvcc
from scripts.notebook import NOTEBOOK, notebook
from tests.docs.blocks import GENERATED, ROOT, blocks_of, pages

IN_SITE = [*pages(), "CHANGELOG.md", "results/claims.md", "results/field.md"]


@pytest.mark.parametrize("page", IN_SITE)
def test_relative_links_lead_to_files_of_the_checkout(page):
    text = re.sub(r"```.*?```", "", (ROOT / page).read_text("utf-8"), flags=re.DOTALL)
    targets = re.findall(r"\]\(([^)\s]+)\)", text)
    local = [target.partition("#")[0] for target in targets if "://" not in target]
    paths = [((ROOT / page).parent / target).resolve() for target in local if target]
    generated = {ROOT / "docs" / name for name in GENERATED}  # not on GitHub
    assert not [path for path in paths if not path.exists() or generated & {path, *path.parents}]


@pytest.mark.parametrize("page", pages())
def test_modules_and_tests_that_a_page_names_exist(page):
    text = (ROOT / page).read_text("utf-8")
    written = {block.said for block in blocks_of(page) if block.mark == "file"}
    named = set(re.findall(r"\b(?:mvcc|tests)/[\w./-]+(?:\.py|\.yaml|\.html|/)", text)) - written
    assert not [path for path in named if not (ROOT / path).exists()]


@pytest.mark.parametrize("page", pages())
def test_every_item_of_a_numbered_list_begins_a_line_and_no_percent_sign_which_hides_it(page):
    text = (ROOT / page).read_text("utf-8")
    assert re.findall(r"[.:] \d\.\s+\*\*.*|^ *%.*", text, re.MULTILINE) == []


@pytest.mark.parametrize("page", pages())
def test_code_and_what_it_prints_fit_into_80_columns(page):
    lines = [line for block in blocks_of(page) for line in block.text.splitlines()]
    assert [line for line in lines if len(line) > 80] == []


def test_every_page_is_in_the_navigation():
    index = (ROOT / "docs" / "index.md").read_text("utf-8")
    lines = "\n".join(re.findall(r"```\{toctree\}(.*?)```", index, re.DOTALL)).splitlines()
    listed = {
        line.rpartition("<")[2].rstrip(">") for line in lines if line and not line.startswith(":")
    }
    found = {(ROOT / "docs" / f"{name}.md").resolve() for name in listed}
    assert {ROOT / page for page in IN_SITE} - {ROOT / "docs" / "index.md"} <= found


@pytest.mark.compiled
@pytest.mark.exact_bits
@pytest.mark.slow
@pytest.mark.parametrize("name", ["joint", "method"])
def test_the_pictures_of_the_method_are_what_the_method_does(name, tmp_path):
    # a process of its own, since the kernels of BLAS are chosen when it is loaded
    command = [sys.executable, "-m", f"scripts.pictures.{name}", str(tmp_path)]
    subprocess.run(command, cwd=ROOT, check=True, capture_output=True)
    committed = {path.name: path for path in (ROOT / "docs/_static" / name).iterdir()}
    assert {path.name for path in tmp_path.iterdir()} == committed.keys()
    for picture, path in committed.items():
        difference = compare_images(str(path), str(tmp_path / picture), tol=5)
        again = f"Draw them again: python -m scripts.pictures.{name}"
        assert difference is None, f"{difference}\n{again}"


def test_committed_pictures_are_small():
    sizes = [path.stat().st_size for path in (ROOT / "docs/_static").rglob("*.png")]
    assert max(sizes) < 200_000


@pytest.mark.reliability
def test_the_site_builds_without_a_warning_and_asks_no_network_for_anything(tmp_path):
    words = "-m sphinx -W --keep-going -q -b html -c docs ."
    command = [sys.executable, *words.split(), str(tmp_path)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    built = sorted(tmp_path.rglob("*.html"))
    assert len(built) > 30
    fetched = re.compile(
        r"<(?:script|link|img|iframe)\b[^>]*\b(?:src|href)=[\"'](?:https?:)?//[^\"']*"
    )
    for page in built:
        assert not fetched.search(page.read_text("utf-8")), page
    styles = "".join(path.read_text("utf-8") for path in tmp_path.rglob("*.css"))
    assert not re.search(r"url\([\"']?(?:https?:)?//|@import [\"'](?:https?:)?//", styles)


@pytest.fixture
def api(monkeypatch):
    """Give the rows of the page of the API, a name and its sentence each."""
    monkeypatch.syspath_prepend(ROOT / "docs" / "_ext")
    from api_page import ROW

    return ROW.findall((ROOT / "docs" / "api.md").read_text("utf-8"))


def test_the_page_of_the_api_has_the_first_sentences_of_the_docstrings(api):
    from api_page import summary_of

    listed = {part for name, _ in api for part in name.split(".")}
    assert {*mvcc.__all__} - {"__version__"} <= listed
    assert [(name, summary_of(name)) for name, _ in api] == api


@pytest.mark.compiled
def test_examples_of_public_docstrings_run(api):
    modules = {inspect.getmodule(pkgutil.resolve_name(f"mvcc.{name}")) for name, _ in api}
    tried = {module.__name__: doctest.testmod(module) for module in modules}
    assert sum(result.attempted for result in tried.values()) > 100
    assert [name for name, result in tried.items() if result.failed] == []
    lines = [line for module in modules for line in inspect.getsource(module).splitlines()]
    examples = [line.strip() for line in lines if line.strip().startswith((">>> ", "... "))]
    assert [line for line in examples if len(line) > 80] == []


def test_the_reference_of_output_files_explains_every_column_and_field(monkeypatch):
    monkeypatch.syspath_prepend(ROOT / "docs" / "_ext")
    from output_files import facts, files

    reference = "\n".join([*files(), *facts()])
    assert "|  |" not in reference
    for table in ROOT.glob("tests/golden/*/stored/results/*/*.csv"):
        columns = table.read_text("utf-8").partition("\n")[0].split(",")
        section = reference.partition(f"## {table.name}\n")[2].partition("##")[0]
        explained = re.findall(r"^\| `(\w+)`", section, re.MULTILINE)
        assert columns == [column for column in explained if column in columns], table


@pytest.mark.exact_bits
def test_the_notebook_is_the_page_of_the_gallery():
    assert NOTEBOOK.read_text(encoding="utf-8") == notebook(), (
        "make it anew: python -m scripts.notebook"
    )


@pytest.mark.slow
def test_the_cells_of_the_notebook_run(tmp_path, monkeypatch):
    matplotlib.use("agg")
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    names = {}
    for cell in json.loads(NOTEBOOK.read_text(encoding="utf-8"))["cells"]:
        if cell["cell_type"] == "code":
            exec("".join(cell["source"]), names)
    assert {path.name for path in names["folder"].iterdir()} == {
        "minerals.csv",
        "phenols.csv",
        "report.html",
    }
    assert (names["folder"] / "report.html").stat().st_size > 10**5
