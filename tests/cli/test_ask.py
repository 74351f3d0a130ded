"""``mvcc ask``: questions in the terminal, as JSON, and answers as a table."""

from __future__ import annotations

import csv
import io
import json
import re
import signal
import sys
from unittest.mock import patch

import pytest

from tests.command_line import mvcc
from tests.tables.problems import read_csv, write_csv
from tests.terminal import Terminal

ROWS = 30


@pytest.fixture
def folder(tmp_path):
    """Two views of thirty objects of three classes, the first twenty in both.

    The ids tell the class.
    """
    for view, shift in (("left", 0), ("right", 5)):
        rows = [["id", "title", "x", "y"]]
        for n in range(shift, shift + 25):
            rows.append(
                [f"{view[0]}{n}", f"title {n}", n % 3 * 10 + n / 50, n % 3 * -7 + n % 5 / 9]
            )
        write_csv(tmp_path / f"{view}.csv", rows)
    write_csv(
        tmp_path / "matches.csv", [["left", "right"], *([f"l{n}", f"r{n}"] for n in range(5, 25))]
    )
    (tmp_path / "ask.yaml").write_text(
        "views: {left: {path: left.csv, ignore: title}, right: {path: right.csv, ignore: title}}\n"
        "matches: {left:right: matches.csv}\n"
        "show: {left: title, right: title}\n"
    )
    return tmp_path


def ask(folder, *words, keys=None, **environment):
    with patch.object(sys, "stdin", io.StringIO(keys or "")):
        return mvcc("ask", *words, cwd=folder, **environment)


def log(folder, out="asked"):
    return [(row["id"], row["answer"]) for row in read_csv(folder / out / "asked.csv")]


def true_answers(folder, n):
    """Answer questions by the classes, as a program does; return the ids."""
    ids = []
    while len(ids) < n:
        document = json.loads(ask(folder, "ask.yaml", "--json", "-n", "5").stdout)
        known = {group["name"] for group in document["groups"]}
        table = [["id", "answer"]]
        for question in document["questions"]:
            name = f"class {int(question['id'].split(':')[1][1:]) % 3}"
            table.append([question["id"], name if name in known else f"new:{name}"])
            known.add(name)
        write_csv(folder / "answers.csv", table)
        done = ask(folder, "ask.yaml", "--answers", "answers.csv")
        assert done.returncode == 0, done.stderr
        ids += [row[0] for row in table[1:]]
    return ids


def test_questions_are_printed_and_answers_recorded(folder):
    first = ask(folder, "ask.yaml", "--json", "-n", "3")
    assert first.returncode == 0
    assert first.stderr == "Answers go to asked; --out names another folder.\n"
    document = json.loads(first.stdout)
    assert list(document) == ["questions", "groups", "n_clusters_hint"]
    assert [list(question) for question in document["questions"]] == [
        ["id", "rows", "groups", "why"]
    ] * 3
    assert ask(folder, "ask.yaml", "--json", "-n", "3").stdout == first.stdout
    ids = true_answers(folder, 10)
    assert [id for id, _ in log(folder)] == ids
    document = json.loads(ask(folder, "ask.yaml", "--json").stdout)
    assert sorted(group["name"] for group in document["groups"]) == [
        "class 0",
        "class 1",
        "class 2",
    ]
    assert document["n_clusters_hint"] == 3
    assert len(document["questions"]) == 1
    for group in read_csv(folder / "asked" / "groups.csv"):
        assert {int(member.split(":")[1][1:]) % 3 for member in group["members"].split()} == {
            int(group["name"][-1])
        }


def test_the_constraints_that_are_written_are_taken(folder):
    true_answers(folder, 10)
    for view in ("left", "right"):
        constraints = f"--constraints={view}=asked/{view}.csv"
        done = mvcc(
            "cluster", "ask.yaml", constraints, "-k", "3", "--dry-run", "--json", cwd=folder
        )
        assert done.returncode == 0, done.stderr
        counts = {one["name"]: one["constraints"] for one in json.loads(done.stdout)["views"]}
        assert counts[view] == len(read_csv(folder / "asked" / f"{view}.csv"))


def test_answers_and_json_record_then_print(folder):
    (question,) = json.loads(ask(folder, "ask.yaml", "--json").stdout)["questions"]
    write_csv(folder / "answers.csv", [["id", "answer"], [question["id"], "new:a"]])
    document = json.loads(ask(folder, "ask.yaml", "--json", "--answers", "answers.csv").stdout)
    assert document["groups"] == [{"group": "g1", "name": "a", "size": 1}]
    assert document["questions"][0]["id"] != question["id"]
    write_csv(folder / "answers.csv", [["id", "answer"], [question["id"], "b"]])
    done = ask(folder, "ask.yaml", "--json", "--answers", "answers.csv")
    assert (done.returncode, done.stdout) == (1, "")
    assert "answers.csv:2: There is no group 'b'" in done.stderr


def test_options_stand_for_a_config(folder):
    words = ["--view", "left=left.csv", "--view", "right=right.csv"]
    words += ["--ignore", "left=title", "--ignore", "right=title"]
    words += ["--match", "left:right=matches.csv", "--out", "asked"]
    by_options = ask(folder, *words, "--json", "-n", "4")
    assert by_options.stderr == ""
    assert json.loads(by_options.stdout) == json.loads(
        ask(folder, "ask.yaml", "--json", "-n", "4").stdout
    )
    done = ask(folder, *words, keys="u\nf\n")
    assert done.stdout.endswith(
        f"mvcc cluster {' '.join(words[:-2])} --asked asked -k auto --out results\n"
    )


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ([], "there is nothing to ask about"),
        (["--view", "left=left.csv"], "the folder of the answers is missing"),
        (["ask.yaml", "-n", "3"], "-n is the number of questions of --json"),
        (["ask.yaml", "--pairs", "--json"], "--pairs asks in the terminal"),
        (["ask.yaml", "--show", "middle=title"], "there is no view 'middle'"),
        (["ask.yaml", "--show", "left=size"], "there is no column 'size'"),
        (["ask.yaml", "--out", "left.csv"], "A file is where a folder must be"),
        (["ask.yaml", "--out", "."], "but no answers. Choose another folder with --out"),
        (["ask.yaml", "--answers", "nowhere.csv"], "nowhere.csv: cannot be read"),
    ],
)
def test_what_cannot_be_asked_is_refused(folder, words, message):
    done = ask(folder, *words)
    assert done.returncode in (1, 2)
    assert message in " ".join(done.stderr.split())


def test_answers_about_other_tables_are_refused(folder):
    true_answers(folder, 5)
    lines = (folder / "left.csv").read_text().splitlines()
    (folder / "left.csv").write_text(
        "\n".join([lines[0], *(f"other{line}" for line in lines[1:])]) + "\n"
    )
    (folder / "matches.csv").write_text("left,right\notherl7,r7\n")
    done = ask(folder, "ask.yaml", "--json")
    assert done.returncode == 1
    assert re.search(
        r"asked\.csv:\d+: .*has no row with the id .*choose another folder", done.stderr
    )


@pytest.mark.parametrize(
    "words", [["--view", "left=left.csv", "--ignore", "left=title"], ["ask3.yaml"], ["none.yaml"]]
)
def test_one_view_three_views_and_no_matches(folder, words):
    views = "left: left.csv, right: right.csv"
    (folder / "none.yaml").write_text(f"views: {{{views}}}\nshow: {{left: title, right: title}}\n")
    write_csv(folder / "third.csv", [["id", "x"], *([f"t{n}", n % 3 + n / 90] for n in range(20))])
    (folder / "ask3.yaml").write_text(
        f"views: {{{views}, third: third.csv}}\nmatches: {{left:right: matches.csv}}\n"
        "show: {left: title, right: title}\n"
    )
    done = ask(folder, *words, "--out", "asked", keys="n\na\n" + "1\n" * 6 + "f\n")
    assert done.returncode == 0, done.stderr
    assert "7 answers, 1 group." in done.stdout
    assert (
        len(
            json.loads(ask(folder, *words, "--out", "asked", "--json", "-n", "99").stdout)[
                "questions"
            ]
        )
        > 10
    )


KEYS = ["n", "a", "n", "", "n", "b", "1", "u", "o", "p", "1", "f"]


def test_cards_are_answered_by_keys(folder):
    done = ask(folder, "ask.yaml", keys="\n".join(KEYS) + "\n")
    assert done.returncode == 0, done.stderr
    said = log(folder)
    assert [answer for _, answer in said[:2]] == ["new:a", "new:b"]
    assert said[2][1] in ("a", "b")
    assert [answer for _, answer in said[3:6]] == ["unsure", "outlier", "undo"]
    assert said[4][0] == said[5][0] == said[6][0]  # what was taken back is asked again
    assert len(said) == 7
    assert "It was the first guess." in done.stdout
    assert "title 1" in done.stdout
    assert "5 answered" not in done.stdout.split("Go on:")[0].splitlines()[-1]
    assert done.stdout.endswith(
        "5 answers, 2 groups. Go on: mvcc cluster ask.yaml --asked asked -k auto --out results\n"
    )


def test_the_end_of_the_input_is_the_end(folder):
    done = ask(folder, "ask.yaml", keys="n\na\n1")
    assert done.returncode == 0
    assert len(log(folder)) == 2


def test_more_groups_than_keys_are_shown_page_by_page(folder):
    ids = [
        question["id"]
        for question in json.loads(ask(folder, "ask.yaml", "--json", "-n", "12").stdout)[
            "questions"
        ]
    ]
    write_csv(
        folder / "answers.csv",
        [["id", "answer"], *([one, f"new:name{n}"] for n, one in enumerate(ids))],
    )
    ask(folder, "ask.yaml", "--answers", "answers.csv")
    done = ask(folder, "ask.yaml", keys="y\nm\n9\nf\n")
    assert "There is no such key here." in done.stdout
    assert "(4 of 12 groups)" in done.stdout
    assert "(9 of 12 groups)" in done.stdout
    assert len(log(folder)) == 13
    done = ask(folder, "ask.yaml", keys="m\nm\nm\nf\n")
    assert "(3 of 12 groups)" in done.stdout
    assert done.stdout.count("(9 of 12 groups)") == 2


def test_a_name_that_is_there_already_is_that_group(folder):
    done = ask(folder, "ask.yaml", keys="n\na\nN\na\nf\n")
    assert [answer for _, answer in log(folder)] == ["new:a", "a"]
    assert "2 answers, 1 group." in done.stdout


def test_the_card_says_why_it_is_asked_and_offers_only_keys_that_do_something(folder):
    done = ask(folder, "ask.yaml", keys="m\nf\n")
    assert "Asked because its answer covers about" in done.stdout
    assert "There is no such key here." in done.stdout
    assert "more groups" not in done.stdout


def test_the_folder_of_the_config_is_that_of_the_answers(folder):
    with (folder / "ask.yaml").open("a") as file:
        file.write("asked: elsewhere\n")
    done = ask(folder, "ask.yaml", keys="u\nf\n")
    assert "--asked elsewhere -k auto" in done.stdout
    assert len(log(folder, "elsewhere")) == 1
    assert not (folder / "asked").exists()
    ask(folder, "ask.yaml", "--out", "third", keys="u\nf\n")
    assert (folder / "third" / "asked.csv").exists()


def test_what_was_said_is_listed_and_changed(folder):
    keys = [
        "n",
        "a",
        "n",
        "b",
        "?",
        "l",
        "",
        "l",
        "1",
        "u",
        "l",
        "r",
        "",
        "l",
        "r",
        "b",
        "c",
        "l",
        "m",
        "c",
        "x",
        "f",
    ]
    done = ask(folder, "ask.yaml", keys="\n".join(keys) + "\n")
    (first, _), (second, _), *rest = log(folder)
    assert rest == [(first, "unsure"), ("b", "rename:c")]
    assert re.search(rf"^ +1  {first} +title \d+ +a *$", done.stdout, re.M)
    assert re.search(rf"^ +2  {second} +title \d+ +b *$", done.stdout, re.M)
    assert done.stdout.count("You said “a” about ") == 1
    assert "You said “a”.\n" in done.stdout  # when it is answered again
    assert re.search(r"^Near in left:  l\d+ title \d+ \(", done.stdout, re.M)
    assert done.stdout.count("Refused") == 1
    assert "Refused: There is no group 'x'" in done.stdout
    assert "Asked because its answer covers about" in done.stdout
    assert "Near in left: " in done.stdout


def test_pairs_are_asked_down_the_groups(folder):
    done = ask(folder, "ask.yaml", "--pairs", keys="n\n\nn\nb\nn\nn\nc\ny\nf\n")
    said = log(folder)
    assert [answer for _, answer in said[:3]] == ["new:group 1", "new:b", "new:c"]
    assert len(said) == 4
    assert done.stdout.count("Are these two alike?") == 1 + 1 + 2 + 1 + 1


def test_a_contradiction_is_refused_and_the_card_stays(folder):
    first, second = (
        q["id"]
        for q in json.loads(ask(folder, "ask.yaml", "--json", "-n", "2").stdout)["questions"]
    )
    pair = [first.split(":")[1], second.split(":")[1]]
    write_csv(folder / "pairs.csv", [["i", "j", "kind"], [*pair, "cannot-link"]])
    done = ask(
        folder,
        "ask.yaml",
        "--constraints",
        f"left={folder / 'pairs.csv'}",
        keys="n\na\n1\nn\nb\nf\n",
        COLUMNS="200",
    )
    assert (
        f"Refused: New is the answer 'a' to {second}. The constraints contradict each other"
        in done.stdout
    )
    assert "line 2 of pairs.csv" in done.stdout
    assert log(folder) == [(first, "new:a"), (second, "new:b")]


def test_it_says_when_nothing_is_left(folder):
    ids = json.loads(ask(folder, "ask.yaml", "--json", "-n", "99").stdout)["questions"]
    write_csv(folder / "answers.csv", [["id", "answer"], *([one["id"], "unsure"] for one in ids)])
    ask(folder, "ask.yaml", "--answers", "answers.csv")
    assert json.loads(ask(folder, "ask.yaml", "--json").stdout)["questions"] == []
    assert "Nothing is left to ask." in ask(folder, "ask.yaml", keys="1\n").stdout


@pytest.mark.parametrize("width", [40, 79, 80, 200])
def test_a_card_fits_the_terminal_and_shows_nothing_that_acts(folder, width):
    rows = [["id", "title", "x"]]
    rows += [
        [f"\x1b[31m[bold]<b>{n}", f"{'日本' * 60}\x07\x9b\r\n‮ {n}", n % 3 + n / 40]
        for n in range(12)
    ]
    with open(folder / "odd.csv", "w", encoding="utf-8", newline="") as file:
        csv.writer(file).writerows(rows)
    words = ["--view", "odd=odd.csv", "--show", "odd=title", "--out", "asked"]
    done = ask(folder, *words, keys="n\n[red]x\n1\n?\nl\n\nf\n", COLUMNS=str(width), NO_COLOR="1")
    assert done.returncode == 0, done.stderr
    shown = done.stdout.split("Go on:")[0]
    assert not [one for one in shown if not one.isprintable() and one != "\n"]
    assert r"\x1b[31m[bold]<b>" in shown
    assert "[red]x (2)" in shown
    from rich.cells import cell_len

    assert max(map(cell_len, shown.splitlines()[:-1])) <= width


def test_lists_break_between_their_parts_where_there_is_no_room(folder):
    keys = ["n", "a", "?", "l", "r", "a", "a name " * 9, "l", "", "f"]
    shown = ask(folder, "ask.yaml", keys="\n".join(keys) + "\n", COLUMNS="40").stdout
    near = re.findall(r"^Near in (?:.+\n)+?(?=Near|n )", shown, re.M)
    assert len(near) == 2
    assert not any(line.count("(") != line.count(")") for line in "".join(near).splitlines())
    assert re.search(r"^ +1  left:l\d+ .* a name.*\n {13,}\w", shown, re.M)


@pytest.mark.parametrize(("n", "settled"), [(10, False), (15, True)])
def test_the_status_says_when_the_number_of_groups_is_settled(folder, n, settled):
    true_answers(folder, n)
    assert ("k = 3 is settled" in ask(folder, "ask.yaml", keys="f\n").stdout) is settled


def test_rows_are_beside_each_other_where_there_is_room(folder):
    beside, below = (
        ask(folder, "ask.yaml", "--out", f"of{w}", keys="f\n", COLUMNS=str(w)).stdout
        for w in (80, 79)
    )
    assert re.search(r"left: l\d+ +right: r\d+", beside)
    assert not re.search(r"left: l\d+ +right: r\d+", below)
    assert "right: r" in below


def test_an_interrupted_session_goes_on(folder):
    with patch("mvcc.tables.AskSession.next", side_effect=KeyboardInterrupt):
        done = ask(folder, "ask.yaml")
    assert done.returncode == 130
    assert "interrupted; all answers are stored; run the same command to resume." in done.stderr
    assert ask(folder, "ask.yaml", keys="f\n").returncode == 0


@pytest.mark.slow
def test_keys_work_without_enter(folder):
    with Terminal(folder, "ask.yaml") as terminal:
        for prompt, keys in [
            *(
                ("? why", "n"),
                ("Esc: back): ", "ä\n"),
                ("? why", "\x1b[A1"),
                ("? why", "u"),
                ("? why", "p"),
            ),
            *(("? why", "n"), ("Esc: back): ", "b\x1b"), ("? why", "\x1b"), ("no such key", "")),
            *(("? why", "n"), ("Esc: back): ", "\n"), ("? why", "o"), ("? why", "f")),
        ]:
            terminal.wait_for(prompt)
            terminal.press(keys)
        code, text = terminal.end()
    assert code == 0
    assert "Go on: mvcc cluster" in text
    said = [answer for _, answer in log(folder)]
    assert said == ["new:ä", "ä", "unsure", "undo", "outlier"]


@pytest.mark.slow
@pytest.mark.parametrize("how", ["ctrl-c", "sigterm", "sigkill", "ctrl-d"])
def test_no_answer_is_lost_however_it_ends(folder, how):
    with Terminal(folder, "ask.yaml") as terminal:
        for prompt, keys in (
            ("? why", "n"),
            ("Esc: back): ", "a\n"),
            ("? why", "1"),
            ("2 answered", ""),
        ):
            terminal.wait_for(prompt)
            terminal.press(keys)
        terminal.wait_for("? why")
        if how.startswith("ctrl"):
            terminal.press({"ctrl-c": "\x03", "ctrl-d": "\x04"}[how])
        else:
            terminal.process.send_signal(
                {"sigterm": signal.SIGTERM, "sigkill": signal.SIGKILL}[how]
            )
        code, text = terminal.end()
    assert code == {"ctrl-c": 130, "ctrl-d": 0, "sigterm": 130, "sigkill": -9}[how]
    assert ("run the same command to resume" in text) is (code == 130)
    assert [answer for _, answer in log(folder)] == ["new:a", "a"]
    done = ask(folder, "ask.yaml", keys="f\n")
    assert "2 answers, 1 group." in done.stdout
    assert ("ended without a word" in done.stderr) is (how == "sigkill")
