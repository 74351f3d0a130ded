"""The page of a clustering has everything; nothing in it can run or ask the network."""

import hashlib
import json
import re
from base64 import b64encode
from html.parser import HTMLParser
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest

import mvcc.reporting.html
import mvcc.tables.asking
from mvcc import cluster_views
from mvcc._utils.messages import percent
from mvcc.exceptions import StoreError
from mvcc.reporting.html._page import options, plural, rows_of_settings, script_json, symbol
from tests.browser.facts import make_facts
from tests.reports import write_clustering_report

FOLDER = Path(mvcc.reporting.html.__file__).parent
PICTURE = "data:image/png;base64,iVBORw0KGgo="
EVIL = "</script><script>alert(1)</script><img src=x onerror=alert(1)>\u2028\"'&amp;{{ 7*7 }}"


class Page(HTMLParser):
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
    return lambda facts: Page(write(facts))


def data_of(page):
    return json.loads(page.scripts[0])


def test_of_one_table_sentences_begin_with_a_capital_and_nothing_is_between_views(page):
    facts = make_facts((30,), n_given=0)
    facts["views"][0]["given"] = [[0, 3, True, 1.0, True, "line 2"]] * 2
    text = page(facts).text
    assert "constraints? All 2 constraints given are satisfied." in text
    assert "repeated? Practically the same every time." in text
    assert "round? Round enough for Constraint Propagation." in text
    assert "mpck-means, constraint-propagation, threshold 0.75." in text
    facts["views"][0]["divergence"] = 0.5
    assert "round? These data look unfit" in page(facts).text


def test_the_page_carries_no_address_and_its_policy_forbids_every_request(page):
    made = page(make_facts((30, 20)))
    for tag, attributes in made.elements:
        for name in ("src", "href", "action", "formaction", "poster", "data", "srcset"):
            assert (attributes.get(name) or "#").startswith(("#", "data:")), (tag, attributes)
        assert not any(name.startswith("on") for name in attributes)
    (policy,) = (a["content"] for _, a in made.elements if "http-equiv" in a)
    rules = dict(rule.split(" ", 1) for rule in policy.split("; "))
    digests = [hashlib.sha256(script.encode()).digest() for script in made.scripts[1:]]
    hashes = [f"'sha256-{b64encode(digest).decode()}'" for digest in digests]
    assert rules.pop("script-src").split() == hashes
    assert "style-src" in rules
    none = dict.fromkeys(("default-src", "base-uri", "form-action"), "'none'")
    assert rules == none | {"img-src": "data:", "style-src": rules["style-src"]}


def test_texts_of_users_stay_texts(page):
    evil = {"warnings": [EVIL], "settings": {EVIL: {EVIL: EVIL}}, "names": [EVIL] * 5}
    facts = make_facts((30, 20), title=EVIL, command=EVIL, **evil)
    plain = make_facts((30, 20), warnings=["x"], settings={"a": {"b": "c"}}, names=["x"] * 5)
    for view in plain["views"]:
        view.update(names=["x"] * plain["n_clusters"], outliers=["y"])
    harmless = page(plain)
    for view in facts["views"]:
        view.update(name=EVIL, source=EVIL, features=EVIL, axes=[EVIL, EVIL], outliers=[EVIL])
        view["ids"] = [f"{EVIL}{row}" for row in range(view["n_rows"])]
        view["reference"] = [EVIL + label for label in view["reference"]]
        view["names"] = [EVIL] * facts["n_clusters"]
        view["values"] = [[EVIL, [EVIL] * view["n_rows"]]]
        for kind in ("given", "violated", "propagated", "received"):
            view[kind] = [[*link[:-1], EVIL] for link in view[kind]]
    for one in (one for own in facts["profiles"] for one in own):
        one["name"] = EVIL
        one["columns"] = [column | {"column": EVIL, "rule": EVIL} for column in one["columns"]]
        of_values = one["columns"][1]["shares"]
        one["columns"][1]["shares"] = [[EVIL, *shares] for _, *shares in of_values]
        one["words"] = [[EVIL, *shares] for _, *shares in one["words"]]
    facts["inputs"][0]["path"] = facts["relations"][0]["source"] = EVIL
    made = page(facts)
    tags, others = ([tag for tag, _ in one.elements] for one in (made, harmless))
    assert tags == others
    names, others = ({name for _, a in one.elements for name in a} for one in (made, harmless))
    assert names == others
    assert " ".join(EVIL.split()) in made.text
    assert data_of(made)["views"][0]["ids"][3] == f"{EVIL}3"


def test_templates_and_scripts_keep_to_100_columns():
    places = [*FOLDER.glob("*/*"), *(Path(mvcc.tables.asking.__file__).parent / "_page").iterdir()]
    files = [path for path in places if path.suffix in (".html", ".js", ".css")]
    lines = [line for path in files for line in path.read_text("utf-8").splitlines()]
    assert [line for line in lines if len(line) > 100] == []


def test_nothing_in_the_data_ends_its_script():
    text = script_json({"a": ["<!--<script>", "</script>", "&", "\u2028\u2029é\ud800"]})
    assert not set("<>&\u2028\u2029é\ud800") & set(text)
    assert json.loads(text) == {"a": ["<!--<script>", "</script>", "&", "\u2028\u2029é\ud800"]}


def test_half_a_surrogate_pair_is_no_reason_to_fail(write):
    facts = make_facts((30, 20))
    facts["views"][0]["ids"][0] = facts["title"] = "\ud800"
    assert "Clusters of ?" in write(facts)


def test_of_views_numbered_apart_every_cluster_has_a_card_of_its_own(page):
    facts = make_facts((60, 40, 30), n_clusters=2) | {"co_em": None}
    facts["joint"] = {"objective": 1.0, "n_objects": 80, "connected": [[0, 1], [2]]}
    facts["joint"] |= {"anchors": [], "residual": None}
    for view in facts["views"]:
        view["n_propagated"] = {"must_link": 0, "cannot_link": 0}
    for relation in facts["relations"]:
        relation |= {"agreement": None, "by_chance": None, "differing": []}
    made = page(facts)
    of_clusters = [a for _, a in made.elements if a.get("class") == "cluster"]
    ids = [a["data-cluster"] for a in of_clusters if "id" not in a]
    assert ids == ["texts:0", "texts:1", "sounds:0", "sounds:1"]
    assert data_of(made)["apart"] == ["texts:", "texts:", "sounds:"]
    assert "Joint clustering of 80 objects in 2 separate graphs. Finished" in made.text
    links = [a["href"] for tag, a in made.elements if tag == "a" and "cluster-" in a["href"]]
    assert links == [f"#{a['id']}" for a in of_clusters if "id" in a]
    size = plural(facts["views"][2]["labels"].count(1), "row")
    for said in (
        f"sounds:1 high height, shop = Rome 1 sounds {size} (",
        "texts and images : each of 20 matches is one object, in one cluster",
        "texts and sounds : 15 matches are too few to connect them, so each was clustered without"
        " the other",
    ):
        assert said in made.text
    facts["joint"]["connected"] = [[0, 1]]
    with pytest.raises(StoreError, match=r"joint\.connected must name each of the 3 views once"):
        page(facts)


def test_of_very_many_rows_the_page_tells_of_anchors_and_how_exact_eigenvectors_are(page):
    X = np.random.default_rng(0).normal(size=(40, 3)) + 9 * (np.arange(40) % 2)[:, None]
    facts = cluster_views({"texts": X}, n_clusters=2, stability_runs=0, comparison=False).facts
    assert facts["joint"]["anchors"] == []
    assert 0 < facts["joint"]["residual"] < 1e-12
    assert "eigenvectors" not in page(facts).text
    facts["joint"] |= {"anchors": [1200], "residual": 0.0008}
    anchors = "The rows of each view are tied to 1,200 anchors, the means of small groups of rows."
    exact = "The eigenvectors of the graph have residuals of at most 0.0008."
    assert f"{anchors} {exact}" in page(facts).text
    facts["joint"] |= {"anchors": [], "recall": [0.98]}  # as earlier versions wrote it
    assert "anchors" not in page(facts).text


def test_matched_rows_are_counted_by_clusters_and_split_and_merged_ones_named(page):
    facts = make_facts((30, 20), n_clusters=3)
    table = [[50, 1, 0], [30, 1, 40], [0, 2, 2]]
    held_out = {"agreement": 0.42, "by_chance": 0.3, "n": 1126, "table": table}
    facts["relations"][0]["held_out"] = held_out
    text = page(facts).text
    assert "Cluster 1 of texts is split in images: 2 (56 %) and 0 (42 %). " in text
    assert "Cluster 0 of images merges clusters of texts: 0 (62 %) and 1 (38 %). " in text
    assert "Cluster 2 of texts" not in text  # too few rows
    merged = {"sentences": [""], "retired": [1], "into_of_views": [[0, 2, 2]] * 2}
    text = page(facts | {"corrected": merged}).text
    assert "(across) 0 1 2 0 50 1 · 1 30 1 40 2 · 2 2 " in text  # as it was measured
    assert "repetitions were measured before these corrections." in text
    assert "These rows are where their columns or corrections put them, against" in text


def test_of_many_rows_a_sample_is_drawn_with_all_that_are_listed(write):
    facts = make_facts((6_000, 4_000), n_given=50)
    for view in facts["views"]:
        links = [*view["given"], *view["propagated"], *view["received"]]
        listed = {row for link in links for row in link[:2]}
        view["sample"] = sorted({*range(0, view["n_rows"], 10), *listed})
        view["values"] = [["height", [str(row) for row in view["sample"]]]]
        view["fit"] = [row / view["n_rows"] for row in range(view["n_rows"])]
    source = write(facts)
    assert len(source) < 1e6
    made = Page(source)
    data = data_of(made)
    for number, (view, drawn) in enumerate(zip(facts["views"], data["views"], strict=True)):
        rows, sample = drawn["rows"], set(view["sample"])
        assert sample | set(range(20)) <= set(rows)  # the first fit no cluster well
        named = [a["data-row"] for _, a in made.elements if a.get("data-view") == str(number)]
        assert set(map(int, named)) <= set(rows)
        assert drawn["ids"] == [view["ids"][row] for row in rows]
        heights = [str(row) if row in sample else None for row in rows]
        assert drawn["values"] == [["height", heights]]
        (i, j, must_link, reason, _), given = drawn["constraints"]["given"][0], view["given"][0]
        assert [rows[i], rows[j], must_link, reason] == [*given[:3], given[5]]
    n_drawn = f"{len(data['views'][0]['ids']):,}"
    assert f"6,000 rows, of which {n_drawn} are drawn: all that have constraints" in made.text
    u, v = (view["rows"] for view in data["views"])
    assert data["relations"][0]["pairs"]
    assert all(u[i] == v[j] for i, j in data["relations"][0]["pairs"])


def test_marks_of_ninety_clusters_are_all_different():
    marks = [symbol(cluster) for cluster in range(90)]
    assert len({(mark["color"], mark["path"]) for mark in marks}) == 90
    assert len({mark["color"] for mark in marks[:10]}) == 10


def test_no_row_stands_under_two_headings(page):
    facts = make_facts((130, 20))
    view = facts["views"][0]
    view["fit"] = [((7 * row) % 130) / 129 for row in range(130)]
    view["probability"] = [0.5 if row % 3 else 0.9 for row in range(130)]
    view["second"] = [(label + 1) % 5 for label in view["labels"]]
    view["second_probability"] = [round(1 - share, 2) for share in view["probability"]]
    view["stability"] = [1.0] * 130
    by_fit = sorted(range(130), key=view["fit"].__getitem__)
    worst = [row for row in by_fit if view["fit"][row] < 0.05]
    between = [row for row in range(130) if row % 3 and row not in worst]
    text = page(facts).text
    assert f"Fits no cluster well ({len(worst)})" in text
    assert f"Between two clusters ({len(between)})" in text
    lists = text.split("Between two clusters")[1].split("Rows of images")[0].split("Fits no")
    listed = [[int(row) for row in re.findall(r"\bt(\d+)\b", part)] for part in lists]
    assert listed == [between[:20], worst]
    assert f"50 % in favor of this cluster, 50 % of cluster {view['second'][1]} " in text
    assert f"… and {len(between) - 20} more, see texts/labels.csv" in text
    assert "fits its cluster worst of all rows" in text
    assert "Borderline" not in text


def test_without_doubts_the_page_says_so(page):
    facts = make_facts((30, 20), n_given=0)
    for view in facts["views"]:
        view["stability"] = [1.0] * view["n_rows"]
    facts["relations"][0]["differing"] = []
    assert "There is none: every row is clearly in its cluster" in page(facts).text
    facts["views"][1]["outliers"] = [f"gone {number}" for number in range(105)]
    text = page(facts).text
    assert "There is none" not in text
    assert "Left out, since an answer calls it an outlier (105) gone 0 gone 1 " in text
    assert "gone 99 … and 5 more, see images/labels.csv" in text


def test_a_card_has_titles_or_pictures_of_typical_rows(page):
    facts = make_facts((60, 40))
    facts["settings"]["show"] = {"texts": ["height"], "images": ["file", "note"]}
    typical = [profile["typical"] for profile in facts["profiles"][0]]
    heights = [f"{100 + row}" for row in typical[2][:3]]
    for settings in (facts["settings"], {"views": {"texts": {"show": ["height"]}}}):
        made = page(facts | {"settings": settings})
        assert f"2 {' '.join(heights)} texts " in made.text.replace("2 height", "2")
    assert not [tag for tag, _ in made.elements if tag == "img"]
    row = facts["profiles"][1][2]["typical"][0]
    facts["views"][1] |= {"pictures": [[row, PICTURE]], "picture_column": "file"}
    images = [attributes for tag, attributes in page(facts).elements if tag == "img"]
    assert images == [{"src": PICTURE, "alt": f"i{row}"}]


def test_a_card_has_titles_of_the_first_view_with_a_row_that_is_sure(page):
    facts = make_facts((60, 40))
    facts["settings"]["show"] = {"texts": ["height"], "images": ["height"]}
    facts["profiles"][0][2]["typical"] = []
    heights = " ".join(f"{100 + row}" for row in facts["profiles"][1][2]["typical"][:3])
    assert f"2 {heights} texts " in page(facts).text.replace("2 height", "2")


def test_long_lists_end_with_how_many_more_there_are(page):
    facts = make_facts((200, 100), n_given=0)
    facts["views"][0]["violated"] = [[0, 1, True, 1.0, f"line {number}"] for number in range(137)]
    facts["views"][1]["propagated"] = [[0, 1, True, 0.9, ""]] * 120
    violated = facts["views"][0]["violated"]
    facts["views"][0]["given"] = [[*link[:4], False, link[4]] for link in violated]
    facts["views"][1]["n_propagated"] = {"must_link": 5000, "cannot_link": 1}
    said = [["anna", "outlier", ""], ["ben", "harbor", "harbor"]]
    dispute = {"id": "texts:t0", "rows": ["texts:t0"], "said": said}
    facts["together"] = {"people": [], "agreements": [], "disputed": [dispute] * 205}
    text = page(facts).text
    assert "texts:t0 anna: fits nowhere; ben: harbor no " in text
    assert "… and 105 more, see disputed.csv ." in text
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
    assert f"transferred must-links ({must_links} drawn of {must_links + 5000:,})" in made.text
    most = f"This page holds at most {listed} transferred constraints of a view, inferred"
    assert most in made.text
    cut_off = (
        f"This page holds {listed} of {listed + 5000:,} transferred constraints of images, inferred"
        " ones first, then the heaviest; all are in images/propagated.csv."
    )
    assert [one["cuts"] for one in data_of(made)["views"]] == [[], [cut_off]]
    made = page(whole)
    assert f"transferred must-links ({must_links})" in made.text
    assert "This page holds" not in made.text
    assert [one["cuts"] for one in data_of(made)["views"]] == [[], []]


def test_the_two_notes_on_what_was_inferred_say_what_was_seen_what_it_means_and_what_to_do(page):
    facts = make_facts((30, 20), warnings=["co-EM did not converge."])
    assert "What to do:" not in page(facts).text
    facts["views"][0].update(disagreement=0.3, suspicious=True)
    facts["views"][1].update(divergence=2.1, closest=[0, 1], suspicious=True)
    text = page(facts).text
    for said in (
        "Notes (3)",
        "co-EM did not converge.",
        "In “texts”, 30 % of the rows are in another cluster than the one whose center is nearest",
        "In “images”, clusters 0 and 1 overlap (separation 2.1; below 5.5 is risky",
        "--transfer direct-mapping",
    ):
        assert said in text
    assert text.count("What to do:") == 2
    facts["views"][1]["closest"] = None  # as former versions wrote it
    assert "In “images”, two clusters overlap (separation 2.1" in page(facts).text
    facts["co_em"]["propagates"] = False  # nothing was inferred
    assert "What to do:" not in page(facts).text


def test_a_clustering_without_stability_runs_references_relations_and_constraints_has_a_page(page):
    no_runs = {"count": 0, "agreement": []}
    facts = make_facts((30, 20), n_given=0, relations=[], stability_runs=no_runs)
    unknown = dict.fromkeys(("reference", "reference_f", "reference_ari", "divergence"))
    for view in facts["views"]:
        view.update(unknown, stability=[None] * view["n_rows"], axes=["the only component", ""])
        view["n_propagated"] = {"must_link": 0, "cannot_link": 0}
    facts["co_em"].update(objectives=[], threshold=None)
    made = page(facts)
    assert "Not known: there were no stability runs." in made.text
    assert "No rows are matched, so each table was clustered by itself." in made.text
    assert "None were given." in made.text
    assert made.text.count("Across: the only component.") == 2
    assert "Up:" not in made.text
    options = [a["value"] for tag, a in made.elements if tag == "option"]
    assert options == ["", "0", "1", "cluster"]
    del facts["profiles"]  # as a former version wrote it
    assert "Clusters, one by one" not in page(facts).text


def test_a_reference_label_has_one_color_in_all_views_and_rows_without_one_have_none(page):
    facts = make_facts((30, 20))
    facts["views"][0]["reference"] = ["b"] * 30
    facts["views"][1]["reference"] = ["a"] * 10 + ["b"] * 10
    data = data_of(page(facts))
    assert data["classNames"] == ["a", "b"]
    assert set(data["views"][0]["classes"]) == {1}
    assert data["views"][1]["classes"] == [0] * 10 + [1] * 10
    facts["views"][0]["reference"] = [""] * 15 + ["b"] * 15
    facts["views"][1]["reference"] = None
    made = page(facts)
    data = data_of(made)
    assert data["classNames"] == ["b"]
    assert [view["classes"] for view in data["views"]] == [[None] * 15 + [0] * 15, None]
    assert made.text.count("no labels: gray") == 1
    assert "no label" in made.text.replace("no labels: gray", "")
    assert "no label" not in page(make_facts((30, 20))).text


@pytest.mark.parametrize(
    ("text", "marked"),
    [
        ("Use --transfer direct-mapping.", ["--transfer"]),
        ("fewer (-k), lower (--threshold cv)", ["-k", "--threshold"]),
        ("(`header:` sets it), `a b --out`", ["header:", "a b --out"]),
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


def test_what_is_repeated_takes_few_bytes(write):
    facts = make_facts((300, 260), n_clusters=60)
    page, table = write(facts), np.eye(60, dtype=int).tolist()
    for look, most in (("swatch", 70), ("boxes", 230)):
        found = re.findall(f'<svg class="{look}".*?</svg>', page, re.S)
        assert max(map(len, found)) < most
    facts["relations"][0]["held_out"] = {"agreement": 1, "by_chance": 0, "n": 60, "table": table}
    assert len(write(facts)) - len(page) < 10 * 60 * 60


def test_a_file_that_cannot_be_written_is_an_error_with_advice(tmp_path):
    (tmp_path / "file").write_text("")
    why = r"report\.html cannot be written: .* A file is where a folder must be: "
    with pytest.raises(StoreError, match=why):
        write_clustering_report(make_facts((30, 20)), tmp_path / "file" / "report.html")


@pytest.mark.parametrize(
    ("share", "text"),
    [(0, "0 %"), (0.0004, "0.1 %"), (0.5, "50 %"), (0.9999, "99.9 %"), (1, "100 %"), (None, "–")],
)
def test_what_is_not_quite_all_is_not_written_as_all(share, text):
    assert percent(share) == text


def test_settings_are_listed_under_dotted_keys_in_their_order():
    tree = {"b": {"y": 1, "x": [1, 2]}, "a": None, "c": {}, "d": True, "e": [{"f": 0.5}, []]}
    rows = [("b.y", "1"), ("b.x", "1, 2"), ("a", "none"), ("c", "none"), ("d", "true")]
    assert rows_of_settings(tree) == [*rows, ("e.0.f", "0.5"), ("e.1", "none")]
