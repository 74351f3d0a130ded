"""The report of an experiment in a real browser."""

import pytest

from tests.browser.conftest import SCROLLED, UNFOLD

pytestmark = [pytest.mark.slow, pytest.mark.browser]

NAMES = "() => report.curves().map((one) => one.name)"
FIRST_MEANS = "() => report.curves()[0].y"


@pytest.fixture
def page(open_page, experiment):
    return open_page(experiment)


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
    box = page.locator(".chart").bounding_box()
    left, top = page.evaluate("report.place(0, 3)")
    page.mouse.move(box["x"] + left, box["y"] + top)
    page.wait_for_selector(".tip:visible")
    told = page.inner_text(".tip")
    assert told.startswith(("Constraint Propagation", "Direct Mapping", "Single View"))
    assert "F = 0." in told
    assert "±" in told
    assert "100 trials" in told


def test_links_open_what_they_lead_to_and_nothing_is_too_wide(page):
    page.click("a[href='#experiment-0']")
    page.wait_for_function("() => document.getElementById('experiment-0').open")
    page.evaluate(UNFOLD)
    assert page.evaluate(SCROLLED) <= 1300
    page.set_viewport_size({"width": 400, "height": 900})
    page.wait_for_function("() => document.querySelector('canvas').width < 400")
    assert page.evaluate(SCROLLED) <= 400


def test_a_curve_is_switched_off_in_the_legend(page):
    names = page.evaluate(NAMES)
    page.click(f"#methods >> text={names[0]}")
    assert page.get_attribute("#methods button >> nth=0", "aria-pressed") == "false"
    assert page.evaluate(NAMES) == names[1:]
    page.click(f"#methods >> text={names[0]}")
    assert page.evaluate(NAMES) == names


def test_a_saved_picture_names_its_curves(page):
    page.evaluate(
        """() => { window.written = new Set();
        CanvasRenderingContext2D.prototype.fillText = (text) => { window.written.add(text); }; }"""
    )
    with page.expect_download():
        page.click("[data-zoom=save]")
    assert {*page.evaluate(NAMES)} <= {*page.evaluate("[...window.written]")}
