"""Excel workbooks as people have them: which sheet is read, and where in it the table lies."""

import pandas as pd
import pytest

from mvcc.exceptions import DataError
from mvcc.tables import load_job
from mvcc.tables._job import Job, View
from mvcc.tables.drafting._files import sort_files
from mvcc.tables.reading._files import read_frame, read_pairs_of
from mvcc.tables.reading._read_inputs import read_inputs
from mvcc.tables.reading._rows import RowsById, spelled_like
from tests.tables.problems import options_of, read_table, write_csv, write_workbook

HEADER = ["Nr", "Säure", "Farbe"]
ROWS = [[f"W {n}", n / 4, "rot" if n % 2 else "weiß"] for n in range(1, 7)]
NAMES, IDS = HEADER[1:], [row[0] for row in ROWS]


def read(path, sheets, change=lambda book: None, **view):
    """Write sheets of rows, and read the table of the workbook."""
    path = write_workbook(path / "w.xlsx", sheets, change)
    return read_table("wine", View(path=path, **view))


def assert_is_whole(table, ids=IDS):
    assert (table.ids, table.columns) == (ids, NAMES)
    assert table.X["Säure"].tolist() == [row[1] for row in ROWS]


def test_the_sheet_that_looks_like_a_table_is_read_and_named(tmp_path):
    notes = [["Weinliste"], ["Stand 2024; Säure in g/l"], [], ["Rückfragen an Frau Öztürk"]]
    table = read(tmp_path, {"Hinweise": notes, "Weine": [HEADER, *ROWS], "Leer": []})
    assert_is_whole(table)
    said = "the sheet 'Weine' was read, not 'Hinweise' (`sheet:` names another one)."
    assert table.notes == (f"{tmp_path}/w.xlsx: {said}",)
    assert read(tmp_path, {"Hinweise": notes, "Weine": [HEADER, *ROWS]}, sheet="weine").notes == ()


def test_several_tables_are_listed_and_one_must_be_named(tmp_path):
    sheets = {"2023": [HEADER, *ROWS[:4]], "2024": [HEADER, *ROWS], "Hinweise": [["Stand 2024"]]}
    with pytest.raises(DataError) as error:
        read(tmp_path, sheets)
    advice = "Name one in its view, such as `sheet: '2024'` (--sheet VIEW=2024)."
    said = f"{tmp_path}/w.xlsx: 2 sheets look like tables: '2023', '2024'. {advice}"
    assert str(error.value) == said
    with pytest.raises(DataError, match=r"'2023', '2024'\. Save the one with the pairs as a file"):
        read_pairs_of(f"{tmp_path}/w.xlsx")
    with pytest.raises(DataError, match=r"\(--sheet 'VIEW=ja, neu'\)"):
        read(tmp_path, {"ja, neu": sheets["2024"], "nein": sheets["2024"]})
    assert read(tmp_path, sheets, sheet="2023").ids == IDS[:4]
    with pytest.raises(DataError, match=r"no sheet '2022' .* The sheets are '2023', '2024', 'Hin"):
        read(tmp_path, sheets, sheet="2022")


def test_a_table_that_is_much_larger_than_a_list_of_codes_is_read(tmp_path):
    codes = [["Farbe", "heißt"], ["rot", "aus roten Trauben"], ["weiß", "aus weißen"]]
    table = read(tmp_path, {"Codes": codes, "Weine": [HEADER, *ROWS * 3]}, ignore=("Nr",))
    assert len(table.ids) == 18


def test_hidden_sheets_are_read_only_by_name_or_where_no_other_has_rows(tmp_path):
    def hide(book):
        book["alt"].sheet_state = "hidden"

    sheets = {"alt": [HEADER, *ROWS[:4]], "neu": [HEADER, *ROWS]}
    assert_is_whole(read(tmp_path, sheets, hide))
    assert read(tmp_path, sheets, hide, sheet="alt").ids == IDS[:4]
    assert read(tmp_path, sheets | {"neu": []}, hide).ids == IDS[:4]


@pytest.mark.parametrize("titles", [
    [["Weinliste 2024"], []],
    [["Weinliste"], ["Stand:", "1. Mai 2024"], []],
    [[None, "Weinliste"]],
])  # fmt: skip
@pytest.mark.parametrize("names_rows", ["Nr", None])
def test_titles_above_the_table_are_left_out_and_said(tmp_path, titles, names_rows):
    table = read(tmp_path, {"Weine": [*titles, [names_rows, *NAMES], *ROWS]})
    assert_is_whole(table)
    assert table.id_column == (names_rows or "")
    row = len(titles) + 1
    assert f"row {row} of the sheet 'Weine' names the columns" in table.notes[0]
    assert "above the names of the columns ('Weinliste" in table.notes[0]


def test_a_row_below_a_title_or_an_empty_one_is_still_called_by_its_line(tmp_path):
    for rows, line, first in (
        ([["Weinliste"], [], ["id", *NAMES], *ROWS], 10, 4),
        ([["id", *NAMES], *ROWS[:3], [], *ROWS[3:]], 9, 2),
    ):
        message = rf"w\.xlsx:{line}: line {line} has the id 'W 1', as line {first} has"
        with pytest.raises(DataError, match=message):
            read(tmp_path, {"Weine": [*rows, ["W 1", 3, "rot"]]})


def show_zeros(*places, like="000"):
    """Give cells of a column a format with zeros."""

    def change(book):
        for cell in places or [f"A{row}" for row in range(2, 9)]:
            book.active[cell].number_format = like

    return change


@pytest.mark.parametrize("title", [[], [[2024], []]])
def test_ids_have_the_zeros_that_their_format_shows(tmp_path, title):
    rows = [*title, ["Kundennr.", "x"], [23, 1], [123456, 2], [7, 4], [None, 5], ["alt", 5]]
    with pytest.raises(DataError, match=f"line {len(title) + 5} has no id"):
        read(tmp_path, {"Kunden": rows}, show_zeros(), id_column="Kundennr.")
    del rows[len(title) + 4]
    places = [f"A{row + len(title)}" for row in range(2, 9)]
    change = show_zeros(*places, like="00000")
    table = read(tmp_path, {"Kunden": rows}, change, id_column="Kundennr.")
    assert table.ids == ["00023", "123456", "00007", "alt"]
    assert [text for text, _ in table.every_column[0].examples] == ["00023", "123456"]
    assert table.X.tolist() == [[1], [2], [4], [5]]
    assert [table.row.find(name) for name in ("00007", "7", "23")] == [2, 2, 0]


@pytest.mark.parametrize(
    ("own", "named"), [("", "{:03}"), ("", "{}"), ("", ""), ("{:03}", ""), ("{}", ""), ("{}.0", "")]
)
def test_ids_are_named_with_and_without_the_zeros_that_workbooks_show(tmp_path, own, named):
    def write(name, spelled, *rows):
        """Write whole numbers as they are spelled, or as a workbook shows them."""
        if spelled:
            rows = [[spelled.format(n) if isinstance(n, int) else n for n in row] for row in rows]
            return write_csv(tmp_path / f"{name}.csv", rows)
        places = [f"{column}{row}" for column in "AB" for row in range(2, len(rows) + 1)]
        return write_workbook(tmp_path / f"{name}.xlsx", rows, show_zeros(*places))

    a = write("a", own, ["code", "x"], *([n, n / 2] for n in range(9)))
    b = write("b", "{}", ["id", "x"], *([f"b{n}", n % 3] for n in range(9)))
    twice = [8, "b8"]
    m = write("m", named, ["code", "b"], *([n, f"b{n - 1}"] for n in range(1, 9)), twice)
    c = write("c", named, ["i", "j", "kind"], *([n, n + 1, "must-link"] for n in range(1, 6)))
    job = load_job(None, options_of({"a": a, "b": b}, {"a:b": m}, {"a": c}, n_clusters=2))
    inputs = read_inputs(job)
    assert inputs.tables[0].id_column == "code"
    assert inputs.tables[0].ids[1] == (own or "{:03}").format(1)
    assert inputs.relations[0, 1].tolist() == [*([n, n - 1] for n in range(1, 9)), [8, 8]]
    assert inputs.constraints[0].pairs.tolist() == [[n, n + 1] for n in range(1, 6)]
    drafted = sort_files([a, b, m, c])
    assert (drafted.matches, drafted.constraints) == ([("a:b", m)], [("a", c)])


def test_an_id_is_found_as_another_number_only_where_one_row_has_it():
    ids = ["7", "007", "08", "9.0", "0", "a07", "1.50", "No\u00e9 1"]
    rows = RowsById(zip(ids, range(8), strict=True))
    names = ["7", "007", "07", "7.0", "8", "8.0", "0008", "9", "00.0", "a7", "1.5", ".0", ""]
    assert [rows.find(name) for name in names] == [0, 1, -1, -1, 2, 2, 2, 3, 4, -1, -1, -1, -1]
    assert rows.find("Noe\u0301 1") == 7, "an accent may be a character of its own"
    assert [rows.find(name) for name in ("ａ０７", "０8")] == [5, 2], "as wide as Chinese letters"
    assert spelled_like(["7", "07", "8"], ["007", "8.0"]) == ["7", "07", "8.0"]
    assert spelled_like(["7", "8"], ["007", "7", "8"]) == ["7", "8"]


@pytest.mark.parametrize(
    ("values", "places"),
    [
        pytest.param([3, 7, 12, 3, 8], (), id="hours"),
        pytest.param([3, 7, 12, 4, 8], (), id="distinct ones"),
        pytest.param([3, 7, 12, 5, 8], ("A5",), id="one cell"),
        pytest.param([3, 7, 12, 5, 8], ("A2", "A3", "A4", "A5"), id="another format"),
        pytest.param([3, 7, 12, 0.5, 8], (), id="fractions"),
        pytest.param([3, 7, 12, -5, 8], (), id="negative"),
        pytest.param([True, False, True, False, True], (), id="truth"),
    ],
)
def test_other_numbers_stay_numbers_whatever_their_format_shows(tmp_path, values, places):
    rows = [[value, n] for n, value in enumerate(values)]
    read(tmp_path, {"s": [["v", "x"], *rows]}, show_zeros(*places), columns=("v", "x"))
    assert read_frame(str(tmp_path / "w.xlsx"))["v"].tolist() == values


def merge(*areas):
    return lambda book: [book.active.merge_cells(area) for area in areas]


def test_merged_cells_are_a_title_or_names_above_columns_that_are_told_apart(tmp_path):
    rows = [
        ["Nr", "2023", None, "2024", None, "Farbe"],
        [None, "Säure", "Zucker", "Säure", "Alkohol", None],
        *([name, value, 1 + value, 2 - value, 12 + value, color] for name, value, color in ROWS),
    ]
    table = read(tmp_path, {"Weine": rows}, merge("A1:A2", "B1:C1", "D1:E1", "F1:F2"))
    assert table.ids == IDS
    assert table.columns == ["2023 Säure", "Zucker", "2024 Säure", "Alkohol", "Farbe"]
    title = [["Weinliste 2024"], HEADER, *ROWS]
    assert_is_whole(read(tmp_path, {"Weine": title}, merge("A1:C1")))
    over_two = [["Nr", "Säure", None], *([name, value, 7 - value] for name, value, _ in ROWS)]
    table = read(tmp_path, {"Weine": over_two}, merge("B1:C1"))
    assert table.columns == ["Säure", "Säure 2"]


def test_names_have_one_line(tmp_path):
    names = ["Nr", "Säure \n(g/l)", "Farbe"]
    assert read(tmp_path, {"Weine": [names, *ROWS]}).columns == ["Säure (g/l)", "Farbe"]


def test_a_value_merged_with_cells_of_other_columns_is_no_value_of_theirs(tmp_path):
    rows = [["Nr", "Säure", "Zucker"], *([name, value, 7 - value] for name, value, _ in ROWS)]
    table = read(tmp_path, {"Weine": rows}, merge("B3:C4"))
    values = pd.DataFrame(table.X, columns=table.columns)
    assert values["Säure"][1] == values["Säure"][2] == ROWS[1][1]
    assert values["Zucker"].isna().tolist() == [False, True, True, *[False] * (len(ROWS) - 3)]


@pytest.mark.parametrize("below", [
    [["Summe", 5.25, None]],
    [["Mittelwert:", 3], [None, 5.25, None]],
    [[], [None, 5.25, None], [], ["* geschätzt"], ["Quelle: eigene"]],
    [["Summe"]],
    [["Gesamt: 6 Einträge"]],
    [[None, "Anzahl", "6 Weine"]],
    [[None, "Summe in g/l", 30]],
    [["n =", 6]],
    [["Mittelwert", 3], ["SD", 0.5], ["Max.", 5.25], ["* geschätzt"]],
])  # fmt: skip
def test_totals_and_footnotes_are_left_out_and_said(tmp_path, below):
    table = read(tmp_path, {"Weine": [HEADER, *ROWS, *below]})
    assert_is_whole(table)
    assert "below the table (" in table.notes[0]


def test_rows_that_only_look_like_totals_stay(tmp_path):
    assert read(tmp_path, {"s": [HEADER, ["Total", 2.0, "rot"], *ROWS]}).ids == ["Total", *IDS]
    for last in (["W 7", None, "Summe"], ["W 7"], ["Total", None, "rot"]):
        assert read(tmp_path, {"s": [HEADER, *ROWS, last]}).ids == [*IDS, last[0]]


def test_empty_rows_and_columns_and_remarks_beside_the_table_are_left_out(tmp_path):
    rows = [
        [], [], [None, *HEADER, None, "rot", "weiß"],
        *([None, *row] for row in ROWS[:3]), [],
        *([None, *row] for row in ROWS[3:]),
    ]  # fmt: skip
    rows[4] += [None, 3, 3]
    rows[5].append("bitte prüfen!")
    table = read(tmp_path, {"Weine": rows})
    assert_is_whole(table)
    said = "Left out: 1 row without a value (row 7); what stands beside it in E, F, G."
    assert said in table.notes[0]


def test_a_column_apart_that_goes_with_the_rows_stays(tmp_path):
    rows = [[*HEADER, None, "Preis"], *([*row, None, n] for n, row in enumerate(ROWS))]
    table = read(tmp_path, {"Weine": rows})
    assert table.columns == [*NAMES, "Preis"]
    assert "'Preis' stands apart from those before it. If another table" in table.notes[0]


@pytest.mark.parametrize(
    ("units", "first"),
    [
        ([None, "g/l", None, "%"], "g/l"),
        (["Einheit:", "g/l", None, "%"], "Einheit:"),
        ([None, "g/l", "-", "%"], "g/l"),
    ],
)
def test_a_row_of_units_below_the_names_is_left_out_and_said(tmp_path, units, first):
    rows = [[*HEADER, "vol"], units, *([*row, 12.5] for row in ROWS)]
    table = read(tmp_path, {"Weine": rows})
    assert (table.ids, table.X["Säure"].tolist()) == (IDS, [row[1] for row in ROWS])
    assert table.notes[0].endswith(f"Left out: 1 row of units ('{first}').")
    rows[2:] = [[row[0], f"{row[1]:.1f}", *row[2:-1], "12,5 %"] for row in rows[2:]]
    assert read(tmp_path, {"Weine": rows}).ids == IDS


@pytest.mark.parametrize(
    ("row", "other"),
    [([None, "n/a", "-"], ROWS[0]), ([None, "g/l", "rot"], ROWS[0]), ([None, "g", "g"], [None, 1])],
)
def test_other_rows_without_an_id_are_no_units(tmp_path, row, other):
    with pytest.raises(DataError, match="line 2 has no id in the column 'Nr'"):
        read(tmp_path, {"Weine": [HEADER, row, other, *ROWS[1:]]}, id_column="Nr")


def test_the_row_of_names_can_be_set(tmp_path):
    rows = [["Nr", "a", "b"], HEADER, *ROWS]
    table = read(tmp_path, {"Weine": rows}, header=2)
    assert_is_whole(table)
    with pytest.raises(DataError, match=r"row 20 of the sheet 'Weine' is empty .* rows 1 to 8"):
        read(tmp_path, {"Weine": rows}, header=20)


def test_a_sheet_may_be_called_by_a_number_and_an_ending_be_in_capitals():
    view = {"path": "a.XLSX", "sheet": 2024, "header": 3}
    assert Job(views={"v": view}, n_clusters=2).views["v"].sheet == "2024"


def test_an_empty_workbook_is_refused(tmp_path):
    with pytest.raises(DataError, match="all sheets are empty"):
        read(tmp_path, {"Weine": []})
