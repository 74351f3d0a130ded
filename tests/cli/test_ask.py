"""``mvcc ask``: questions in the terminal, as JSON, in a browser, and answers as a table."""

import csv
import io
import json
import re
import signal
import socket
import subprocess
import sys
import threading
import webbrowser
from unittest.mock import patch
from urllib.request import Request, urlopen

import pytest
from rich.cells import cell_len

from tests.command_line import mvcc
from tests.tables.asking.pages import write_tables
from tests.tables.problems import read_csv, write_csv
from tests.terminal import Terminal

VIEWS = "--view left=left.csv --view right=right.csv --ignore left=title --ignore right=title"


@pytest.fixture
def folder(tmp_path):
    """Two views of thirty objects of three classes, twenty in both; the ids tell the class."""
    for view, shift in (("left", 0), ("right", 5)):
        rows = [
            [f"{view[0]}{n}", f"title {n}", n % 3 * 10 + n / 50, n % 3 * -7 + n % 5 / 9]
            for n in range(shift, shift + 25)
        ]
        write_csv(tmp_path / f"{view}.csv", [["id", "title", "x", "y"], *rows])
    matches = [[f"l{n}", f"r{n}"] for n in range(5, 25)]
    write_csv(tmp_path / "matches.csv", [["left", "right"], *matches])
    (tmp_path / "ask.yaml").write_text(
        "views: {left: {path: left.csv, ignore: title}, right: {path: right.csv, ignore: title}}\n"
        "matches: {left:right: matches.csv}\n"
        "show: {left: title, right: title}\n"
    )
    return tmp_path


def ask(folder, words="ask.yaml", keys="", **environment):
    """Ask with these words; keys, or the words of a name, are typed each with Enter."""
    lines = keys.split(" ") if isinstance(keys, str) else keys
    with patch.object(sys, "stdin", io.StringIO("\n".join(lines))):
        return mvcc("ask", *words.split(), cwd=folder, **environment)


def asked(folder, words="ask.yaml", keys="", **environment):
    """Return what is printed where nothing is wrong."""
    done = ask(folder, words, keys, **environment)
    assert done.returncode == 0, done.stderr
    return done.stdout


def questions(folder, words="ask.yaml", n=1):
    return json.loads(asked(folder, f"{words} --json -n {n}"))["questions"]


def answer(folder, answers, n=1):
    """Record a table of answers; print the next questions."""
    write_csv(folder / "answers.csv", [["id", "answer"], *answers])
    return ask(folder, f"ask.yaml --answers answers.csv --json -n {n}")


def log(folder, out="asked"):
    return [(row["id"], row["answer"]) for row in read_csv(folder / out / "asked.csv")]


def true_answers(folder, n):
    """Answer questions by the classes, as a program does; return the ids."""
    ids, document = [], json.loads(asked(folder, "ask.yaml --json -n 5"))
    while len(ids) < n:
        known = {group["name"] for group in document["groups"]}
        table = []
        for question in document["questions"]:
            name = f"class {int(question['id'].split(':')[1][1:]) % 3}"
            table.append([question["id"], name if name in known else f"new:{name}"])
            known.add(name)
        done = answer(folder, table, n=5)
        assert done.returncode == 0, done.stderr
        document = json.loads(done.stdout)
        ids += [row[0] for row in table]
    return ids


def test_options_stand_for_a_config(folder):
    words = f"{VIEWS} --match left:right=matches.csv"
    by_options = ask(folder, f"{words} --out asked --json -n 4")
    assert by_options.stderr == ""
    assert json.loads(by_options.stdout)["questions"] == questions(folder, n=4)
    said = asked(folder, f"{words} --out asked", keys="u n a f")
    assert said.endswith(f"Name two groups or more: mvcc ask {words} --out asked\n")
    said = asked(folder, f"{words} --out asked", keys="n b f")
    assert said.endswith(f"Go on: mvcc cluster {words} --asked asked -k auto --out results\n")
    (folder / "results").mkdir()
    said = asked(folder, f"{words} --out asked", keys="f")
    assert said.endswith(" -k auto --out results-2\n")


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ("", "there is nothing to ask about"),
        ("--view left=left.csv", "the folder of the answers is missing"),
        ("ask.yaml -n 3", "-n is the number of questions of --json"),
        ("ask.yaml --pairs --json", "--pairs asks in the terminal"),
        ("ask.yaml --show middle=title", "there is no view 'middle'"),
        ("ask.yaml --show left=size", "there is no column 'size'"),
        ("ask.yaml --out left.csv", "A file is where a folder must be"),
        ("ask.yaml --out .", "but no answers. Choose another folder with --out"),
        ("ask.yaml --answers nowhere.csv", "nowhere.csv: cannot be read"),
        ("ask.yaml --port 8000", "--port and --no-open go with --browser"),
        ("ask.yaml --no-open", "--port and --no-open go with --browser"),
        ("ask.yaml --browser --json", "--pairs asks in the terminal, --browser in a page"),
        ("ask.yaml --browser --pairs", "--pairs asks in the terminal, --browser in a page"),
        ("ask.yaml --browser --port 65536", "--port"),
        ("two.yaml", "answers of several people (anna and ben); say with --out which are yours."),
    ],
)
def test_what_cannot_be_asked_is_refused(folder, words, message):
    config = (folder / "ask.yaml").read_text()
    (folder / "two.yaml").write_text(f"{config}asked: [anna, ben]\n")
    done = ask(folder, words)
    assert done.returncode in (1, 2)
    assert done.stdout == ""
    assert message in " ".join(done.stderr.split())
    assert done.returncode == 1 or not (folder / "asked").exists()


@pytest.mark.parametrize(
    "words", ["--view left=left.csv --ignore left=title", "three.yaml", "none.yaml"]
)
def test_of_one_view_three_views_no_matches_and_fewer_rows_than_clusters_it_asks(folder, words):
    views, show = "left: left.csv, right: right.csv", "show: {left: title, right: title}"
    (folder / "none.yaml").write_text(f"views: {{{views}}}\n{show}\nn_clusters: 26\n")
    write_csv(folder / "third.csv", [["id", "x"], *([f"t{n}", n % 3 + n / 90] for n in range(20))])
    (folder / "three.yaml").write_text(
        f"views: {{{views}, third: third.csv}}\nmatches: {{left:right: matches.csv}}\n{show}\n"
    )
    said = asked(folder, f"{words} --out asked", keys=["n", "a", *"111111f"])
    assert "7 answers, 1 group." in said
    assert len(questions(folder, f"{words} --out asked", n=99)) > 10


def test_closed_standard_input_ends_the_questions_as_the_end_of_another_does(folder):
    asked(folder, keys="n a 1")
    assert len(log(folder)) == 2
    empty = asked(folder, "ask.yaml --out empty")
    with patch.object(sys, "stdin", None):
        closed = mvcc("ask", "ask.yaml", "--out", "closed", cwd=folder)
    assert (closed.returncode, closed.stdout) == (0, empty.replace("empty", "closed"))


def test_more_groups_than_keys_are_shown_page_by_page_and_a_name_that_is_typed_is_found(folder):
    ids = [question["id"] for question in questions(folder, n=12)]
    answer(folder, [[one, f"new:name{n}"] for n, one in enumerate(ids)])
    shown = asked(folder, keys="y m 9 f")
    assert "There is no such key here." in shown
    assert "(4 of 12 groups)" in shown
    assert "(9 of 12 groups)" in shown
    assert len(log(folder)) == 13
    shown = asked(folder, keys="m m m f")
    assert "(3 of 12 groups)" in shown
    assert "n none of these" in shown
    assert shown.count("(9 of 12 groups)") == 2
    asked(folder, keys="n name11 f")
    assert log(folder)[-1][1] == "name11"


def test_a_card_says_why_shows_values_beside_bars_and_offers_only_keys_that_do_something(folder):
    shown = asked(folder, f"{VIEWS} --match left:right=matches.csv --out asked", keys="m f")
    assert "Asked because its answer covers about" in shown
    assert "There is no such key here." in shown
    assert "more groups" not in shown
    assert "n new group" in shown
    id = re.search(r"left: (l\d+)", shown)[1]
    (row,) = (row for row in read_csv(folder / "left.csv") if row["id"] == id)
    assert re.search(rf"^x +{float(row['x']):g} +[+-]\d\.\d [+-]+ ", shown, re.M)


def test_the_folder_of_the_config_is_that_of_the_answers(folder):
    with (folder / "ask.yaml").open("a") as file:
        file.write("asked: elsewhere\n")
    assert "--asked elsewhere -k auto" in asked(folder, keys="n a n b f")
    assert len(log(folder, "elsewhere")) == 2
    assert not (folder / "asked").exists()
    ask(folder, "ask.yaml --out third", keys="u f")
    assert (folder / "third" / "asked.csv").exists()


def test_what_was_said_is_listed_and_changed(folder):
    shown = asked(folder, keys="n a n b ? l  l 1 u l r  l r b c l m c x f")
    (first, _), (second, _), *rest = log(folder)
    assert rest == [(first, "unsure"), ("b", "rename:c")]
    assert re.search(rf"^ +1  {first} +title \d+ +a *$", shown, re.M)
    assert re.search(rf"^ +2  {second} +title \d+ +b *$", shown, re.M)
    assert shown.count("You said “a” about ") == 1
    assert "You said “a”.\n" in shown  # when it is answered again
    assert re.search(r"^Near in left:  l\d+ title \d+ \(", shown, re.M)
    assert shown.count("Refused") == 1
    assert "Refused: There is no group 'x'" in shown


def test_pairs_are_asked_again_without_a_name_and_never_of_a_row_and_itself(folder):
    shown = asked(folder, "ask.yaml --pairs", keys="n  n b l 1 n  n c f")
    (first, _), (second, _), _ = said = log(folder)
    assert said == [(first, "new:group 1"), (second, "new:b"), (first, "new:c")]
    alike = re.findall(r"Are these two alike\? (\S+) and one of (.*):", shown)
    assert alike[:2] == [(second, "group 1")] * 2
    assert alike[3] == (first, "b")


def test_it_says_when_nothing_is_left(folder):
    answer(folder, [[one["id"], "unsure"] for one in questions(folder, n=99)])
    assert questions(folder) == []
    assert "Nothing is left to ask." in asked(folder, keys="1")


@pytest.mark.parametrize("width", [40, 79, 80, 200])
def test_a_card_fits_the_terminal_and_shows_nothing_that_acts(folder, width):
    rows = [
        [f"\x1b[31m[bold]<b>{n}", f"{'日本' * 60}\x07\x9b\r\n‮ {n}", n % 3 + n / 40]
        for n in range(12)
    ]
    with open(folder / "odd.csv", "w", encoding="utf-8", newline="") as file:
        csv.writer(file).writerows([["id", "title", "x"], *rows])
    words = "--view odd=odd.csv --show odd=title --out asked"
    printed = asked(folder, words, keys="n [red]x 1 ? l  f", COLUMNS=str(width), NO_COLOR="1")
    shown = printed.split("Name two groups or more:")[0]
    assert not [one for one in shown if not one.isprintable() and one != "\n"]
    assert r"\x1b[31m[bold]<b>" in shown
    assert "[red]x (2)" in shown
    assert max(map(cell_len, shown.splitlines()[:-1])) <= width


def test_lists_break_between_their_parts_where_there_is_no_room(folder):
    shown = asked(folder, keys=[*"na?lra", "a name " * 9, "l", "", "f"], COLUMNS="40")
    near = re.findall(r"^Near in (?:.+\n)+?(?=Near|n )", shown, re.M)
    assert len(near) == 2
    assert not any(line.count("(") != line.count(")") for line in "".join(near).splitlines())
    assert re.search(r"^ +1  left:l\d+ .* a name.*\n {13,}\w", shown, re.M)


def test_the_status_says_when_the_number_of_groups_is_settled(folder):
    for settled in (False, True):
        true_answers(folder, 5 if settled else 10)
        assert ("k = 3 is settled" in asked(folder, keys="f")) is settled
    done = mvcc(*"cluster ask.yaml --asked asked -k auto --dry-run".split(), cwd=folder)
    assert "answers: 3 groups, 0 rows of outliers\n" in done.stdout


def test_rows_are_beside_each_other_where_there_is_room(folder):
    beside, below = (asked(folder, keys="f", COLUMNS=width) for width in ("80", "79"))
    assert re.search(r"left: l\d+ +right: r\d+", beside)
    assert not re.search(r"left: l\d+ +right: r\d+", below)
    assert "right: r" in below


def test_an_interrupted_session_goes_on(folder):
    with patch("mvcc.tables.AskSession.next", side_effect=KeyboardInterrupt):
        done = ask(folder)
    assert done.returncode == 130
    assert "interrupted; all answers are stored; run the same command to resume." in done.stderr
    asked(folder, keys="f")


def type_in(terminal, *steps):
    """Press keys, each time when the terminal shows what comes before them."""
    for prompt, keys in steps:
        terminal.wait_for(prompt)
        terminal.press(keys)


WHY, NAME = "? why", "Esc: back): "


@pytest.mark.slow
def test_keys_work_without_enter(folder):
    with Terminal(folder, "ask.yaml") as terminal:
        type_in(terminal, (WHY, "n"), (NAME, "ä\n"), (WHY, "\x1b[1;5A1"), (WHY, "u"), (WHY, "p"))
        type_in(terminal, (WHY, "n"), (NAME, "b\x1b"), (WHY, "\x1b"), ("no such key", ""))
        type_in(terminal, (WHY, "n"), (NAME, "\n"), (WHY, "o"), (WHY, "f"))
        code, text = terminal.end()
    assert code == 0
    assert "3 answers, 1 group. Name two groups or more: mvcc ask ask.yaml --out asked" in text
    assert [answer for _, answer in log(folder)] == ["new:ä", "ä", "unsure", "undo", "outlier"]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("how", "exit_code"),
    [("\x03", 130), ("\x04", 0), (signal.SIGTERM, 130), (signal.SIGKILL, -9)],
    ids=["ctrl-c", "ctrl-d", "sigterm", "sigkill"],
)
def test_no_answer_is_lost_however_it_ends(folder, how, exit_code):
    with Terminal(folder, "ask.yaml") as terminal:
        type_in(terminal, (WHY, "n"), (NAME, "a\n"), (WHY, "1"), ("2 answered", ""))
        terminal.wait_for(WHY)
        if isinstance(how, str):
            terminal.press(how)
        else:
            terminal.process.send_signal(how)
        code, text = terminal.end()
    assert code == exit_code
    assert ("run the same command to resume" in text) is (code == 130)
    assert [answer for _, answer in log(folder)] == ["new:a", "a"]
    done = ask(folder, keys="f")
    assert "2 answers, 1 group." in done.stdout
    assert ("ended without a word" in done.stderr) is (how == signal.SIGKILL)


# in a browser


def test_the_browser_is_sent_to_the_address_that_is_printed(tmp_path, monkeypatch):
    opened, told, config = [], threading.Event(), write_tables(tmp_path)

    def use(address):
        opened.append(address)

        def post(name, **said):
            kind = {"Content-Type": "application/json"}
            request = Request(address + name, json.dumps(said).encode(), kind)
            return json.load(urlopen(request, timeout=60))

        state = json.load(urlopen(address + "state", timeout=60))
        post("answer", id=state["card"]["id"], answer="new:harbor", version=0)
        opened.append(post("finish")["then"])
        told.set()

    monkeypatch.setattr(webbrowser, "open", use)
    done = mvcc("ask", config.name, "--out", "answers", "--browser", cwd=config.parent)
    assert done.returncode == 0, done.stderr
    assert told.wait(60)
    address, last = done.stdout.splitlines()
    assert opened == [address, "mvcc ask cluster.yaml --out answers --browser"]
    assert last == f"1 answer, 1 group. Name two groups or more: {opened[1]}"
    assert len(log(config.parent, "answers")) == 1


@pytest.mark.slow
def test_a_signal_ends_the_page_as_finishing_does(tmp_path):
    command = [sys.executable, "-m", "mvcc", "ask", write_tables(tmp_path)]
    command += ["--browser", "--no-open"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        urlopen(process.stdout.readline().strip(), timeout=60).close()
        process.send_signal(signal.SIGTERM)
        assert process.stdout.read().startswith("0 answers, 0 groups. Name two groups or more:")
    assert process.returncode == 0


def test_a_port_that_is_taken_is_no_traceback(folder):
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        done = ask(folder, f"ask.yaml --browser --no-open --port {port}")
    said = f"mvcc: cannot serve on port {port}: Address already in use; choose another --port.\n"
    assert done.returncode == 1
    assert done.stderr.endswith(said)
