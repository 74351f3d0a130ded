"""Text files as other programs write them: in UTF-8, Windows-1252 (Excel's CSV) and UTF-16."""

import codecs
import contextlib
import json
import shutil

import pytest

from mvcc._utils.text import told_by_letters
from mvcc.exceptions import DataError
from mvcc.tables.reading import _files, _parquet
from mvcc.tables.reading._files import read_frame
from tests.command_line import invoke
from tests.tables.problems import read_csv, write_csv

COLORS = ("weiß", "grün", "rosé")
ASSUMED = "the file is not UTF-8 and was read as Windows-1252"
QUICK = ("-k", "3", "--no-comparison", "--stability-runs", "0")


def write_tables(folder, encoding):
    """Write two tables, matches and constraints whose ids have umlauts."""
    rows = [[n % 3 + n / 99, COLORS[n % 3], f"ä{n}"] for n in range(30)]
    wines = [["Größe", "Farbe", "id"], *rows]
    soils = [["Säure", "id"], *([n % 3 * 9 + n / 99, f"ö{n}"] for n in range(30))]
    matches = [["wines", "soils"], *([f"ä{n}", f"ö{n}"] for n in range(12))]
    pairs = [["i", "j", "kind"], ["ä1", "ä4", "ML"], ["ä1", "ä5", "CL"]]
    for name, rows in {"wines": wines, "soils": soils, "m": matches, "pairs": pairs}.items():
        path = folder / f"{name}.csv"
        write_csv(path, rows, ";")
        path.write_bytes(path.read_text("utf-8").encode(encoding))


@pytest.fixture(scope="module", params=["utf-8", "utf-8-sig", "cp1252", "utf-16"])
def clustered(request, tmp_path_factory):
    """Return a folder of tables in an encoding, with their results, and the encoding."""
    folder = tmp_path_factory.mktemp(request.param)
    write_tables(folder, request.param)
    with contextlib.chdir(folder):
        invoke("cluster", *FILES, *QUICK)
    return folder, request.param


@pytest.fixture
def encoding(clustered, tmp_path, monkeypatch):
    folder, encoding = clustered
    shutil.copytree(folder, tmp_path, dirs_exist_ok=True)
    monkeypatch.chdir(tmp_path)
    return encoding


FILES = ("wines.csv", "soils.csv", "m.csv", "pairs.csv")


def test_all_files_are_read_and_what_was_assumed_is_said(encoding, tmp_path):
    said = json.loads(invoke("cluster", *FILES, "-k", "3", "--dry-run", "--json").stdout)
    wines = said["views"][0]
    assert [column["name"] for column in wines["every_column"]] == ["Größe", "Farbe", "id"]
    assert (said["matches"][0]["matches"], wines["constraints"]) == (12, 2)
    notes = [note for view in said["views"] for note in view["notes"]] + said["notes"]
    files = FILES if encoding == "cp1252" else ()
    assert [note.partition(", as")[0] for note in notes] == [f"{one}: {ASSUMED}" for one in files]
    facts = json.loads((tmp_path / "results" / "clustering.json").read_text("utf-8"))
    assert [note for note in facts["warnings"] if ASSUMED in note] == notes
    assert facts["views"][0]["ids"][:2] == ["ä0", "ä1"]


def test_new_rows_are_read_some_at_a_time_with_their_lines(encoding, tmp_path, monkeypatch):
    monkeypatch.setattr(_parquet, "_MOST_VALUES", 12)
    done = invoke("predict", "results", "--view", "wines=wines.csv", "--out", "labels.csv")
    assert (ASSUMED in done.stderr) == (encoding == "cp1252")
    assert read_csv("labels.csv")[29]["id"] == "ä29"
    wines = tmp_path / "wines.csv"
    rows = wines.read_text(encoding).replace(";ä27", ";").replace("weiß", '"weiß"')
    wines.write_bytes(rows.encode(encoding))
    with pytest.raises(DataError, match=r"wines\.csv:29: line 29 has no id"):
        invoke("predict", "results", "--view", "wines=wines.csv", "--out", "b.csv")


@pytest.mark.parametrize(
    ("encoding", "name", "words"),
    [
        ("cp1250", "Windows-1250", ("Cena", "żyto", "tak", "kiełkuje po siewie")),
        ("cp1254", "Windows-1254", ("Fiyat", "Ağrı kesici", "Hayır", "öksürük şurubu")),
        ("cp1251", "Windows-1251", ("Цена", "да", "Нет", "по рецепту врача")),
        ("gb18030", "GB18030", ("金额", "北京市", "是", "坐着很舒服，快递很快")),
        ("cp932", "Shift-JIS", ("価格", "東京都", "イヤホン", "音質がとても良いです。")),
        ("cp949", "EUC-KR", ("가격", "서울", "만족", "배송이 빨랐습니다")),
        ("cp950", "Big5", ("價格", "台北市", "快遞", "客服態度好，坐著很舒服")),
    ],
)
def test_encodings_of_other_languages_are_told_by_their_letters(tmp_path, encoding, name, words):
    path = write_csv(tmp_path / "a.csv", [words, *([word] * 4 for word in words[1:])], ";")
    (tmp_path / "a.csv").write_bytes((tmp_path / "a.csv").read_text("utf-8").encode(encoding))
    for frame in (read_frame(path), *_files.read_frames(path)):
        assert ([*frame], frame.iloc[2, 1]) == ([*words], words[3])
        assert frame.attrs["notes"] == [
            f"{path}: {ASSUMED.replace('Windows-1252', name)}, as Excel writes CSV. If letters look"
            " wrong, save the file as UTF-8."
        ]


@pytest.mark.parametrize(
    "text",
    [
        *("weiß; Größe: à côté, créée, ções", "¿qué? 3 m³, 2 m²", "ýsa, þorskur og síld", "Nový"),
        *("5 m³h", "þyngd;hraði", "«\xa0à\xa0»", "\xa0\xa0\xa0Île", "••••, ———, Orléans"),
    ],
)
def test_letters_of_windows_1252_tell_no_other_encoding(text):
    assert not told_by_letters([text.encode("cp1252")])


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"id,x\na,1\n\x81,2\n", r"a\.csv:3: this is not UTF-8 text; save the file as UTF-8\."),
        ("id,x\nä,1\n".encode() + b"\xe4,2\n", r"a\.csv:3: this is not UTF-8 text"),
        ("id,x\nкод,1\nрост,2\n".encode() + b"\xea\xee\xe4,2\n", r"a\.csv:4: this is not UTF-8"),
        (codecs.BOM_UTF8 + b"id,x\n\xe4,2\n", r"a\.csv:2: this is not UTF-8 text"),
        ("id,x\na,1\n".encode("utf-16") + b"\0", r"a\.csv: this is not UTF-16 text"),
        ("id,x\na,1\n".encode("utf-16-le"), r"a\.csv:1: this is a binary file \(or UTF-16\)"),
        ("id,x\na,1\n".encode("utf-32"), r"a\.csv: this is a binary file"),
    ],
)
def test_what_is_in_no_encoding_is_refused_with_its_line(tmp_path, content, message):
    (tmp_path / "a.csv").write_bytes(content)
    for read in (read_frame, lambda path: list(_files.read_frames(path))):
        with pytest.raises(DataError, match=message):
            read(str(tmp_path / "a.csv"))
