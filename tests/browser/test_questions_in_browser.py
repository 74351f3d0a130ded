"""The page of questions in a real browser: whole sessions, and what goes wrong."""

import re

import pytest

from tests.browser.conftest import PAINTED, SCROLLED, UNFOLD
from tests.tables.asking.pages import KINDS, THEN, asked, kind_of, serving, write_tables
from tests.tables.problems import read_csv

pytestmark = [pytest.mark.slow, pytest.mark.browser]

THING, TOLD, PROBLEM = "#thing", "#told", "#problem"


@pytest.fixture
def config(tmp_path):
    return write_tables(tmp_path)


@pytest.fixture
def page(config, visit):
    """Give the page of questions about a config."""
    with serving(config) as server:
        yield visit(server.address)


def wait_for(page, selector, text):
    page.wait_for_function(
        "([at, text]) => document.querySelector(at).textContent.includes(text)",
        arg=[selector, text],
    )


def wait_for_another(page, thing):
    page.wait_for_function(
        "(thing) => document.getElementById('thing').textContent !== thing", arg=thing
    )


def kind(page):
    return kind_of(int(page.inner_text("#rows .row h2").split()[-1].rstrip(">")[1:]))


def offered(page):
    return page.locator("#groups button strong").all_inner_texts()


def name_by_keys(page, name):
    page.keyboard.press("n")
    page.keyboard.type(name)
    page.keyboard.press("Enter")


def answer_by_keys(page):
    """Answer as the kinds of the rows are, and wait for the next card."""
    thing, name, groups = page.inner_text(THING), kind(page), offered(page)
    if name in groups:
        page.keyboard.press(page.locator("#groups kbd").nth(groups.index(name)).inner_text())
    else:
        name_by_keys(page, name)
    wait_for(page, TOLD, f"You said “{name}” about {thing}; p takes it back.")
    return thing


def test_a_session_of_twenty_answers_by_keyboard_with_undo_and_a_reload(config, page):
    assert "There is no group yet" in page.inner_text("#which")
    things = [answer_by_keys(page) for _ in range(10)]
    card = page.inner_text("section")
    page.reload()
    page.wait_for_selector("#rows .row")
    assert page.inner_text("section") == card
    status = page.inner_text("#status")
    assert re.fullmatch(r"10 answered · 3 groups · guessed \d+ of your last 10", status)
    page.keyboard.press("p")
    wait_for(page, TOLD, f"Taken back: the answer to {things[-1]}.")
    assert page.inner_text(THING) == things[-1]
    page.keyboard.press("u")
    wait_for(page, TOLD, f"You said unsure about {things[-1]};")
    page.keyboard.press("o")
    wait_for(page, TOLD, "You said fits nowhere about")
    things += [answer_by_keys(page) for _ in range(9)]
    assert len(set(things)) == 19
    status = page.inner_text("#status")
    assert status.startswith("20 answered · 3 groups · the last 10 answers moved ")
    assert status.endswith(" · k = 3 is settled")
    assert sorted(offered(page)) == sorted(KINDS)
    page.keyboard.press("f")
    wait_for(page, "h1", "Finished")
    assert "20 answers kept. Go on:" in page.inner_text("main")
    assert page.inner_text("code") == THEN
    assert len(asked(config)) == 22


def test_keys_on_demand_and_none_that_were_meant_for_something_else(config, page):
    page.keyboard.press("n")
    page.keyboard.type("nuopf?mr1")  # is a name, and no keys
    page.keyboard.press("Escape")
    assert page.evaluate("document.activeElement.dataset.key") == "n"
    page.keyboard.press("Control+u")
    page.keyboard.press("1")
    assert page.is_hidden("#naming")
    page.keyboard.press("?")
    page.wait_for_selector("#nearest li")
    assert page.inner_text("#why").startswith("Asked because its answer covers about ")
    assert "Nearest in images" in page.inner_text("#nearest")
    page.keyboard.press("?")
    assert page.is_hidden("#explained")
    assert asked(config) == []
    for name in ("a", "b", "c", "d", "e"):
        name_by_keys(page, name)
        wait_for(page, TOLD, f"You said “{name}” about ")
    assert len(offered(page)) == 4
    # the guess is not preselected
    assert page.evaluate("document.activeElement.closest('#groups')") is None
    page.keyboard.press("x")
    page.keyboard.press("m")
    assert len(offered(page)) == 5
    page.keyboard.press("m")
    fifth = page.evaluate("state.card.groups[4]")  # not shown, and has its key
    assert fifth["key"] == str("abcde".index(fifth["name"]) + 1)
    page.keyboard.press(fifth["key"])
    wait_for(page, TOLD, f"You said “{fifth['name']}” about ")
    wait_for(page, TOLD, "The first guess was another group.")
    assert page.inner_text("#look").startswith("You said ")  # the fifth was no good answer
    page.keyboard.press("1")
    wait_for(page, TOLD, "You said “a” about ")
    assert len(asked(config)) == 7


def test_groups_are_renamed_and_merged_and_answers_changed(page):
    while len(offered(page)) < 3:
        answer_by_keys(page)
    page.click("summary >> text=Groups")
    names = [page.inner_text(f"#all-groups li:nth-child({n})").split(" (")[0] for n in (1, 2, 3)]
    page.click("#all-groups li:nth-child(3) button")
    page.keyboard.press("Escape")
    assert page.evaluate("document.activeElement.textContent") == "Rename"
    page.keyboard.press("Enter")
    page.fill("#all-groups input", "")
    page.keyboard.press("Enter")
    assert page.evaluate("document.querySelector(':invalid input').validity.valueMissing")
    page.click("#all-groups >> text=Cancel")
    page.click("#all-groups li:nth-child(3) button")
    page.fill("#all-groups input", "elsewhere ")
    page.keyboard.press("Enter")
    wait_for(page, "#all-groups", "elsewhere (")
    wait_for(page, TOLD, f"You said “{names[2]}” is now called “elsewhere”; p takes it back.")
    assert page.evaluate("document.activeElement.ariaLabel") == "Rename elsewhere"
    page.select_option("#gone", label="elsewhere")
    page.select_option("#kept", label=names[0])
    page.click("#merging button")
    page.wait_for_function("() => document.querySelectorAll('#all-groups li').length === 2")
    wait_for(page, TOLD, f"You said “elsewhere” into “{names[0]}”; p takes it back.")
    page.click("summary >> text=What was said")
    first = page.inner_text("#said li:last-child").split(": ")[0]
    page.click("#said li:last-child button")
    wait_for(page, THING, first)
    assert page.inner_text("#look").startswith(f"You said “{names[0]}”.")
    page.click("text=Keep it")
    wait_for_another(page, first)
    page.click("#said li:last-child button")
    wait_for(page, THING, first)
    page.keyboard.press("o")
    wait_for(page, "#said", f"{first}: fits nowhere")


def test_two_tabs_do_not_answer_for_each_other(config, visit):
    with serving(config) as server:
        one, other = visit(server.address), visit(server.address, expects=["409 (Conflict)"])
        thing = answer_by_keys(one)
        other.keyboard.press("u")
        said = "Something else was said since this page was loaded; here is the present state."
        wait_for(other, PROBLEM, f"{said} Not taken: {thing}: unsure.")
        assert other.inner_text(THING) == one.inner_text(THING) != thing
        second = answer_by_keys(other)
        assert other.is_hidden(PROBLEM)
    assert [line.split(",")[0] for line in asked(config)] == [thing, second]


def test_a_double_click_is_no_answer_to_the_next_card(config, page):
    for name in KINDS:
        name_by_keys(page, name)
        wait_for(page, TOLD, f"You said “{name}” about ")
    thing, first = page.inner_text(THING), page.locator("#groups button").first
    first.click()
    wait_for_another(page, thing)
    first.dispatch_event("click", {"detail": 2})
    page.keyboard.press("u")  # is taken, unless an answer is on its way
    wait_for(page, TOLD, "You said unsure about ")
    assert len(asked(config)) == 5


def test_what_was_not_sent_stays_in_sight_whatever_else_is_tried(config, visit):
    with serving(config) as server:
        page = visit(server.address, expects=["ERR_INTERNET_DISCONNECTED"])
        answer_by_keys(page)
        thing = page.inner_text(THING)
        page.context.set_offline(True)
        name_by_keys(page, "a name")
        not_sent = f"Not sent: {thing}: new group “a name”."
        wait_for(page, PROBLEM, not_sent)
        assert page.inner_text(PROBLEM).startswith("The server is gone. Start mvcc ask again, ")
        assert page.input_value("#name") == "a name"
        focused = "document.activeElement.textContent"
        assert page.evaluate(focused) == "r Try this one again"
        page.click("summary >> text=What was said")
        for again in (True, False):
            page.context.set_offline(again)
            page.click("#said button")
            page.click("#groups button")
            page.keyboard.press("o")
            assert page.evaluate(focused) == "r Try this one again"
            assert not_sent in page.inner_text(PROBLEM)
        page.click("text=Try this one again")
        wait_for(page, TOLD, f"You said “a name” about {thing};")
    assert len(asked(config)) == 2


@pytest.mark.parametrize(("key", "request_to"), [("u", "**/answer"), ("?", "**/nearest?*")])
def test_a_page_that_waits_for_the_server_is_dimmed(page, key, request_to):
    held = []
    page.route(request_to, lambda route: held.append(route))
    with page.expect_request(request_to):
        page.click(f"[data-key='{key}']")
    opacity = "getComputedStyle(document.querySelector('main')).opacity"
    page.wait_for_function(f"() => {opacity} === '0.6'")
    held[0].continue_()
    page.wait_for_function(f"() => {opacity} === '1'")


def test_what_comes_when_the_page_has_ended_changes_nothing(config, visit):
    held = []
    with serving(config) as server:
        page = visit(server.address, expects=["ERR_FAILED"])
        page.route("**/nearest?*", lambda route: held.append(route))
        with page.expect_request("**/nearest?*"):
            page.click("[aria-controls=explained]")
        page.keyboard.press("f")
        page.wait_for_selector("text=Finished")
        with page.expect_event("requestfailed"):
            held[0].abort()
        page.evaluate(PAINTED)


def test_an_answer_whose_response_was_lost_had_arrived(config, visit):
    to_lose = []

    def lose(route):
        if not to_lose:
            return route.continue_()
        to_lose.pop()
        route.fetch()
        return route.abort()

    with serving(config) as server:
        page = visit(server.address, expects=["ERR_FAILED", "409 (Conflict)"])
        page.route("**/answer", lose)
        for keys, words in ((["u"], "unsure"), (["n", "Enter"], "a new group")):
            thing = page.inner_text(THING)
            to_lose.append(words)
            for key in keys:
                page.keyboard.press(key)
            wait_for(page, PROBLEM, f"Not sent: {thing}: {words}.")
            page.keyboard.press("r")
            wait_for(page, TOLD, f"Had arrived: {thing}: {words}.")
            assert page.is_hidden(PROBLEM)
        to_lose.append("undo")
        page.keyboard.press("p")
        wait_for(page, PROBLEM, "Not sent: undo.")
        page.keyboard.press("r")
        wait_for(page, PROBLEM, "Perhaps this had arrived: undo.")
    assert len(asked(config)) == 3


def test_a_server_that_was_started_anew_has_another_address(config, visit):
    with serving(config) as server:
        page = visit(server.address, expects=["404 (Not Found)"])
        thing = page.inner_text(THING)
    with serving(config, server.server_port):
        page.keyboard.press("u")
        address = "with another address: open the one that it shows. "
        wait_for(page, PROBLEM, f"{address}Not sent: {thing}: unsure.")
    assert asked(config) == []


def test_pictures_fit_a_phone_and_are_answered_by_touch(config, visit):
    with serving(config) as server:
        page = visit(server.address, 390, has_touch=True, is_mobile=True, color_scheme="dark")
        for name in KINDS:
            page.tap("[data-key=n]")
            page.fill("#name", name * 12)
            page.tap("text=Open the group")
            wait_for(page, TOLD, name)
        page.tap("[data-key='?']")
        page.wait_for_selector("#nearest li")
        page.evaluate(UNFOLD)
        assert page.evaluate(SCROLLED) == 390
        page.tap("#groups button >> nth=0")
        wait_for(page, "#status", "4 answered")
        images = "[...document.querySelectorAll('img')]"
        loaded = f"{images}.every((one) => one.complete && one.naturalWidth === 1)"
        page.wait_for_function(f"() => {images}.length > 0 && {loaded}")
        is_small = "(one) => one.checkVisibility() && one.offsetHeight < 44"
        assert not page.eval_on_selector_all("button", f"(all) => all.some({is_small})")


@pytest.mark.parametrize("name", ["<script>alert(2)</script>&amp;", "constructor"])
def test_markup_in_ids_and_words_of_programs_in_names_are_shown_literally(tmp_path, visit, name):
    config = write_tables(tmp_path, "<img src=x onerror=alert(1)>")
    with serving(config) as server:
        page = visit(server.address)
        name_by_keys(page, name)
        wait_for(page, TOLD, f"You said “{name}” about ")
        assert offered(page) == [name]
        while "texts:" not in page.inner_text(THING):
            page.keyboard.press("u")
            wait_for(page, TOLD, "unsure")
        assert "<img src=x onerror=alert(1)>" in page.inner_text(THING)
        page.click("summary >> text=What was said")
        page.click("#said li:last-child button")
        wait_for(page, "#look", f"You said “{name}”.")
        assert page.locator("img[src=x], main script").count() == 0


def test_bars_have_a_value_and_a_unit(config, visit):
    config.write_text(config.read_text().partition("show:")[0])
    with serving(config) as server:
        page = visit(server.address)
        captions = page.locator("#rows .bars caption").all_inner_texts()
        view, id = page.inner_text("#rows .row h2").split()
        bars = page.locator("#rows .row").first.locator("tr").all_inner_texts()
    assert {*captions} == {"Values, and standard deviations from the mean"}
    (row,) = (row for row in read_csv(config.with_name(f"{view}.csv")) if row["id"] == id)
    shown = dict(bar.split()[:2] for bar in bars)
    assert shown == {column: f"{float(row[column]):g}" for column in shown}
    assert shown


def test_a_name_from_right_to_left_turns_nothing_beside_it(page):
    name_by_keys(page, "שלום")
    wait_for(page, TOLD, "שלום")
    name, size = (page.locator(f"#groups button {at}").bounding_box() for at in ("strong", ".soft"))
    assert name["x"] + name["width"] <= size["x"]


def test_everything_can_be_reached_by_tab(page):
    while len(offered(page)) < 2:
        answer_by_keys(page)
    page.evaluate(UNFOLD)
    reached = set()
    for _ in range(60):
        page.keyboard.press("Tab")
        reached.add(page.evaluate("document.activeElement.textContent"))
    buttons = page.locator("button:visible").all_text_contents()
    assert set(buttons) <= reached
    thing = page.inner_text(THING)
    page.locator("#groups button").first.focus()
    page.keyboard.press("Enter")
    wait_for(page, TOLD, f"about {thing};")


def test_when_nothing_is_left_it_says_so(tmp_path, visit):
    config = write_tables(tmp_path, n=10)
    with serving(config) as server:
        page = visit(server.address)
        for _ in range(10 + 5):
            thing = page.inner_text(THING)
            page.keyboard.press("u")
            wait_for_another(page, thing)
        assert page.inner_text(THING) == "Nothing is left to ask about."
        assert page.is_hidden("[data-key=u]")
        page.keyboard.press("u")
        page.keyboard.press("p")
        wait_for(page, TOLD, "Taken back")
        assert page.is_visible("[data-key=u]")
