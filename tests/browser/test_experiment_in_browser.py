"""The report of an experiment in a real browser."""

from __future__ import annotations

from pathlib import Path

import pytest

import mvcc
from mvcc.reporting.html import experiment_page

pytestmark = [pytest.mark.slow, pytest.mark.browser]

RESULTS = Path(mvcc.__file__).parents[1] / "results" / "rewired_protein"
NAMES = "() => document.querySelector('.chart').data.map((one) => one.name)"
FIRST_MEANS = "() => document.querySelector('.chart').data[0].y"


@pytest.fixture(scope="module")
def path(tmp_path_factory):
    path = tmp_path_factory.mktemp("experiment") / "report.html"
    path.write_bytes(experiment_page(RESULTS))
    return path


@pytest.fixture(scope="module")
def _opened(new_page, path):
    return new_page(path)


@pytest.fixture
def page(_opened):
    """Give a page that tests share, everything folded."""
    kept, heard = _opened
    yield kept
    kept.evaluate(
        "document.querySelectorAll('details[open]').forEach((one) => { one.open = false; })"
    )
    assert heard == []


def test_curves_are_chosen_by_experiment_base_and_setting(page):
    page.select_option("#base", index=0)
    assert page.evaluate(NAMES) == ["Constraint Propagation", "Direct Mapping", "Single View"]
    before = page.evaluate(FIRST_MEANS)
    page.focus("#base")
    page.keyboard.press("ArrowDown")
    assert page.inner_text("#chosen").startswith("Protein · rewired · multi-view, MPCK-Means, ")
    assert page.evaluate(FIRST_MEANS) != before
    options = page.locator("#setting option").all_inner_texts()
    assert options == ["0% rewired", "25% rewired", "50% rewired"]
    means = []
    for option in options:
        page.select_option("#setting", option)
        assert page.inner_text("#chosen").endswith(option)
        means.append(page.evaluate(FIRST_MEANS))
    assert means[0] != means[1] != means[2]
    page.click("text=These curves as a table")
    assert page.locator("#values tbody tr").count() == len(means[0])
    assert f"{means[2][0]:.4f} ± " in page.inner_text("#values")


def test_hover_tells_the_mean_with_its_error(page):
    page.locator(".chart").scroll_into_view_if_needed()
    box = page.locator(".chart .point").nth(3).bounding_box()
    page.mouse.move(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    page.wait_for_selector(".hoverlayer .hovertext")
    told = page.locator(".hoverlayer .hovertext").first.text_content()
    assert told.startswith(("Constraint Propagation", "Direct Mapping", "Single View"))
    assert "F = 0." in told
    assert "±" in told
    assert "100 trials" in told


def test_links_open_what_they_lead_to_and_nothing_is_too_wide(page):
    page.click("a[href='#experiment-0']")
    page.wait_for_function("() => document.getElementById('experiment-0').open")
    page.evaluate("document.querySelectorAll('details').forEach((one) => { one.open = true; })")
    assert page.evaluate("document.documentElement.scrollWidth") <= 1300
    page.set_viewport_size({"width": 400, "height": 900})
    page.wait_for_function("() => document.querySelector('.chart')._fullLayout.width < 400")
    assert page.evaluate("document.documentElement.scrollWidth") <= 400
    page.set_viewport_size({"width": 1300, "height": 900})
    page.wait_for_function("() => document.querySelector('.chart')._fullLayout.width > 400")


def test_dark_and_paper(open_page, path):
    page = open_page(path, color_scheme="dark")
    assert page.evaluate("document.querySelector('.chart').layout.paper_bgcolor") == "#14181d"
    on_dark = page.evaluate("document.querySelector('.chart').data.map((one) => one.line.color)")
    page.evaluate(
        "addEventListener('beforeprint', () => { window.printed ="
        " document.documentElement.dataset.theme; })"
    )
    assert page.pdf(format="A4").startswith(b"%PDF")
    assert page.evaluate("window.printed") == "light"
    page.click("#theme")
    assert page.evaluate("document.querySelector('.chart').layout.paper_bgcolor") == "#ffffff"
    assert (
        page.evaluate("document.querySelector('.chart').data.map((one) => one.line.color)")
        != on_dark
    )
