"""axe finds nothing serious in any page, whatever its width and colors."""

import pytest
from axe_playwright_python.sync_playwright import Axe

from tests.browser.conftest import UNFOLD
from tests.browser.test_review_in_browser import REVIEWS, made, results
from tests.tables.asking.pages import correcting, serving, write_tables

pytestmark = [pytest.mark.slow, pytest.mark.browser]

__all__ = ["made", "results"]  # fixtures


def objections(page):
    """Return what axe seriously objects to, folded parts included: rule and first element."""
    page.evaluate(UNFOLD)
    violations = Axe().run(page).response["violations"]
    serious = [one for one in violations if one["impact"] in ("serious", "critical")]
    return [(one["id"], one["nodes"][0]["html"]) for one in serious]


@pytest.mark.parametrize(("width", "colors"), [(1280, "light"), (390, "dark")])
def test_reports(open_page, report, experiment, width, colors):
    small = {"n_clusters": 3, "n_given": 6}
    warned = report("axe", (30, 20), warnings=["Co-EM did not converge."], **small)
    page = open_page(warned, width=width, color_scheme=colors)
    page.fill("#row-name", "t7")
    page.keyboard.press("Enter")
    assert objections(page) == []
    assert objections(open_page(experiment, width=width, color_scheme=colors)) == []


@pytest.mark.parametrize("colors", ["light", "dark"])
def test_questions_and_corrections(visit, results, tmp_path, colors):
    with serving(write_tables(tmp_path)) as server:
        assert objections(visit(server.address, width=390, color_scheme=colors)) == []
    with correcting(results) as server:
        page = visit(server.address, ready=REVIEWS, color_scheme=colors)
        page.fill("#wanted", "t6")
        page.keyboard.press("Enter")
        page.wait_for_selector("#found h2:focus")
        assert objections(page) == []
