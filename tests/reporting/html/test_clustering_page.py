"""The page of a clustering.

Everything is in it, nothing in it can run or ask the network, always the same bytes.
"""

from __future__ import annotations

import hashlib
import json
import re
from base64 import b64encode
from html.parser import HTMLParser
from itertools import pairwise

import numpy as np
import pytest

from mvcc import cluster_views
from mvcc.exceptions import StoreError
from mvcc.reporting.html._page import plotly_text, script_json
from mvcc.reporting.html._words import options, percent, rows_of_settings, symbol
from tests.browser.facts import make_facts
from tests.reports import write_clustering_report

EVIL = "</script><script>alert(1)</script><img src=x onerror=alert(1)>\u2028\"'&amp;{{ 7*7 }}"


class Page(HTMLParser):
    """Elements, texts and scripts of a page."""

    def __init__(self, source: str) -> None:
        super().__init__()
        self.elements: list[tuple[str, dict[str, str | None]]] = []
        self.scripts: list[str] = []
        self.parts: list[str] = []
        self.inside = ""
        self.feed(source)
        self.text = " ".join(" ".join(self.parts).split())

    def handle_starttag(self, tag, attrs):
        self.elements.append((tag, dict(attrs)))
        self.inside = tag

    def handle_endtag(self, tag):
        self.inside = ""

    def handle_data(self, data):
        if self.inside == "script":
            self.scripts.append(data)
        elif self.inside != "style":
            self.parts.append(data)


@pytest.fixture
def write(tmp_path):
    def write(facts):
        path = tmp_path / "report.html"
        write_clustering_report(facts, path)
        return path.read_text(encoding="utf-8")

    return write


@pytest.fixture
def page(write):
    def page(facts):
        return Page(write(facts))

    return page


def data_of(page):
    return json.loads(page.scripts[0])


def test_the_same_facts_give_the_same_bytes(write):
    assert write(make_facts((40, 30))) == write(make_facts((40, 30)))


@pytest.mark.parametrize("rows", [(30,), (30, 20), (30, 20, 25), (10,) * 5], ids=len)
def test_every_view_has_a_plot_a_search_and_sizes(page, rows):
    facts = make_facts(rows, n_clusters=3)
    made = page(facts)
    assert [
        attributes["id"] for _, attributes in made.elements if attributes.get("class") == "chart"
    ] == [f"plot-{number}" for number in range(len(rows))]
    views = data_of(made)["views"]
    assert [view["ids"] for view in views] == [view["ids"] for view in facts["views"]]
    for view, drawn in zip(facts["views"], views, strict=True):
        points = next(trace for trace in drawn["figure"]["data"] if trace["name"] == "rows")
        assert points["x"] == pytest.approx(view["x"], rel=1e-4)
        for cluster in range(3):
            assert f"{view['labels'].count(cluster)} (" in made.text


def test_the_page_carries_no_address_and_its_policy_forbids_every_request(page):
    made = page(make_facts((30, 20)))
    for tag, attributes in made.elements:
        for name in ("src", "href", "action", "formaction", "poster", "data", "srcset"):
            assert (attributes.get(name) or "#").startswith(("#", "data:")), (tag, attributes)
        assert not any(name.startswith("on") for name in attributes)
    policy = next(
        a["content"] for tag, a in made.elements if a.get("http-equiv") == "Content-Security-Policy"
    )
    rules = dict(rule.split(" ", 1) for rule in policy.split("; "))
    assert rules["default-src"] == "'none'"
    assert rules["img-src"] == "data: blob:"
    assert rules["base-uri"] == rules["form-action"] == "'none'"
    hashes = [
        f"'sha256-{b64encode(hashlib.sha256(s.encode()).digest()).decode()}'"
        for s in made.scripts[1:]
    ]
    assert rules["script-src"].split() == hashes
    assert set(rules) == {
        "default-src",
        "script-src",
        "style-src",
        "img-src",
        "base-uri",
        "form-action",
    }


def test_only_a_page_drawn_by_the_graphics_card_may_compose_programs(write):
    assert "unsafe-eval" not in write(make_facts((3000, 20)))[:2000]
    assert "unsafe-eval" in write(make_facts((3001, 20)))[:2000]


def test_texts_of_users_stay_texts(page):
    facts = make_facts(
        (30, 20),
        title=EVIL,
        warnings=[EVIL],
        command=EVIL,
        settings={EVIL: {EVIL: EVIL}},
        names=[EVIL] * 5,
    )
    plain = make_facts((30, 20), warnings=["x"], settings={"a": {"b": "c"}}, names=["x"] * 5)
    for view in plain["views"]:
        view.update(names=["x"] * plain["n_clusters"], outliers=["y"])
    harmless = page(plain)
    for view in facts["views"]:
        view.update(name=EVIL, source=EVIL, features=EVIL, axes=[EVIL, EVIL])
        view["ids"] = [f"{EVIL}{row}" for row in range(view["n_rows"])]
        view["reference"] = [EVIL + label for label in view["reference"]]
        view["names"] = [EVIL] * facts["n_clusters"]
        view["values"] = [[EVIL, [EVIL] * view["n_rows"]]]
        view["outliers"] = [EVIL]
        for kind in ("given", "violated", "propagated", "received"):
            view[kind] = [[*link[:-1], EVIL] for link in view[kind]]
    for one in (one for own in facts["profiles"] for one in own):
        one["name"] = EVIL
        one["columns"] = [column | {"column": EVIL, "rule": EVIL} for column in one["columns"]]
        one["columns"][1]["shares"] = [
            [EVIL, *shares] for _, *shares in one["columns"][1]["shares"]
        ]
        one["words"] = [[EVIL, *shares] for _, *shares in one["words"]]
    facts["inputs"][0]["path"] = facts["relations"][0]["source"] = EVIL
    made = page(facts)
    assert [tag for tag, _ in made.elements] == [tag for tag, _ in harmless.elements]
    assert {name for _, a in made.elements for name in a} == {
        name for _, a in harmless.elements for name in a
    }
    assert " ".join(EVIL.split()) in made.text
    assert data_of(made)["views"][0]["ids"][3] == f"{EVIL}3"


def test_nothing_in_the_data_ends_its_script():
    text = script_json({"a": ["<!--<script>", "</script>", "&", "\u2028\u2029é\ud800"]})
    assert not set("<>&\u2028\u2029é\ud800") & set(text)
    assert json.loads(text) == {"a": ["<!--<script>", "</script>", "&", "\u2028\u2029é\ud800"]}


def test_markup_of_plotly_is_escaped_in_hover_texts_and_axes(page):
    facts = make_facts((30, 20))
    facts["views"][0]["ids"][5] = '<a href="https://x">&lt;b&gt;'
    facts["views"][0]["axes"][0] = "<b>bold</b>"
    figure = data_of(page(facts))["views"][0]["figure"]
    hover = next(trace for trace in figure["data"] if trace["name"] == "rows")["text"][5]
    assert hover.startswith('<b>&lt;a href="https://x"&gt;&amp;lt;b&amp;gt;</b><br>cluster ')
    assert (
        figure["layout"]["xaxis"]["title"]["text"]
        == plotly_text("<b>bold</b>")
        == "&lt;b&gt;bold&lt;/b&gt;"
    )


def test_half_a_surrogate_pair_is_no_reason_to_fail(write):
    facts = make_facts((30, 20))
    facts["views"][0]["ids"][0] = facts["title"] = "\ud800"
    assert "Clusters of ?" in write(facts)


def test_hover_tells_cluster_reference_stability_and_counterparts(page):
    facts = make_facts((30, 20))
    facts["views"][0]["stability"][0] = 0.8
    facts["relations"][0]["pairs"] = [[0, 4], [0, 7]]
    view = facts["views"][0]
    data = data_of(page(facts))["views"]
    hover = [next(t for t in one["figure"]["data"] if t["name"] == "rows")["text"] for one in data]
    label, cluster = view["reference"][0], view["labels"][0]
    assert (
        hover[0][0]
        == f"<b>t0</b><br>cluster {cluster}<br>reference label: {label}<br>stability: 80 %<br>in"
        " images: i4, i7"
    )
    assert hover[1][7].endswith("<br>in texts: t0")
    assert hover[1][8].endswith("<br>no counterpart known")


def test_names_of_clusters_stand_in_legend_tables_and_hover_texts(page):
    facts = make_facts((30, 20))
    names = ["", "harbor", "street", "<b>", "garden"]
    facts["views"][0]["names"], facts["views"][1]["names"] = (
        names,
        ["shop", "harbor", "", "", "park"],
    )
    facts["names"] = ["shop", "harbor", "street", "<b>", "garden / park"]
    made = page(facts)
    assert all(
        f" {name} " in made.text
        for name in ("0 shop", "1 harbor", "2 street", "3 <b>", "4 garden / park")
    )
    view = data_of(made)["views"][0]
    hover = next(trace for trace in view["figure"]["data"] if trace["name"] == "rows")["text"]
    shown = [
        "cluster 0",
        "cluster 1 (harbor)",
        "cluster 2 (street)",
        "cluster 3 (&lt;b&gt;)",
        "cluster 4 (garden)",
    ]
    assert [text.split("<br>")[1] for text in hover] == [shown[label] for label in view["labels"]]


def test_every_cluster_has_a_section_with_columns_words_and_rows(page):
    facts = make_facts((130, 90))
    text = page(facts).text
    one = facts["profiles"][0][2]
    section = text.split("Clusters, one by one")[2].split("Show it in the pictures")[3]
    assert (
        f"texts {one['size']} rows; high height, shop = Rome 2 column inside outside distribution "
        in section
    )
    assert (
        "height ≥ 120 90 % 20 % median 130, outside 100 shop = Rome 75 % 25 % Rome 75 %, outside"
        " 25 %; " in section
    )
    assert (
        "Words (share of texts, and outside) : harbor (50 %, 10 %) , crane (25 %, 0 %)" in section
    )
    assert (
        f"Typical: {' '.join(f't{row}' for row in one['typical'])} Borderline (next cluster) : "
        in section
    )
    assert f"t{one['borderline'][0][0]} (3) " in section
    assert f"Fits badly: t{one['misfits'][0]} " in section
    facts["profiles"][0][2] |= {"columns": [], "words": []}
    assert page(facts).text.count("No column sets it apart beyond chance.") == 1
    del facts["profiles"]
    assert "Clusters, one by one" not in page(facts).text


def test_of_very_many_rows_the_page_tells_of_anchors_and_how_exact_eigenvectors_are(page):
    X = np.random.default_rng(0).normal(size=(40, 3)) + 9 * (np.arange(40) % 2)[:, None]
    facts = cluster_views({"texts": X}, n_clusters=2, stability_runs=0, comparison=False).facts
    assert facts["joint"]["anchors"] == []
    assert 0 < facts["joint"]["residual"] < 1e-12
    assert "eigenvectors" not in page(facts).text
    facts["joint"] |= {"anchors": [1200], "residual": 0.0008}
    assert (
        "The rows of each view are tied to 1,200 anchors, the means of small groups of rows. The"
        " eigenvectors of the graph have residuals of at most 0.0008." in page(facts).text
    )
    facts["joint"] |= {"anchors": [], "recall": [0.98]}  # as earlier versions wrote it
    assert "anchors" not in page(facts).text


def test_matched_rows_are_counted_by_clusters_and_split_and_merged_ones_named(page):
    facts = make_facts((30, 20), n_clusters=3)
    table = [[50, 1, 0], [30, 1, 40], [0, 2, 2]]
    facts["relations"][0]["held_out"] = {
        "agreement": 0.42,
        "by_chance": 0.3,
        "n": 1126,
        "table": table,
    }
    text = page(facts).text
    assert (
        "If its match is left out, 42 % of 1,126 matched rows are in the same cluster in both"
        " views; by" in text
    )
    assert "Cluster 1 of texts is split in images: 2 (56 %) and 0 (42 %). " in text
    assert "Cluster 0 of images merges clusters of texts: 0 (62 %) and 1 (38 %). " in text
    assert "Cluster 2 of texts" not in text  # too few rows
    assert "0 50 1 · 1 30 1 40 2 · 2 2 " in text
    facts["relations"][0]["held_out"]["table"] = [[9, 0, 0], [0, 9, 0], [0, 0, 9]]
    assert "No cluster of one view is split in the other." in page(facts).text


def test_of_many_rows_a_sample_is_drawn_with_all_that_are_listed(write, page):
    facts = make_facts((60_000, 40_000), n_given=50)
    for view in facts["views"]:
        listed = {
            row
            for kind in ("given", "propagated", "received")
            for link in view[kind]
            for row in link[:2]
        }
        view["sample"] = sorted({*range(0, view["n_rows"], 10), *listed})
        view["values"] = [["height", [str(row) for row in view["sample"]]]]
        view["fit"] = [row / view["n_rows"] for row in range(view["n_rows"])]
    assert len(write(facts)) < 15e6
    made = page(facts)
    data = data_of(made)
    for number, (view, drawn) in enumerate(zip(facts["views"], data["views"], strict=True)):
        rows = drawn["rows"]
        assert set(view["sample"]) | set(range(20)) <= set(rows)  # the first fit worst
        assert {
            int(a["data-row"]) for _, a in made.elements if a.get("data-view") == str(number)
        } <= set(rows)
        assert drawn["ids"] == [view["ids"][row] for row in rows]
        assert drawn["values"] == [
            ["height", [str(row) if row in set(view["sample"]) else None for row in rows]]
        ]
        (i, j, must_link, reason, _), given = drawn["constraints"]["given"][0], view["given"][0]
        assert [rows[i], rows[j], must_link, reason] == [*given[:3], given[5]]
    assert (
        f"60,000 rows, of which {len(data['views'][0]['ids']):,} are drawn: all that have constraints"
        in made.text
    )
    u, v = (view["rows"] for view in data["views"])
    assert data["relations"][0]["pairs"]
    assert all(u[i] == v[j] for i, j in data["relations"][0]["pairs"])


def test_marks_of_ninety_clusters_are_all_different():
    marks = [symbol(cluster) for cluster in range(90)]
    assert len({(mark["color"], mark["path"]) for mark in marks}) == 90
    assert len({mark["color"] for mark in marks[:10]}) == 10


def test_rows_that_fit_worst_and_outliers_are_listed(page):
    facts = make_facts((130, 20))
    assert "Rows that fit badly" not in page(facts).text
    facts["views"][0]["fit"] = [((7 * row) % 130) / 129 for row in range(130)]
    facts["views"][1]["outliers"] = [f"gone {number}" for number in range(105)]
    text = page(facts).text
    assert text.count("Rows that fit badly") == 2
    assert "Rows that fit their cluster worst (20)" in text
    worst = sorted(range(130), key=lambda row: facts["views"][0]["fit"][row])[:20]
    table = text.split("row cluster fit ")[1]
    assert [word for word in table.split() if re.fullmatch(r"t\d+", word)][:20] == [
        f"t{row}" for row in worst
    ]
    assert "Outliers by the answers, which were left out (105) gone 0 gone 1 " in text
    assert "gone 99 … and 5 more, see images/labels.csv" in text


def test_constraints_are_drawn_between_their_rows(page):
    facts = make_facts((30, 20))
    view = facts["views"][1]
    view["given"] = [[0, 3, True, 1.0, True, "line 2"], [1, 2, False, 1.0, False, "line 3"]]
    view["violated"] = [[1, 2, False, 1.0, "line 3"]]
    traces = {trace["name"]: trace for trace in data_of(page(facts))["views"][1]["figure"]["data"]}
    for name, (i, j) in {
        "given must-link": (0, 3),
        "given cannot-link": (1, 2),
        "violated": (1, 2),
    }.items():
        assert traces[name]["x"] == [
            pytest.approx(view["x"][i], rel=1e-4),
            pytest.approx(view["x"][j], rel=1e-4),
            None,
        ]
        assert traces[name]["y"] == [
            pytest.approx(view["y"][i], rel=1e-4),
            pytest.approx(view["y"][j], rel=1e-4),
            None,
        ]


def test_long_lists_end_with_how_many_more_there_are(page):
    facts = make_facts((200, 100), n_given=0)
    facts["views"][0]["violated"] = [[0, 1, True, 1.0, f"line {number}"] for number in range(137)]
    facts["views"][1]["propagated"] = [
        [0, 1, True, 0.9, f"because {number}"] for number in range(120)
    ]
    facts["views"][0]["given"] = [
        [*link[:4], False, link[4]] for link in facts["views"][0]["violated"]
    ]
    facts["views"][1]["n_propagated"] = {"must_link": 5000, "cannot_link": 1}
    text = page(facts).text
    assert "line 99 " in text
    assert "line 100 " not in text
    assert "… and 37 more, see clustering.json ." in text
    assert "… and 4,901 more, see images/propagated.csv ." in text


def test_constraints_are_counted_whole_where_their_lists_are_cut(page):
    whole, cut = make_facts((200, 100)), make_facts((200, 100))
    view = cut["views"][1]
    listed = len(view["propagated"])
    must_links = sum(facts["n_propagated"]["must_link"] for facts in whole["views"])
    view["n_propagated"]["must_link"] += 5000
    made = page(cut)
    assert f"propagated must-links ({must_links} drawn of {must_links + 5000:,})" in made.text
    assert f"this page holds at most {listed}, inferred ones first, then the heaviest" in made.text
    assert [one["cuts"] for one in data_of(made)["views"]] == [
        [],
        [
            f"Of {listed + 5000:,} propagated constraints of images, this page holds {listed},"
            " inferred ones first, then the heaviest; all are in images/propagated.csv."
        ],
    ]
    made = page(whole)
    assert f"propagated must-links ({must_links})" in made.text
    assert "this page holds" not in made.text
    assert [one["cuts"] for one in data_of(made)["views"]] == [[], []]


def test_the_two_warnings_say_what_was_seen_what_it_means_and_what_to_do(page):
    facts = make_facts((30, 20), warnings=["co-EM did not converge."])
    facts["views"][0].update(disagreement=0.3, suspicious=True)
    facts["views"][1].update(divergence=2.1, closest=[0, 1], suspicious=True)
    text = page(facts).text
    assert "3 warnings" in text
    assert "co-EM did not converge." in text
    assert (
        "In “texts”, 30 % of the rows are in another cluster than the one whose center is nearest"
        in text
    )
    assert "In “images”, clusters 0 and 1 overlap (separation 2.1; below 5.5 is risky" in text
    assert text.count("What to do:") == 2
    assert "--transfer direct-mapping" in text


def test_nothing_is_warned_of_where_nothing_was_inferred_or_nothing_is_wrong(page):
    fine = make_facts((30, 20))
    assert "What to do:" not in page(fine).text
    fine["views"][0].update(disagreement=0.3, suspicious=True)
    fine["co_em"]["propagates"] = False
    assert "What to do:" not in page(fine).text


def test_a_clustering_without_stability_runs_references_relations_and_constraints_has_a_page(page):
    facts = make_facts(
        (30, 20), n_given=0, relations=[], stability_runs={"count": 0, "agreement": []}
    )
    for view in facts["views"]:
        view.update(
            stability=[None] * view["n_rows"], reference=None, reference_f=None, reference_ari=None
        )
        view.update(divergence=None, n_propagated={"must_link": 0, "cannot_link": 0})
    facts["co_em"].update(objectives=[], threshold=None)
    made = page(facts)
    assert "Not looked at: there were no stability runs." in made.text
    assert "No rows of different views are related" in made.text
    assert "None were given in this view" in made.text
    options = [a["value"] for tag, a in made.elements if tag == "option"]
    assert options == ["", "0", "1", "cluster"]


def test_a_reference_label_has_one_color_in_all_views(page):
    facts = make_facts((30, 20))
    facts["views"][0]["reference"] = ["b"] * 30
    facts["views"][1]["reference"] = ["a"] * 10 + ["b"] * 10
    data = data_of(page(facts))
    assert data["classNames"] == ["a", "b"]
    assert set(data["views"][0]["classes"]) == {1}
    assert data["views"][1]["classes"] == [0] * 10 + [1] * 10


def test_rows_without_a_reference_label_have_none(page):
    facts = make_facts((30, 20))
    facts["views"][0]["reference"] = [""] * 15 + ["b"] * 15
    facts["views"][1]["reference"] = None
    made = page(facts)
    data = data_of(made)
    assert data["classNames"] == ["b"]
    assert [view["classes"] for view in data["views"]] == [[None] * 15 + [0] * 15, None]
    hover = next(one for one in data["views"][0]["figure"]["data"] if one["name"] == "rows")["text"]
    assert ["reference label" in text for text in hover] == [False] * 15 + [True] * 15
    assert made.text.count("no reference labels") == 1
    assert "no label" in made.text.replace("no reference labels", "")
    assert "no label" not in page(make_facts((30, 20))).text


def test_lines_on_hover_are_short_enough_for_a_narrow_picture(page):
    facts = make_facts((30, 20))
    for view in facts["views"]:
        view["ids"] = [f"{'long-' * 30}{row}" for row in range(view["n_rows"])]
        view["reference"] = ["Donaudampfschifffahrtsgesellschaftskapitänsklasse 1"] * view["n_rows"]
    facts["relations"][0]["pairs"] = [[0, 4], [0, 7]]
    hover = next(
        t for t in data_of(page(facts))["views"][0]["figure"]["data"] if t["name"] == "rows"
    )["text"][0]
    lines = re.sub("</?b>", "", hover).split("<br>")
    assert max(map(len, lines)) <= 45
    assert lines[0] == f"{'long-' * 7}long…"
    assert "Donaudampfschifffahrtsgesellschaftskapi…" in lines
    assert " ".join(lines).endswith(f"in images: {lines[0]}, {lines[0]}")


@pytest.mark.parametrize(
    ("text", "marked"),
    [
        ("Use --transfer direct-mapping.", ["--transfer"]),
        ("fewer (-k), lower (--threshold cv)", ["-k", "--threshold"]),
        ("must-link, a--b, img-k, 3 -- 4, --, -5", []),
    ],
)
def test_options_are_marked_in_texts(text, marked):
    assert re.findall(r'<code class="option">(.*?)</code>', options(text)) == marked
    assert options("<b> & --out") == '&lt;b&gt; &amp; <code class="option">--out</code>'


def test_headings_go_down_one_level_at_a_time_and_there_is_one_of_each_landmark(page):
    made = page(make_facts((30, 20), warnings=["x"]))
    levels = [int(tag[1]) for tag, _ in made.elements if re.fullmatch("h[1-6]", tag)]
    assert levels[0] == 1
    assert levels.count(1) == 1
    assert all(after <= before + 1 for before, after in pairwise(levels))
    tags = [tag for tag, _ in made.elements]
    assert [tags.count(tag) for tag in ("header", "nav", "main", "footer")] == [1, 1, 1, 1]
    ids = [a["id"] for _, a in made.elements if "id" in a]
    assert len(ids) == len(set(ids))
    named = {a["for"] for tag, a in made.elements if tag == "label" and "for" in a}
    assert named <= set(ids)


def test_twenty_thousand_points_stay_below_twelve_megabytes(write):
    assert len(write(make_facts((15_000, 5000)))) < 12e6


def test_a_file_that_cannot_be_written_is_an_error_with_advice(tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(
        StoreError, match=r"report\.html cannot be written: .* A file is where a folder must be: "
    ):
        write_clustering_report(make_facts((30, 20)), tmp_path / "file" / "report.html")


@pytest.mark.parametrize(
    ("share", "text"),
    [(0, "0 %"), (0.0004, "0.1 %"), (0.5, "50 %"), (0.9999, "99.9 %"), (1, "100 %"), (None, "–")],
)
def test_what_is_not_quite_all_is_not_written_as_all(share, text):
    assert percent(share) == text


def test_settings_are_listed_under_dotted_keys_in_their_order():
    tree = {
        "b": {"y": 1, "x": [1, 2]},
        "a": None,
        "c": {},
        "d": True,
        "e": [{"f": 0.5}, []],
        "g": [],
    }
    assert rows_of_settings(tree) == [
        ("b.y", "1"),
        ("b.x", "1, 2"),
        ("a", "none"),
        ("c", "none"),
        ("d", "true"),
        ("e.0.f", "0.5"),
        ("e.1", "none"),
        ("g", "none"),
    ]


def test_settings_may_be_nested_deeply(write):
    deep: list[object] = []
    for _ in range(2000):
        deep = [deep]
    assert "Clusters of" in write(make_facts((30, 20), settings={"deep": deep}))
