"""``mvcc init --from`` drafts a config of people's own tables that runs as it is."""

import json
from pathlib import Path
from typing import get_args

import numpy as np
import openpyxl
import pandas as pd
import pytest
import yaml
from rich.cells import cell_len

from mvcc.exceptions import ConfigError, DataError, StoreError
from mvcc.tables._job import AskedKind
from tests.command_line import invoke, mvcc
from tests.tables.problems import facts_of, write_csv, write_workbook

COLORS = ("rot", "weiß", "rosé")


@pytest.fixture(autouse=True)
def in_an_empty_folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)


@pytest.fixture
def files(tmp_path):
    """Write two messy tables of the same 60 wines, matches of half of them, and constraints."""
    rng = np.random.default_rng(0)
    kind = np.arange(60) % 3
    wines = [["Nr", "Diagnose", "Säure", "Farbe: außen", "Sterne", "yes", "leer", "odd"]]
    soils = [["Ort", "pH", "Ton", "Wert"]]
    for n, k in enumerate(kind):
        acid, hue = f"{4 * k + rng.normal():.2f}".replace(".", ","), COLORS[k]
        odd = "n. b. 7!" if n == 7 else n * 37 % 59
        wines.append([f"W {n}", f"Typ {k}", acid, hue, n % 5, acid, "", odd])
        soils.append([f"Ort {n}", 5 * k + rng.normal(), rng.normal(), "" if n % 10 else k])
    write_csv(tmp_path / "Meine Weine.csv", wines, ";")
    write_workbook("Böden.xlsx", {"Sheet": [["Böden, Stand 2024"]], "Maße": soils})
    write_csv(tmp_path / "m.csv", [["a", "b"], *([f"W {n}", f"Ort {n}"] for n in range(30))])
    kinds = [["i", "j", "kind"], ["W 0", "W 3", "ML"], ["W 0", "W 1", "CL"]]
    write_csv(tmp_path / "urteile.csv", kinds)
    return ["Meine Weine.csv", "Böden.xlsx", "m.csv", "urteile.csv"]


def write(name, head, rows):
    """Write a table into the present folder."""
    write_csv(Path(f"{name}.csv"), [head.split(","), *rows])


def run(*words):
    return invoke(*words).stdout


def drafted(path="cluster.yaml"):
    return Path(path).read_text("utf-8")


def test_the_draft_says_what_may_be_a_scale_or_stand_for_none():
    scale = ["1 - never", "2 - at times", "3", "4 - always"]
    due = [f"{n // 6 + 1}.{n % 12 + 1}.2024" if n % 4 else "open" for n in range(60)]
    rows = ([scale[n % 4], n % 7 if n % 5 else -99, "xyz"[n % 3], due[n]] for n in range(60))
    write("answers", "How often?,age,0,due", rows)
    said = run("init --from answers.csv")
    assert (
        "  answers.csv has -99 in age (12 rows, all others 0 to 6). If this means missing, write"
        " --missing answers=-99, in the view of a config `missing: ['-99']`, in Python NaN.\n"
        "  answers: How often?: its categories begin with the numbers 1 to 4: if they are a scale,"
        " write `columns: {'How often?': number}`\n"
        "  answers: due: 45 of 60 values are dates, all others 'open': if the others mean missing,"
        " name them under `missing:`\n"
    ) in said
    assert "has -99 in age (12 rows" in invoke("cluster answers.csv -k 2 --dry-run").stderr


def test_the_draft_says_what_the_columns_are_and_what_is_doubtful(files):
    said = run("init --from", *files)
    text = drafted()
    config = yaml.safe_load(text)
    wines, soils = config["views"]["Meine_Weine"], config["views"]["Böden"]
    assert (wines["path"], wines["id_column"]) == ("Meine Weine.csv", "Nr")
    assert (soils["sheet"], soils["id_column"]) == ("Maße", "Ort")
    assert wines["columns"] == {
        "Diagnose": "ignore", "Säure": "number", "Farbe: außen": "ignore", "Sterne": "number",
        "yes": "ignore", "leer": "ignore", "odd": "ignore",
    }  # fmt: skip
    assert config["matches"] == {"Meine_Weine:Böden": "m.csv"}
    assert config["constraints"] == {"Meine_Weine": "urteile.csv"}
    assert config["n_clusters"] == 3
    lines = {line.split("#")[0].strip(): line for line in text.splitlines()}
    assert (
        "Typ 0, Typ 1; looks like labels (3 values), so it is left out" in lines["Diagnose: ignore"]
    )
    assert "90 % are missing" in lines["Wert: number"]
    assert "5 distinct numbers: if they are codes, write category" in said
    assert "repeats another column, 'Diagnose'" in lines["'Farbe: außen': ignore"]
    assert "repeats another column, 'Säure'" in lines["'yes': ignore"]
    assert "Meine_Weine: odd: line 9 has 'n. b. 7!', which is not a finite number" in said
    assert said.endswith("Next: mvcc cluster cluster.yaml\n")


def test_the_head_of_a_draft_names_all_that_a_column_may_be(files):
    run("init", "--from", *files)
    head = drafted().partition("views:")[0].replace("\n# ", " ")
    kinds = [kind for part in get_args(AskedKind) for kind in get_args(part)]
    assert "mail" in kinds
    assert all(kind in head for kind in [*kinds, "ignore"])


def test_groups_of_ages_are_no_labels():
    rows = ([*("abc"[(n + n // c) % 3] for c in (2, 3, 5)), n * n % 31] for n in range(60))
    write("t", "Age group,Groupe d'âge,Mileage class,x", rows)
    run("init --from t.csv")
    kinds = yaml.safe_load(drafted())["views"]["t"]["columns"]
    assert [*kinds.values()] == ["category", "category", "ignore", "number"]


def test_words_among_numbers_are_missing_in_a_draft_and_doubtful():
    rows = [[n / 7, 5 * n % 17, n % 3, "2 o" if n == 5 else n / 9] for n in range(60)]
    rows[3][:2], rows[7][0], rows[9][1] = ("sick", "sick"), "n.t.", "free"
    write("t", "a,b,c,d", rows)
    said = run("init --from t.csv")
    assert (
        "  t: read as missing in all columns: 'sick', 'n.t.' and 'free', found among numbers or"
        " dates in 'a', 'b'. If one means something, such as 0, write that into the table, and"
        " delete it under `missing:`\n"
    ) in said
    assert "  t: d: line 7 has '2 o', which is not a finite number" in said
    view = yaml.safe_load(drafted())["views"]["t"]
    assert view["missing"] == ["sick", "n.t.", "free"]
    assert view["columns"] == {"a": "number", "b": "number", "c": "number", "d": "ignore"}
    run("cluster cluster.yaml -k 2 --dry-run")
    missing, ignored = " --missing t=sick,n.t.,free", " --ignore t=d"
    for given, more in ((ignored, missing), ("", missing + ignored)):
        refused = mvcc(*f"cluster t.csv -k 2{given}".split()).stderr
        command = f"mvcc cluster t.csv -k 2{given}{more}"
        assert f"If these words mean missing:\n  {command}\nTo go on without these" in refused


def test_texts_that_are_numbers_with_few_words_are_doubtful():
    words = "oak elm ash fir yew box pine lime beech maple larch".split()
    sizes = ["{} x {} cm", "H {} cm, W {} cm", "Diam. {} mm"]
    values = {
        "size": [sizes[n % 3].format(n + 20, n * n) for n in range(60)],
        "rooms": [f"{n % 5} bd / {n % 3} ba" for n in range(60)],
        "hall": [f"hall {n % 9}" for n in range(60)],
        "shelf": [f"C-{n}-{n % 7}" for n in range(60)],
        "year": [f"c. {n}" if n % 3 else n for n in range(1899, 1959)],
        "title": [f"{words[n % 11]} and no. {n}" for n in range(60)],
    }
    pd.DataFrame(values).to_csv("a.csv")
    said = run("init --from a.csv").partition("Doubtful:\n")[2].splitlines()
    remedy = "make a column of each number"
    assert [line.strip() for line in said if remedy in line] == [
        f"a: size: texts with numbers in them, such as '20 x 0 cm': {remedy}",
        f"a: rooms: texts with numbers in them, such as '0 bd / 0 ba': {remedy}",
        f"a: year: texts with numbers in them, such as 'c. 1900': {remedy}",
    ]


def test_which_sheet_is_meant_is_asked_for_with_the_name_of_the_view(files):
    soils = [["Ort", "pH"], *([f"Ort {n}", n % 7] for n in range(60))]
    write_workbook("Böden 24.xlsx", {"Mai": soils, "Juni": soils})
    with pytest.raises(DataError, match=r"2 sheets .*\(--sheet 'Böden_24=Mai'\)"):
        invoke("init --from", files[0], "Böden 24.xlsx", files[2])
    run("init --from", files[0], "Böden 24.xlsx", files[2], "--sheet", "Böden_24=Mai")


def test_what_many_columns_have_is_doubted_once_and_stands_beside_each():
    answers = np.random.default_rng(0).integers(1, 6, (60, 9)).tolist()
    rows = [[f"k{n}", f"{n}/{97 + n}", *own] for n, own in enumerate(answers)]
    write("survey", "id,where," + ",".join(f"q{n}" for n in range(9)), rows)
    said = run("init --from survey.csv")
    assert said.count("distinct numbers: if they are codes, write category") == 1
    assert "write category (and 8 more columns, see their comments)\n" in said
    assert "  survey: where: left out, as it has values such as '0/97': make a column of" in said
    assert drafted().count("5 distinct numbers: if they are codes, write category") == 9
    write("t", "id,x,y", [[f"k{n}", n if n % 3 else f"{n}b{n}", n / 7] for n in range(60)])
    run("init --from t.csv --out t.yaml")
    assert drafted("t.yaml").count("values are numbers, '0b0' is not") == 1


def test_the_header_of_a_workbook_may_be_named(files):
    book = openpyxl.load_workbook("Böden.xlsx")
    book["Maße"].insert_rows(1)
    for column, name in enumerate("abcd", 1):
        book["Maße"].cell(1, column, name)
    book.save("Böden.xlsx")
    words = ("--sheet", "Böden=Maße", "--header", "Böden=2")
    run("init --from", *files, *words)
    soils = yaml.safe_load(drafted())["views"]["Böden"]
    assert (soils["header"], soils["id_column"]) == (2, "Ort")
    run("cluster", *files, *words, "--ignore", "Meine_Weine=odd", "-k", 3, "--dry-run")


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ("--sheet Meine_Weine=x", "--sheet Meine_Weine=x: .* goes only with an Excel file"),
        ("--header Meine_Weine=2", "--header Meine_Weine=2: .* goes only with an Excel file"),
        ("--header Boden=2", "--header Boden=2: .*; did you mean 'Böden'"),
        ("M\udcfcller.csv", r"views\.M_ller\.path: must be the path of a file"),
    ],
)
def test_options_that_fit_no_table_are_refused_as_cluster_does(files, words, said):
    Path("M\udcfcller.csv").write_bytes(Path("m.csv").read_bytes().replace(b"W", b"V"))
    with pytest.raises(ConfigError, match=rf"(?s){said}.*check again with: mvcc init --from"):
        invoke("init --from", *files, *words.split())


@pytest.mark.parametrize(("out", "path"), [("job", "../m.csv"), ("link", "../../m.csv")])
def test_paths_are_relative_to_the_config(files, tmp_path, out, path):
    (tmp_path / "job/below").mkdir(parents=True)
    (tmp_path / "link").symlink_to("job/below")
    said = json.loads(run("init --from", *files, "--out", f"{out}/a.yaml", "--json"))
    assert said["files"] == [f"{out}/a.yaml"]
    assert yaml.safe_load(drafted(f"{out}/a.yaml"))["matches"] == {"Meine_Weine:Böden": path}
    run(f"cluster {out}/a.yaml --no-comparison --stability-runs 0")
    assert [file["rows"] for file in facts_of("results")["inputs"]] == [60, 60, 30, 2]


def test_columns_that_are_called_like_rows_of_another_table_are_named():
    samples = [f"S{n:02}" for n in range(9)]
    write("genes", ",".join(["gene", *samples]), ([f"TP{n}", *range(n, n + 9)] for n in range(9)))
    write("people", "sample id,age", zip(samples, range(9), strict=True))
    said = "9 columns of genes are called like rows of people. If they are the same things, turn"
    assert said in run("init --from genes.csv people.csv")
    assert said in invoke("cluster cluster.yaml --dry-run").stderr


def test_rows_with_the_same_ids_are_asked_about_where_both_tables_have_ids():
    for name in "ab":
        write(name, "id,x", ([f"r{n}", n] for n in range(9)))
    run("init --from a.csv b.csv")
    assert "the same object? 9 ids are in both tables" in drafted()
    assert "n_clusters: 5" in drafted()
    write("b", "x,y", [[1.5, 2.5], [2.5, 1.5]])
    run("init --from a.csv b.csv --out c.yaml")
    assert "# rows of two tables that are the same object" in drafted("c.yaml")


def test_a_draft_has_no_more_clusters_than_the_smallest_table_has_rows(tmp_path):
    for name, n in (("a", 20), ("b", 3), ("c", 2)):
        rows = [[f"{name}{row}", row, f"kind {row}"] for row in range(n)]
        write(name, "id,重量,class", rows)
    said = []
    for names in ("b.csv", "a.csv b.csv", "c.csv", "a.csv"):
        config = tmp_path / f"{len(said)}.yaml"
        run(f"init --from {names} --out {config.name}")
        lines = config.read_text("utf-8").splitlines()
        line, settings = lines[-1], [one.split("  # ")[0] for one in lines if "number " in one]
        assert {cell_len(one) for one in settings} == {32}
        run(f"cluster {config.name} --dry-run")
        said.append(" ".join(line.split()))
    more = "; -k 2-{} compares numbers of clusters"
    assert said == [
        f"n_clusters: 3 # as many as 'class' has values{more.format(3)}",
        f"n_clusters: 3 # a guess{more.format(3)}",
        "n_clusters: 2 # as many as 'class' has values",
        f"n_clusters: 20 # as many as 'class' has values{more.format(12)}",
    ]


def test_a_table_that_may_be_misspelled_pairs_is_told():
    for name in "ab":
        rows = [[f"K{n}", n % 3 + n / 9, n % 2] for n in range(12)]
        write(name, "id,x,y", rows)
    table = [[f"k{n}", f"K{n}", n**2 / 9] for n in range(12)]
    write("c", "id,key,age", table)
    said = "c.csv: the column 'id' has 'k0' where a.csv has 'K0', so it was taken for a table. If"
    assert said in run("init --from a.csv b.csv c.csv")
    found = invoke("cluster a.csv b.csv c.csv -k 2 --dry-run")
    assert f"Note: {said}" in found.stderr
    assert "\nc: 12 rows" in found.stdout
    write("c", "id,key", [row[:2] for row in table])
    with pytest.raises(DataError, match=r"no column is left .* c\.csv: the column 'id' has 'k0'"):
        run("init --from a.csv b.csv c.csv --out other.yaml")
    write("a", "id,x,y", ([f"IMO {n + 9000}", n % 3 + n / 9, n % 2] for n in range(12)))
    write("c", "ship,port,x", ([f"{n + 9000}", f"K{n}", n**2 / 9] for n in range(12)))
    assert "'9000' where a.csv has 'IMO 9000'" in run("init --from a.csv b.csv c.csv --out d.yaml")


def test_why_ids_name_no_rows_and_pairs_have_no_kind_is_told():
    for name in "ab":
        rows = [[f"{name}{n}", n % 3 + n / 9, n % 2] for n in (*range(12), 5)]
        write(name, "key,x,y", rows if name == "a" else rows[:12])
    write("c", "a key,b key", ([f"a{n} ", f"b{n}"] for n in range(12)))
    with pytest.raises(DataError, match=r"a\.csv:14: line 14 has the id 'a5', as line 7 has"):
        run("init --from a.csv b.csv c.csv")
    write("c", "b key,z", ([f"b{n} ", f"z{n}"] for n in range(12)))
    with pytest.raises(DataError, match=r"'b key': names the rows; 'z': an id\.$"):
        run("init --from b.csv a.csv c.csv")
    write("c", "x,x", [[1, 2], [2, 3]])
    with pytest.raises(DataError, match=r"the column 'x' is there more than once"):
        run("init --from b.csv a.csv c.csv")
    kinds = ([f"b{n}", f"b{n + 1}", "no" if n % 2 else "yes"] for n in range(11))
    write("c", "one,other,same?", kinds)
    said = "c.csv: it was taken for a table, though two columns have ids of b.csv. If these are"
    assert said in run("init --from a.csv b.csv c.csv")
    write("b", "id,x", ([n + 1000, n % 3 + n / 9] for n in range(12)))
    kinds = ([f"{n + 1000:06}", n + 1001, "gleich" if n % 2 else "anders"] for n in range(11))
    write("c", "one,other,same?", kinds)
    assert said in run("init --from a.csv b.csv c.csv --out d.yaml")


def test_columns_with_ids_of_another_table_and_ids_that_repeat_are_doubtful():
    plots = [[f"{n:03}", n % 3 / 9] for n in range(20)]
    write("a", "plot,x", plots)
    write("b", "key,near,floor,y", ([f"w{n}", 19 - n, n % 5, n % 2 / 9] for n in range(20)))
    assert "has ids" not in run("init --from a.csv b.csv"), "no ids, but numbers of rows"
    write("a", "id,x", plots)
    draft = run("init --from a.csv b.csv --out d.yaml")
    assert "  b: near: has ids of a: if rows with them are the same object, write a file" in draft
    assert draft.count("has ids") == 1
    write("a", "id,x", ([900 + 7 * n, n % 3 / 9] for n in range(20)))
    write("b", "key,near,y", ([f"w{n}", 900 + 7 * (n % 9), n % 2 / 9] for n in range(20)))
    assert "b: near: has ids of a" in run("init --from a.csv b.csv --out g.yaml"), "that repeat"
    write("m", "a,b", ([900 + 7 * (n % 9), f"w{n}"] for n in range(20)))
    assert "has ids" not in run("init --from a.csv b.csv m.csv --out h.yaml")
    assert yaml.safe_load(drafted("h.yaml"))["views"]["b"]["columns"]["near"] == "ignore"
    ids = [[f"P{n:02}", n % 3 / 9] for n in range(20)]
    write("a", "id,x", ids)
    refs = [f"P{n:02}" if n < 12 else ["see file", f"P{n + 40}"][n % 2] for n in range(20)]
    write("c", "key,ref,y", ([f"w{n}", ref, n % 2 / 9] for n, ref in enumerate(refs)))
    assert "  c: ref: has ids of a: if rows with" in run("init --from a.csv c.csv --out f.yaml")
    write("b", "key,y", ([f"K{n % 19}", n % 4 / 9] for n in range(20)))
    draft = run("init --from b.csv --out e.yaml")
    assert "b: key: 1 value repeats, so it does not name the rows" in draft


def test_matches_are_found_by_columns_that_some_rows_lack():
    """As surveys may lack addresses, and catalogs the number of a book."""
    for name in "ab":
        mails = [f"{name}{n}@b.org" if n % 4 else "" for n in range(24)]
        write(name, "E-mail,x,y", ([mail, n % 3, n * n] for n, mail in enumerate(mails)))
    assert "shares" not in run("init --from a.csv b.csv --out c.yaml")
    write("m", "E-mail,e-mail ", ([f"a{n}@b.org", f"b{n}@b.org"] for n in range(24) if n % 4))
    assert "  matches a:b: m.csv" in run("init --from a.csv b.csv m.csv")
    assert "a and b: 18 matches" in run("cluster cluster.yaml --dry-run")
    write("c", "Mail,x,y", ([f"A{n}@b.org", n % 3, n * n] for n in range(24)))
    said = "a: E-mail: shares 18 values with 'Mail' of c: if rows with the same one are the same"
    assert said in run("init --from a.csv c.csv --out d.yaml")
    for name in "ab":
        write(name, "fips,x,y", ([f"0{n}001", n % 3, n * n] for n in range(20)))
    said = "a: fips: shares 20 values with 'fips' of b"
    assert said in run("init --from a.csv b.csv --out e.yaml")
    for name in "ab":
        write(name, "fips,x,y", ([f"{n // 2:03}", n % 3, n * n] for n in range(40)))
    assert "shares" not in run("init --from a.csv b.csv --out f.yaml")


def test_several_choices_in_a_cell_are_doubtful_but_not_a_name_of_two_parts():
    choices = ["video;book;", "book;video;forum;", "forum;", "forum;book;", "video;"]
    names = ["Silva, Ana", "Costa, Rui", "Sousa, Inês"]
    write("a", "id,used,who,x", ([f"a{n}", choices[n % 5], names[n % 3], n * n] for n in range(60)))
    draft = run("init --from a.csv")
    assert "a: used: cells list some of 3 choices: make a column of each choice" in draft
    assert draft.count("choices") == 1


def test_ids_may_be_in_a_column_without_a_name_as_pandas_writes_an_index(tmp_path):
    for name in "ab":
        write(name, ",x", ([f"{name}{n}", n % 2 + n / 9] for n in range(12)))
    write("m", "a,b", ([f"a{n}", f"b{n}"] for n in range(9)))
    run("init --from a.csv b.csv m.csv")
    assert "id_column: ''" in drafted()
    run("cluster cluster.yaml -k 2 --no-comparison --stability-runs 0")
    assert (tmp_path / "results/a/labels.csv").read_text("utf-8").startswith("id,cluster,")


def test_a_file_that_is_no_table_may_be_matches_of_tables_whose_columns_are_the_rows():
    for name in "ab":
        head = ",".join(["gene", *(f"{name}-{n}" for n in range(12))])
        write(f"{name}_T", head, ([f"gene {name}{n}", *range(n, n + 12)] for n in range(12)))
    write("m", "one,other", ([f"a-{n}", f"b-{n}"] for n in range(12)))
    hint = "Or 'other' holds unknown ids for matches. Most of them are columns of b_T: write its"
    with pytest.raises(DataError, match=f"m.csv: no column is left to cluster: .* {hint} columns"):
        run("init --from a_T.csv b_T.csv m.csv")


def test_matches_in_a_text_file_name_ids_of_floats():
    ids = np.arange(40) + (np.arange(40) % 7 == 3) / 2
    pd.DataFrame({"id": ids, "x": np.arange(40) % 3}).to_parquet("a.parquet")
    write("b", "id,y", ([f"b{n}", n % 4] for n in range(40)))
    write("m", "a,b", ([ids[n], f"b{n}"] for n in range(20)))
    run("init --from a.parquet b.csv m.csv")
    assert yaml.safe_load(drafted())["matches"] == {"a:b": "m.csv"}


def test_nothing_is_written_over_and_tables_without_from_are_refused(files):
    Path("cluster.yaml").write_text("mine")
    with pytest.raises(StoreError, match=r"cluster\.yaml exists\. Choose another --out\.$"):
        run("init --from", *files)
    assert drafted() == "mine"
    with pytest.raises(StoreError, match="is read and would be overwritten"):
        run("init --from", *files, "--out", "m.csv")
    assert "add --from" in mvcc("init", *files).stderr


def test_a_column_of_bytes_that_are_no_text_names_no_rows():
    ids = [f"r{number}" for number in range(20)]
    pd.DataFrame({"id": ids, "a": range(20), "e": [b"\xff\xfe"] * 20}).to_parquet("blobs.parquet")
    with pytest.raises(DataError, match="the column 'e' holds bytes that are not text in UTF-8"):
        run("init", "--from", "blobs.parquet")


@pytest.mark.parametrize("number", ["{:04}", "{}"])
@pytest.mark.parametrize("order", [1, -1])
def test_a_draft_has_the_ids_that_cluster_takes(number, order):
    write("photos", "id,u", zip([3, 1, 6, 2, 5, 4], range(6), strict=True))
    write("catalog", "id,inventory,v", ([n, f"{2 * n % 7:04}", n - 1] for n in range(1, 7)))
    write("m", "photo,inventory", ([n, number.format(2 * n % 7)] for n in range(1, 7)))
    files = ["photos.csv", "catalog.csv"][::order]
    run("init --from", *files, "m.csv")
    draft = yaml.safe_load(drafted())
    ids = {name: view["id_column"] for name, view in draft["views"].items()}
    assert ids == {"photos": "id", "catalog": "inventory"}
    assert draft["matches"] == {"photos:catalog": "m.csv"}


@pytest.mark.slow
def test_a_draft_of_thousands_of_columns_can_be_read_and_has_those_in_doubt():
    names = ",".join(["id", *(f"gene{n}" for n in range(4100)), "class"])
    rows = [[f"K{n}", *(n * np.arange(1, 4101) % 7 / 4), n % 3] for n in range(12)]
    write("a", names, rows)
    run("init --from a.csv")
    said = drafted()
    assert "gene3999: number" in said
    assert "gene4000:" not in said
    assert "      # 100 more columns" in said
    assert "      class: ignore" in said
    assert "All files are valid" in run("cluster cluster.yaml --dry-run")
