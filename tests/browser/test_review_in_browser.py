"""The page of corrections in a real browser: each kind, two pages at once, a server that ends."""

import shutil

import pytest

from mvcc.results import parse_facts, read_facts
from mvcc.tables import cluster_job, load_job
from mvcc.tables.asking import _pages, _review
from tests.browser.conftest import SCROLLED, UNFOLD
from tests.browser.test_questions_in_browser import PROBLEM, TOLD, wait_for
from tests.tables.asking.pages import correcting, write_tables
from tests.tables.problems import read_csv, write_csv
from tests.tables.test_asked import log

pytestmark = [pytest.mark.slow, pytest.mark.browser]

QUICK = {"comparison": False, "stability_runs": 0}
REVIEWS = "() => document.querySelector('#clusters').textContent !== ''"
NAME = "<img src=x onerror=alert(1)>"


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    """Cluster small tables with pictures."""
    folder = tmp_path_factory.mktemp("made")
    job = load_job(write_tables(folder)).model_copy(update=QUICK)
    cluster_job(job, folder / "results")
    return folder


@pytest.fixture
def results(made, tmp_path):
    return shutil.copytree(made, tmp_path / "a copy") / "results"


@pytest.fixture
def open_page(visit):
    return lambda server, **options: visit(server.address, ready=REVIEWS, **options)


def rename(page, cluster, name):
    page.click(f"[aria-label^='Rename {cluster} ']")
    page.keyboard.type(name)
    page.keyboard.press("Enter")


def headings(page):
    return page.locator("#clusters h2").all_inner_texts()


def clusters(results):
    return {
        f"{view}:{row['id']}": row["cluster"]
        for view in ("texts", "images")
        for row in read_csv(results / view / "labels.csv")
    }


def test_every_correction_of_a_page_is_in_the_files_and_undone(results, open_page):
    before = clusters(results)
    with correcting(results) as server:
        page = open_page(server, expects=["400"])
        assert [text[0] for text in headings(page)] == ["0", "1", "2"]
        assert page.locator("#clusters img").count() == 6
        rename(page, 0, NAME)
        wait_for(page, TOLD, f"is now called {NAME[:30]}")
        focused = page.evaluate("document.activeElement.ariaLabel")
        assert focused == f"Rows 0 {NAME}"
        page.click("[aria-label^='Rename 0 ']")
        assert page.input_value(".doing input") == NAME
        page.keyboard.press("Escape")
        page.click("[aria-label^='Merge 1 ']")
        page.select_option("[aria-label=Into]", "2")
        page.keyboard.press("Tab")
        page.keyboard.press("Enter")
        wait_for(page, TOLD, "was merged into 2. 40 rows moved.")
        page.click("[aria-label^='Split 2 ']")
        page.wait_for_selector("text=Split off part 2")
        first, second = (one.bounding_box() for one in page.locator(".doing section").all())
        assert first["y"] == second["y"]  # side by side
        page.click("text=Split off part 2")
        wait_for(page, TOLD, "were split off as 3.")
        split = clusters(results)
        parted = {row for row, cluster in split.items() if cluster in ("2", "3")}
        assert parted == {row for row, cluster in before.items() if cluster in ("1", "2")}
        page.click("[aria-label^='Rows 0 ']")
        page.wait_for_selector("#opened h2:focus")
        assert page.inner_text("#opened h2").startswith(f"Rows of 0 {NAME} (")
        row = page.locator("#opened [data-row^='texts:']").first.get_attribute("data-row")
        page.check(f"#opened [data-row='{row}']")
        assert page.inner_text("#n-selected") == "1 row selected"
        page.select_option("#target", "3")
        page.click("#selection [value=move]")
        wait_for(page, TOLD, "moved to 3.")
        assert clusters(results)[row] == "3"
        page.wait_for_selector(f"#opened [data-row='{row}']", state="detached")
        page.wait_for_selector("#opened h2:focus")
        other = page.locator("#opened [data-row]").first.get_attribute("data-row")
        page.check(f"#opened [data-row='{other}']")
        page.click("#selection [value=outlier]")
        wait_for(page, TOLD, "left out.")
        page.evaluate("scrollTo(0, document.body.scrollHeight)")
        box = page.locator(TOLD).bounding_box()
        assert page.evaluate("scrollY") > box["height"]
        assert 0 <= box["y"] < 10
        assert clusters(results)[other] == "-1"
        page.locator("#opened [data-row]").first.focus()
        for _ in range(5):
            page.keyboard.press("p")
            page.wait_for_function("() => !busy")
        wait_for(page, "#status", "0 corrections")
        assert clusters(results) == before
        page.keyboard.press("p")
        wait_for(page, PROBLEM, "There is nothing to undo.")
        page.keyboard.press("f")
        wait_for(page, "main", "--continue")
        assert page.inner_text("code") == f"--continue '{results}'"
    assert read_facts(results).corrected is None


def test_the_only_cluster_has_no_other_to_be_merged_into(results, open_page):
    with correcting(results) as server:
        page = open_page(server)
        for status in ("2 clusters", "1 cluster "):
            page.click("[aria-label^='Merge 0 '], [aria-label^='Merge 1 ']")
            page.click(".doing button")
            wait_for(page, "#status", status)
        page.click("[aria-label^='Merge ']")
        wait_for(page, ".doing", "There is no other cluster to merge it into.")
        page.click("text=Cancel")
        assert page.locator(".doing").count() == 0
        assert page.evaluate("document.activeElement.textContent") == "Rows"


def test_a_dispute_is_settled_by_one_of_its_answers(tmp_path, open_page):
    config = write_tables(tmp_path)
    both = ["texts:t0,harbor", "texts:t1,street", "texts:t2,forest", "texts:t3,harbor"]
    anna = log(tmp_path / "anna", *both, f"texts:t4,{NAME}")
    ben = log(tmp_path / "ben", *both, "texts:t4,street")
    job = load_job(config).model_copy(update=QUICK | {"asked": (str(anna), str(ben))})
    cluster_job(job, tmp_path / "results")
    number = read_facts(tmp_path / "results").names.index("street")
    with correcting(tmp_path / "results") as server:
        page = open_page(server)
        page.click("text=Different answers of several people (1)")
        assert f"anna: “{NAME}”; ben: “street”" in page.inner_text("#disputed")
        page.click(f"#disputed >> text=Put into {number} street")
        wait_for(page, TOLD, f"moved to {number} (street).")
        assert page.locator("#n-disputed").is_hidden()
        page.keyboard.press("p")
        page.wait_for_selector("#disputed li", state="attached")
        page.click("#disputed >> text=Fits nowhere")
        wait_for(page, TOLD, "left out.")
    assert clusters(tmp_path / "results")["texts:t4"] == "-1"


def test_a_match_that_was_left_out_is_said_to_be_wrong(results, open_page, monkeypatch):
    told = read_facts(results).to_dict()
    (relation,) = told["relations"]
    relation["suspicious"] = [[*relation["pairs"][0], 1.0, True]]
    monkeypatch.setattr(_review, "read_found", lambda folder: parse_facts(told))
    with correcting(results) as server:
        page = open_page(server)
        page.click("text=Matches that seem to be wrong (1)")
        assert "This match was left out." in page.inner_text("#matches")
        page.click("#matches >> text=Wrong match")
        wait_for(page, TOLD, "are not the same. 0 rows moved.")
        assert page.inner_text("#n-matches") == "Matches that seem to be wrong (0)"


def test_of_views_numbered_apart_a_row_is_moved_within_its_view(tmp_path, open_page):
    job = load_job(write_tables(tmp_path)).model_copy(update=QUICK | {"matches": {}})
    cluster_job(job, tmp_path / "results")
    with correcting(tmp_path / "results") as server:
        page = open_page(server)
        page.click("[aria-label^='Rows images:0 ']")
        page.locator("#opened [data-row]").first.check()
        values = "(all) => all.map((one) => one.value)"
        targets = page.eval_on_selector_all("#target option", values)
        assert targets == ["images:0", "images:1", "images:2"]
        page.select_option("#target", "images:2")
        page.click("#selection [value=move]")
        wait_for(page, TOLD, "moved to images:2. 1 row moved.")


def test_the_cluster_of_a_row_is_known_where_a_third_table_is_numbered_apart(tmp_path, open_page):
    config = write_tables(tmp_path)
    config.write_text(config.read_text().replace("{texts:", "{more: texts.csv, texts:", 1))
    cluster_job(load_job(config).model_copy(update=QUICK), tmp_path / "results")
    with correcting(tmp_path / "results") as server:
        page = open_page(server)
        page.fill("#wanted", "i6")
        page.keyboard.press("Enter")
        wait_for(page, "#found", f"In texts:{clusters(tmp_path / 'results')['images:i6']} ")


def test_doubts_and_the_cluster_of_closed_rows_are_found_without_scrolling(results, open_page):
    with correcting(results) as server:
        page = open_page(server)
        assert page.locator("#clusters h2 bdi").all_inner_texts() == ["texts", "images"] * 3
        assert page.evaluate("scrollY") == 0
        page.click("header >> text=Doubts")
        assert page.evaluate("scrollY") > 0
        assert page.locator("#n-between").bounding_box()["y"] < 900
        page.click("[aria-label^='Rows 1 ']")
        page.wait_for_selector("#opened h2:focus")
        page.click("#opened >> text=Close")
        assert page.evaluate("document.activeElement.ariaLabel").startswith("Rows 1 ")


def test_a_row_is_found_by_its_id_moved_and_taken_from_its_match_by_the_keyboard(
    results, open_page
):
    with correcting(results) as server:
        page, stale = (open_page(server, expects=["400"]) for _ in range(2))
        page.get_by_label("Find a row by its id").fill("T 7")
        page.keyboard.press("Enter")
        wait_for(page, PROBLEM, "No row has the id 'T 7'; did you mean 't7'?")
        page.fill("#wanted:focus", "t6")
        page.keyboard.press("Enter")
        page.wait_for_selector("#found h2:focus")
        assert page.is_hidden(PROBLEM)
        wait_for(page, "#found", f"In {clusters(results)['texts:t6']} ")
        page.keyboard.press("Tab")
        page.keyboard.press("Tab")
        page.keyboard.press("Space")
        assert page.inner_text("#n-selected") == "1 row selected"
        page.click("#selection [value=new]")
        wait_for(page, "#found", "In 3 ")
        page.click("#found >> text=Wrong match")
        wait_for(page, TOLD, "texts:t6 and images:i6 are not the same.")
        page.wait_for_selector("#found >> text=Matches", state="detached")
        stale.fill("#wanted", "images:i6")  # its cluster is not known there
        stale.keyboard.press("Enter")
        wait_for(stale, "#found", "In 3 ")
        wait_for(stale, "#status", "4 clusters · 2 corrections")


def test_no_two_buttons_have_one_name(results, open_page):
    with correcting(results) as server:
        page = open_page(server)
        page.evaluate(UNFOLD)
        called = "(all) => all.map((one) => one.ariaLabel ?? one.textContent)"
        names = page.locator("main button:visible").evaluate_all(called)
        assert len(names) == len({*names})


def test_two_pages_at_once_lose_nothing(results, open_page):
    with correcting(results) as server:
        first, second = (open_page(server, expects=["409"]) for _ in range(2))
        rename(first, 0, "the first")
        wait_for(first, TOLD, "is now called the first.")
        rename(second, 0, "the second")
        wait_for(second, PROBLEM, "Not taken: 0")
        assert "the first" in headings(second)[0]
        rename(second, 1, "the second")
        wait_for(second, TOLD, "is now called the second.")
        first.keyboard.press("p")
        wait_for(first, PROBLEM, "Not taken: undo")
        assert first.inner_text(TOLD) == ""  # what it said last may hold no longer
    assert read_facts(results).names[:2] == ("the first", "the second")


def test_a_page_is_dimmed_until_the_open_rows_are_those_after_a_correction(results, open_page):
    with correcting(results) as server:
        page, held = open_page(server), []
        page.click("[aria-label^='Rows 0 ']")
        page.wait_for_selector("#opened h2:focus")
        page.route("**/rows?*", lambda route: held.append(route))
        with page.expect_request("**/rows?*"):
            rename(page, 1, "the first")
        wait_for(page, TOLD, "is now called the first.")
        opacity = "getComputedStyle(document.querySelector('main')).opacity"
        page.wait_for_function(f"() => {opacity} === '0.6'")
        held[0].continue_()
        page.wait_for_function(f"() => {opacity} === '1'")


def test_what_a_server_that_ended_did_not_take_is_kept_and_said(results, open_page):
    with correcting(results) as server:
        page = open_page(server, expects=["ERR_CONNECTION_REFUSED"])
        port, token = server.server_port, server.token
    rename(page, 0, "the first")
    wait_for(page, PROBLEM, "The server is gone. Start mvcc review again")
    with correcting(results, port) as server:
        server.token = token
        page.keyboard.press("r")
        wait_for(page, TOLD, "is now called the first.")
    page.click("[aria-label^='Rows 0 ']")
    wait_for(page, PROBLEM, "The server is gone, or has another address now.")
    with correcting(results, port) as server:
        server.token = token
        page.click("[aria-label^='Rows 0 ']")
        page.wait_for_selector("#opened")
        assert page.is_hidden(PROBLEM)
    assert read_facts(results).names[0] == "the first"


@pytest.mark.parametrize(("width", "height"), [(640, 450), (320, 256)])  # at 200 and 400 %
def test_what_has_the_focus_is_above_the_form_for_selected_rows(results, open_page, width, height):
    with correcting(results) as server:
        page = open_page(server)
        page.set_viewport_size({"width": width, "height": height})
        page.click("[aria-label^='Rows 0 ']")
        page.locator("#opened [data-row]").first.check()
        for _ in range(30):
            page.keyboard.press("Tab")
            focused = "document.activeElement.getBoundingClientRect().top"
            form = "document.getElementById('selection').getBoundingClientRect().top"
            assert page.evaluate(f"0 <= {focused} && {focused} < {form}")


def test_a_list_that_is_cut_says_so_beside_its_whole_number(results, open_page, monkeypatch):
    monkeypatch.setattr(_pages, "_MOST_LISTED", 1)
    with correcting(results) as server:
        page = open_page(server)
        n = page.evaluate("state.nowhere.n")
        assert page.inner_text("#n-nowhere") == f"Rows that fit nowhere ({n}, 1 of them)"
        assert page.inner_text("#n-matches") == "Matches that seem to be wrong (0)"
        assert page.is_hidden("#n-violated")  # there are no constraints


def test_a_violated_constraint_is_shown_with_its_line_and_the_cluster_of_its_rows(
    tmp_path, open_page
):
    config = write_tables(tmp_path)
    pairs = [["t0", "t3", "must-link"], ["t3", "t6", "must-link"], ["t0", "t6", "cannot-link"]]
    path = write_csv(tmp_path / "pairs.csv", [["i", "j", "kind"], *pairs])
    update = QUICK | {"constraints": {"texts": path}, "on_conflict": "drop"}
    cluster_job(load_job(config).model_copy(update=update), tmp_path / "results")
    with correcting(tmp_path / "results") as server:
        page = open_page(server)
        assert page.inner_text("#n-violated") == "Constraints that the clusters violate (1)"
        page.click("#n-violated")
        said = page.inner_text("#violated p")
        assert said.startswith("By line 4 of pairs.csv, these belong apart, but both are in ")
        number = clusters(tmp_path / "results")["texts:t0"]
        names = [text.rpartition(" (")[0].split(maxsplit=1) for text in headings(page)]
        (name,) = (name for own, name in names if own == number)
        assert said.endswith(f"in {number} {name}.")
        rows = page.locator("#violated [data-row]")
        shown = [one.get_attribute("data-row") for one in rows.all()]
        assert shown == ["texts:t0", "texts:t6"]


def test_on_a_phone_all_rows_are_shown_and_nothing_scrolls_sideways(results, open_page):
    with correcting(results) as server:
        page = open_page(server, width=320)
        assert page.locator("#status").bounding_box()["height"] < 80  # no line within a word
        page.click("[aria-label^='Split 0 ']")
        page.wait_for_selector(".doing section")
        assert page.locator("#clusters .exemplar").count() == 3 * 4 + 2 * 8
        assert all(one.is_visible() for one in page.locator("#clusters .exemplar").all())
        page.click("[aria-label^='Rows 0 ']")
        page.locator("#opened [data-row]").first.check()
        page.evaluate(UNFOLD)
        assert page.evaluate(SCROLLED) <= 320
