"""The report of a clustering in a real browser: every control is used, by mouse and by keyboard."""

from collections import Counter
from itertools import combinations

import pytest

from tests.browser.conftest import DARK, DRAWN, LIGHT, PAINTED, PAPER, SCROLLED, TWO, UNFOLD
from tests.browser.facts import make_facts

pytestmark = [pytest.mark.slow, pytest.mark.browser]

RINGS = "() => report.marked().map((rows) => rows.length)"
STATUS = "#selection"
OF_IMAGES = "() => document.getElementById('selection').textContent.includes('of images')"


PICTURE = """() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(
    () => done([...document.querySelectorAll('canvas')].map((one) => one.toDataURL())))))"""


def drawn(page):
    """Return what every canvas shows, once it is drawn."""
    return page.evaluate(PICTURE)


def span(page, chart=0):
    return page.evaluate("(n) => report.span(n).x", chart)


def place_of(page, row, chart=0):
    """Return where a row is drawn, in pixels of the window."""
    return page.evaluate(
        """([n, row]) => {
            const box = document.querySelectorAll('.chart')[n].getBoundingClientRect();
            const [left, top] = report.place(n, row);
            return [box.left + left, box.top + top];
        }""",
        [chart, row],
    )


def color_of(page, row, chart=0):
    """Return the color in the middle of the mark of a row, as a number of three bytes."""
    drawn(page)
    return page.evaluate(
        """([n, row]) => {
            const [left, top] = report.place(n, row).map(Math.round);
            const pen = new OffscreenCanvas(1, 1).getContext('2d', {willReadFrequently: true});
            pen.drawImage(document.querySelectorAll('canvas')[n], -left, -top);
            const [red, green, blue] = pen.getImageData(0, 0, 1, 1).data;
            return (red << 16) + (green << 8) + blue;
        }""",
        [chart, row],
    )


def follow(page, scheme):
    """Let the system change its colors."""
    page.emulate_media(color_scheme=scheme)
    page.wait_for_function(
        "(scheme) => matchMedia(`(prefers-color-scheme: ${scheme})`).matches", arg=scheme
    )
    page.evaluate(PAINTED)


def find(page, name):
    page.fill("#row-name", name)
    page.keyboard.press("Enter")


def lonely(facts, view):
    """Return a row that no other covers."""
    points = list(zip(facts["views"][view]["x"], facts["views"][view]["y"], strict=True))
    return max(
        range(40),
        key=lambda i: min(abs(complex(*points[i]) - complex(*p)) for p in points if p != points[i]),
    )


def test_a_row_is_found_by_name_and_marked_with_its_counterpart(page):
    find(page, "t7")
    assert page.inner_text(STATUS).startswith("“t7” of texts: cluster ")
    assert "in images: “i7”" in page.inner_text(STATUS)
    assert page.evaluate(RINGS) == [1, 1]
    page.keyboard.press("Escape")
    assert page.inner_text(STATUS) == "No row is selected."
    assert page.evaluate(RINGS) == [0, 0]


def test_a_row_without_counterpart_is_marked_alone(page):
    page.fill("#row-name", "t119")
    page.click("#find >> text=Show")
    assert page.inner_text(STATUS).endswith("; no match.")
    assert page.evaluate(RINGS) == [1, 0]
    page.click("#clear")
    assert page.evaluate(RINGS) == [0, 0]
    assert page.evaluate("document.activeElement.textContent") == "Show"  # where one was


def test_the_search_offers_names_and_says_when_there_is_none(page):
    page.fill("#row-name", "i8")
    offered = "[...document.querySelectorAll('#row-names option')].map((one) => one.value)"
    assert page.evaluate(offered)[:2] == ["i8", "i80"]
    page.select_option("#row-view", label="texts")
    assert page.evaluate(offered) == []
    page.click("#find >> text=Show")
    assert page.inner_text(STATUS) == "No row has “i8” in its name."
    page.fill("#row-name", " ")
    page.click("#find >> text=Show")
    assert page.inner_text(STATUS) == "Type the name of a row first."


def test_a_click_on_a_point_selects_it_and_hover_tells_of_it(page):
    row = lonely(make_facts(TWO, n_given=12), 1)
    page.locator(".chart").nth(1).scroll_into_view_if_needed()
    page.mouse.move(*place_of(page, row, 1))
    page.wait_for_selector(".tip:visible")
    told = page.inner_text(".tip:visible")
    parts = (f"i{row}", "cluster ", "label: class ", "stability: ", f"in texts: t{row}")
    assert all(part in told for part in parts)
    page.mouse.click(*place_of(page, row, 1))
    page.wait_for_function(OF_IMAGES)
    assert page.inner_text(STATUS).startswith(f"“i{row}” of images")
    assert page.evaluate(RINGS) == [1, 1]


PLACES = """() => [scrollY, document.documentElement.scrollHeight,
    ...[...document.querySelectorAll('.chart, h2, table')]
        .map((one) => one.getBoundingClientRect().top)]"""


@pytest.mark.parametrize("width", [1300, 390])
def test_a_click_moves_nothing(open_page, report, width):
    page = open_page(report("two", TWO, n_given=12), width=width)
    facts = make_facts(TWO, n_given=12)
    page.locator(".chart").nth(1).scroll_into_view_if_needed()
    before = page.evaluate(PLACES)
    page.mouse.click(*place_of(page, lonely(facts, 1), 1))
    page.wait_for_function(OF_IMAGES)
    assert page.evaluate(PLACES) == before
    panel = page.locator("#panel").bounding_box()
    assert panel["y"] + panel["height"] <= 900
    assert panel["x"] + panel["width"] <= width
    page.click("#clear")
    assert page.evaluate(PLACES) == before
    page.evaluate(UNFOLD)
    page.locator("details.cluster button.row").first.scroll_into_view_if_needed()
    before = page.evaluate(PLACES)
    page.keyboard.press("Escape")
    page.locator("details.cluster button.row").first.focus()
    page.keyboard.press("Enter")
    assert page.evaluate(PLACES) == before
    page.keyboard.press("Escape")
    assert page.evaluate("document.activeElement.className") == "row"


def test_a_selected_row_shows_its_values_and_its_constraints(page):
    before = drawn(page)
    find(page, "t7")
    assert all(one != other for one, other in zip(drawn(page), before, strict=True))
    values = page.locator("#selection-values > div")
    assert values.nth(0).inner_text().split() == ["height", "107"]
    assert values.nth(1).inner_text().startswith("note")
    page.click("#go")
    assert abs(page.locator("figure").first.bounding_box()["y"]) < 5
    page.keyboard.press("Escape")
    assert drawn(page) == before


def test_one_cluster_is_seen_alone_in_all_maps_by_keyboard(page):
    labels = make_facts(TWO, n_given=12)["views"][0]["labels"]
    inside, outside = labels.index(2), labels.index(1)
    every, (one, other) = drawn(page), (color_of(page, row) for row in (inside, outside))
    page.focus("button.cluster >> nth=2")
    page.keyboard.press("Enter")
    assert page.evaluate("report.alone()") == "2"
    assert color_of(page, inside) == one
    assert color_of(page, outside) != other
    assert page.get_attribute("button.cluster >> nth=2", "aria-pressed") == "true"
    opened = "[...document.querySelectorAll('details.cluster')].map((one) => one.open)"
    assert page.evaluate(opened) == [False, False, True, False, False]
    page.select_option("#coloring", "stability")  # drawing anew does not bring the others back
    page.select_option("#coloring", "cluster")
    assert color_of(page, outside) != other
    page.keyboard.press("Escape")
    assert drawn(page) == every
    page.click("button.cluster >> nth=1")
    page.click("button.cluster >> nth=1")
    assert drawn(page) == every
    page.evaluate(UNFOLD)
    page.click("details.cluster:nth-of-type(2) >> text=Show it in the map")
    assert page.evaluate("report.alone()") == "1"


@pytest.mark.parametrize(
    ("n_clusters", "width", "cards"),
    [(2, 360, [1, 1]), (4, 800, [2, 2]), (5, 1200, [3, 2]), (5, 1280, [5]), (7, 1600, [4, 3])],
)
def test_cards_are_in_even_rows_and_have_marks(open_page, report, n_clusters, width, cards):
    page = open_page(report(f"cards{n_clusters}", TWO, n_clusters=n_clusters), width=width)
    tops = "(all) => all.map((one) => one.getBoundingClientRect().top)"
    assert [*Counter(page.eval_on_selector_all(".cards > li", tops)).values()] == cards
    drawn = "(all) => all.filter((one) => one.getBBox().width > 8).length"
    assert page.eval_on_selector_all(".cards .swatch use", drawn) == n_clusters


def test_on_a_telephone_no_table_of_clusters_is_cut_off(open_page, report):
    facts = make_facts(TWO, n_clusters=15)
    held_out = {"agreement": 0.9, "by_chance": 0.1, "n": 60, "table": [[4] * 15] * 15}
    relations = [one | {"held_out": held_out} for one in facts["relations"]]
    page = open_page(report("telephone", TWO, n_clusters=15, relations=relations), width=390)
    page.evaluate(UNFOLD)
    cut = "(all) => all.filter(({parentElement: p}) => p.scrollWidth > p.clientWidth).length"
    assert page.locator("table.profile").count() == 30
    assert page.eval_on_selector_all("table.profile", cut) == 0
    assert page.evaluate(SCROLLED) <= 390


def test_many_clusters_with_long_names_are_above_the_map_and_fit_on_paper(open_page, report):
    held_out = {"agreement": 0.9, "by_chance": 0.1, "n": 60, "table": [[4] * 60] * 60}
    relations = [one | {"held_out": held_out} for one in make_facts(TWO)["relations"]]
    changes = {"relations": relations, "names": [f"{'long name ' * 20}{n}" for n in range(60)]}
    page = open_page(report("sixty", TWO, n_clusters=60, **changes), width=1300)
    assert page.locator(".legend").first.bounding_box()["height"] < 900
    page.evaluate(UNFOLD)
    page.eval_on_selector(".scroll:has(.confusion)", "(one) => { one.scrollLeft = 500; }")
    region = page.locator(".scroll:has(.confusion)").first.bounding_box()
    assert page.locator(".confusion tbody th").first.bounding_box()["x"] == region["x"]
    page.emulate_media(media="print")
    page.set_viewport_size({"width": 700, "height": 900})
    assert page.evaluate(SCROLLED) == 700


def test_no_number_of_a_cluster_hides_another(open_page, report):
    page = open_page(report("numbers", (600, 90), n_clusters=60))
    page.evaluate(
        """() => { window.written = [];
        const pen = CanvasRenderingContext2D.prototype;
        pen.fillText = (...one) => { window.written.push(one); }; }"""
    )
    page.press(".chart >> nth=0", "+")
    drawn(page)
    written = page.evaluate("window.written")
    assert 5 < len(written) < 60
    for one, other in combinations(written, 2):
        assert abs(one[1] - other[1]) > 12 or abs(one[2] - other[2]) >= 18


def test_a_sampled_row_is_found_by_its_buttons(open_page, report):
    views = make_facts(TWO, n_given=0)["views"]
    views[0]["sample"] = list(range(0, 120, 2))
    views[0]["values"] = [["height", [str(row) for row in range(0, 120, 2)]]]
    page = open_page(report("sampled", TWO, n_given=0, views=views))
    assert "120 rows, of which " in page.inner_text("figcaption >> nth=0")
    page.evaluate(UNFOLD)
    button = page.locator("details.cluster button.row[data-view='0']").first
    row = int(button.get_attribute("data-row"))
    button.click()
    assert page.inner_text(STATUS).startswith(f"“t{row}” of texts")
    shown = page.locator("#selection-values > div").inner_text().split()[1]
    assert shown == ("see" if row % 2 else str(row))


def test_constraints_are_drawn_only_when_asked_for(page):
    boxes = page.locator("input.kind")
    names = [boxes.nth(number).get_attribute("value") for number in range(boxes.count())]
    assert "given must-link" in names
    assert "received cannot-link" in names
    seen = [drawn(page)]
    for number in range(len(names)):
        assert not boxes.nth(number).is_checked()
        boxes.nth(number).check()
        seen.append(drawn(page))
        assert seen[-1] != seen[-2]
    page.select_option("#coloring", "class")  # drawing anew keeps them
    page.select_option("#coloring", "cluster")
    assert drawn(page) == seen[-1]
    for number in range(len(names)):
        boxes.nth(number).focus()
        page.keyboard.press("Space")
    assert drawn(page) == seen[0]


def test_coloring_changes_points_and_legend(page):
    row = lonely(make_facts(TWO, n_given=12), 0)
    by_cluster = color_of(page, row)
    assert page.locator(".legend:visible").count() == 1  # that of the shapes
    page.select_option("#coloring", "stability")
    by_stability = color_of(page, row)
    assert page.locator(".legend:visible").count() == 2
    assert "Stability" in page.inner_text(".legend:visible >> nth=1")
    page.select_option("#coloring", "class")
    assert by_stability not in (by_cluster, color_of(page, row))
    assert "class a" in page.inner_text(".legend:visible >> nth=1")
    page.select_option("#coloring", "cluster")
    assert color_of(page, row) == by_cluster


def test_what_was_chosen_before_has_its_legend_after_coming_back(open_page, report):
    page = open_page(report("two", TWO, n_given=12))
    page.select_option("#coloring", "stability")
    page.goto("about:blank")
    page.go_back()
    page.wait_for_function(DRAWN)
    assert page.input_value("#coloring") == "stability"
    assert "Stability" in page.inner_text(".legend:visible >> nth=1")


def test_a_link_opens_its_cluster_again(page):
    for _ in range(2):
        page.click(".cards a >> nth=1")
        page.wait_for_selector("#cluster-1[open]")
        page.click("#cluster-1 summary")
        page.wait_for_selector("#cluster-1:not([open])")


def test_bars_and_the_chosen_cluster_are_seen_in_forced_colors(open_page, report):
    page = open_page(report("two", TWO, n_given=12), forced_colors="active")
    amount = "getComputedStyle(document.querySelector('.amount')).backgroundColor"
    assert page.evaluate(amount) == "rgb(0, 114, 178)"
    button, seen = page.locator("button.cluster >> nth=1"), set()
    for _ in range(2):
        button.click()
        page.mouse.move(0, 0)
        seen.add(button.screenshot())
    assert len(seen) == 2


def test_what_has_no_label_is_gray_when_colored_by_label(open_page, report):
    views = make_facts(TWO, n_given=12)["views"]
    views[0]["reference"][:2] = ["", "class a"]
    views[1]["reference"] = None
    page = open_page(report("unlabeled", TWO, n_given=12, views=views), color_scheme="light")
    note = page.locator("figcaption >> text=no labels")
    assert note.is_hidden()
    row = lonely(make_facts(TWO, n_given=12), 1)
    by_cluster = color_of(page, row, 1)
    page.select_option("#coloring", "class")
    unlabeled = color_of(page, row, 1)
    assert unlabeled != by_cluster
    channels = [(unlabeled >> 8 * byte) & 255 for byte in range(3)]
    assert max(channels) - min(channels) < 20
    assert note.is_visible()
    assert "no label" in page.inner_text(".legend:visible >> nth=1")
    find(page, "t0")
    assert "label" not in page.inner_text(STATUS)
    page.keyboard.press("Escape")
    page.select_option("#coloring", "cluster")
    assert color_of(page, row, 1) == by_cluster
    assert note.is_hidden()


def test_the_search_says_which_constraints_it_does_not_know(open_page, report):
    views = make_facts(TWO, n_given=12)["views"]
    views[0]["n_propagated"]["must_link"] += 5000
    page = open_page(report("cut", TWO, n_given=12, views=views))
    for name, said in (("t7", True), ("i7", False)):
        find(page, name)
        told = page.inner_text("#selection-constraints")
        assert ("all are in texts/propagated.csv" in told) is said


def test_a_text_on_hover_stays_in_a_narrow_picture(open_page, report):
    views = make_facts(TWO, n_given=12)["views"]
    for view in views:
        view["ids"] = [f"https://example.org/{'path/' * 20}{row}" for row in range(view["n_rows"])]
        long = "Donaudampfschifffahrtsgesellschaftskapitänsklasse 11"
        view["reference"] = [long] * view["n_rows"]
    page = open_page(report("hover", TWO, n_given=12, views=views), width=400)
    page.locator(".chart").nth(0).scroll_into_view_if_needed()
    row = max(range(40), key=views[0]["x"].__getitem__)
    page.mouse.move(*place_of(page, row))
    page.wait_for_selector(".tip:visible")
    text, chart = (page.locator(one).first.bounding_box() for one in (".tip:visible", ".chart"))
    assert chart["x"] <= text["x"]
    assert text["x"] + text["width"] <= chart["x"] + chart["width"]


def test_no_line_ends_within_an_option(open_page, report):
    said = "A lower threshold (--threshold), or --threshold cv, or else --transfer direct-mapping. "
    page = open_page(report("options", TWO, n_given=12, warnings=[said * 4]))
    lines = "(all) => all.map((one) => one.getClientRects().length)"
    for width in (320, 360, 400):
        page.set_viewport_size({"width": width, "height": 900})
        assert page.eval_on_selector_all(".warnings code", lines) == [1] * 12


def test_zoom_by_buttons_and_by_keys(page):
    start = span(page)
    page.click("[data-zoom=in] >> nth=0")
    near = span(page)
    assert near[1] - near[0] < start[1] - start[0]
    page.focus(".chart >> nth=0")
    page.keyboard.press("ArrowRight")
    assert span(page)[0] > near[0]
    page.keyboard.press("-")
    page.keyboard.press("ArrowUp")
    page.select_option("#coloring", "stability")
    assert span(page) != start  # another coloring keeps the place
    page.focus(".chart >> nth=0")
    page.keyboard.press("0")
    assert span(page) == pytest.approx(start)
    page.click("[data-zoom=out] >> nth=0")
    assert span(page)[0] < start[0]
    page.click("[data-zoom=all] >> nth=0")
    assert span(page) == pytest.approx(start)


def test_a_picture_can_be_saved(open_page, report):
    views = make_facts(TWO)["views"]
    views[1]["name"] = "写真-2"
    page = open_page(report("saved", TWO, views=views))
    with page.expect_download() as download:
        page.click("[data-zoom=save] >> nth=1")
    assert download.value.suggested_filename == "写真-2.png"
    assert download.value.path().read_bytes().startswith(b"\x89PNG")


def test_the_keyboard_reaches_every_control_and_shows_where_it_is(open_page, report):
    page = open_page(report("keys", (30, 20), n_clusters=2, n_given=6))
    page.evaluate(UNFOLD)
    controls = "a[href], button:enabled, input, select, summary, .chart"
    seen = "(all) => all.filter((one) => one.checkVisibility()).length"
    expected = page.eval_on_selector_all(controls, seen)
    page.focus(".skip")
    reached, hidden = 1, []
    for _ in range(expected + 60):
        page.keyboard.press("Tab")
        here = page.evaluate(
            """(controls) => {
                const one = document.activeElement;
                if (one === document.body) { return null; }
                const outline = getComputedStyle(one).outlineStyle;
                return [one.matches(controls), outline, one.outerHTML.slice(0, 80)];
            }""",
            controls,
        )
        if here is None:
            break
        reached += here[0]
        if here[1] == "none":
            hidden.append(here[2])
    assert reached == expected
    assert hidden == []


def test_dark_follows_the_system_until_the_button_is_used(open_page, report):
    page = open_page(report("two", TWO, n_given=12), color_scheme="dark")
    assert page.evaluate(PAPER) == DARK
    assert page.inner_text("#theme") == "Light colors"
    find(page, "t7")
    follow(page, "light")
    assert page.evaluate(PAPER) == LIGHT
    assert page.inner_text("#theme") == "Dark colors"
    page.focus("#theme")
    page.keyboard.press("Enter")
    assert page.evaluate(PAPER) == DARK
    assert page.inner_text("#theme") == "Light colors"
    assert page.evaluate(RINGS) == [1, 1]  # what is selected stays
    follow(page, "dark")
    follow(page, "light")
    assert page.evaluate(PAPER) == DARK
    page.click("#theme")
    assert page.evaluate(PAPER) == LIGHT


@pytest.mark.parametrize("rows", [(60,), (40,) * 5], ids=len)
def test_nothing_is_wider_than_the_window(open_page, report, rows):
    page = open_page(report(f"views{len(rows)}", rows))
    page.evaluate(UNFOLD)
    assert page.locator(".chart canvas").count() == len(rows)
    for width in (1300, 400):
        page.set_viewport_size({"width": width, "height": 900})
        page.wait_for_function(
            "(width) => [...document.querySelectorAll('.chart')].every((one) =>"
            " Math.abs(one.firstChild.width - one.clientWidth) < 2 && one.clientWidth < width)",
            arg=width,
        )
        assert page.evaluate(SCROLLED) <= width


def test_long_names_do_not_widen_the_page(open_page, report):
    facts = make_facts((30, 20))
    facts["views"][0]["ids"] = [f"{'long' * 60}{row}" for row in range(30)]
    facts["views"][0]["name"] = "x" * 300
    dispute = {"id": "x:long", "rows": [f"x:{'long' * 60}"], "said": []}
    together = {"people": [], "agreements": [], "disputed": [dispute]}
    changes = {"views": facts["views"], "title": "y" * 300, "together": together}
    page = open_page(report("long", (30, 20), **changes), width=400)
    find(page, facts["views"][0]["ids"][3])
    page.evaluate(UNFOLD)
    assert page.evaluate(SCROLLED) <= 400


SHEET = """() => [document.querySelectorAll('details:not([open])').length,
    getComputedStyle(document.body).backgroundColor,
    document.querySelector('canvas').clientWidth]"""


def test_on_paper_everything_is_open_and_white_and_afterwards_as_it_was(open_page, report):
    page = open_page(report("two", TWO, n_given=12), color_scheme="dark")
    before = page.evaluate(SHEET)
    assert before[0] > 0
    page.evaluate(f"addEventListener('beforeprint', () => {{ window.printed = ({SHEET})(); }})")
    assert page.pdf(format="A4").startswith(b"%PDF")
    folded, ground, width = page.evaluate("window.printed")
    assert (folded, ground) == (0, "rgb(255, 255, 255)")
    assert width <= 680
    page.wait_for_function(
        f"(before) => JSON.stringify(({SHEET})()) === JSON.stringify(before)", arg=before
    )


def test_many_points_stay_usable(open_page, report):
    page = open_page(report("many", (8000, 5000)))
    find(page, "t4321")
    assert page.inner_text(STATUS).startswith("“t4321” of texts")
    before = drawn(page)
    page.select_option("#coloring", "stability")
    assert drawn(page) != before
    assert page.evaluate(RINGS) == [1, 0]


def test_dragging_moves_the_map_and_selects_nothing(page):
    page.locator(".chart").nth(0).scroll_into_view_if_needed()
    start, (left, top) = span(page), place_of(page, 7)
    page.mouse.move(left, top)
    page.mouse.down()
    page.mouse.move(left + 30, top + 10, steps=3)
    page.mouse.up()
    assert span(page)[0] < start[0]
    assert place_of(page, 7) == pytest.approx([left + 30, top + 10], abs=1)
    assert page.evaluate(RINGS) == [0, 0]
    page.mouse.dblclick(left, top)
    assert span(page) == start
    page.keyboard.down("Control")
    page.mouse.wheel(0, -100)
    page.keyboard.up("Control")
    page.wait_for_function("(start) => report.span(0).x[0] > start", arg=start[0])


def test_two_fingers_zoom_the_map_about_their_middle_and_select_nothing(open_page, report):
    page = open_page(report("two", TWO, n_given=12), width=390, has_touch=True, is_mobile=True)
    page.locator(".chart").nth(0).scroll_into_view_if_needed()
    wide, (left, top) = span(page), place_of(page, 7)
    touch = page.context.new_cdp_session(page)

    def put(kind, *apart):
        points = [{"x": left + way, "y": top, "id": number} for number, way in enumerate(apart)]
        touch.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": points})

    put("touchStart", -20, 20)
    for way in (30, 40):
        put("touchMove", -way, way)
    put("touchEnd")
    page.wait_for_function("(wide) => report.span(0).x[1] < wide[1]", arg=wide)
    near = span(page)
    assert (wide[1] - wide[0]) / (near[1] - near[0]) == pytest.approx(2, rel=0.05)
    assert place_of(page, 7) == pytest.approx([left, top], abs=1)
    assert page.evaluate(RINGS) == [0, 0]
    put("touchStart", 0)  # one finger moves what is zoomed
    put("touchMove", 30)
    put("touchMove", 60)
    put("touchEnd")
    page.wait_for_function("(near) => report.span(0).x[0] < near[0]", arg=near)
    assert page.evaluate("scrollX") == 0


def test_texts_of_users_are_shown_and_never_run(open_page, report):
    evil = "<img src=x onerror=document.title='run'></script><script>document.title='run'</script>"
    facts = make_facts((30, 20), warnings=[evil], command=evil, title=evil)
    view = facts["views"][0]
    view |= {"name": evil, "features": evil, "axes": [evil, "<b>bold</b>"]}
    view |= {"ids": [f"{evil}{row}" for row in range(30)], "reference": [evil] * 30}
    page = open_page(report("evil", (30, 20), **facts))
    find(page, f"{evil}7")
    assert page.inner_text(STATUS).startswith(f"“{evil}7” of {evil}: cluster ")
    assert page.title() == f"Clusters of {evil}"
    assert page.locator("img, b").count() == 0
    assert page.locator(".axes").first.text_content() == f"Across: {evil}. Up: <b>bold</b>."
