"""Files that commands write: what may be replaced, what stays, and what a killed process leaves."""

import errno
import fcntl
import json
import os
import shutil
import signal
import stat
import subprocess
import sys
from contextlib import nullcontext
from functools import partial
from itertools import count
from pathlib import Path

import pytest

from mvcc._utils import files
from mvcc._utils.files import JOURNAL, LEDGER, LOCK, locked
from mvcc._utils.outputs import OutputFolder, check_output, replace_file, write_output
from mvcc.exceptions import StoreError
from tests.crashes import steps


def write(path, content=b"1", kind="labels", **options):
    write_output(Path(path), content, kind, **options)


def names(folder):
    return sorted(path.relative_to(folder).as_posix() for path in folder.rglob("*"))


def test_a_check_writes_nothing_and_a_file_is_written_with_its_folder_and_its_entry(tmp_path):
    check_output(tmp_path / "a/b/labels.csv", "labels")
    assert names(tmp_path) == []
    write(tmp_path / "a/b/labels.csv")
    assert (tmp_path / "a/b/labels.csv").read_bytes() == b"1"
    assert names(tmp_path / "a/b") == [LEDGER, "labels.csv"]


def test_a_file_with_these_bytes_stays_as_it_is(tmp_path):
    (tmp_path / "labels.csv").write_bytes(b"1")
    before = (tmp_path / "labels.csv").stat()
    write(tmp_path / "labels.csv")
    after = (tmp_path / "labels.csv").stat()
    assert (before.st_ino, before.st_mtime_ns) == (after.st_ino, after.st_mtime_ns)
    assert names(tmp_path) == ["labels.csv"]


def test_a_file_that_exists_is_replaced_only_when_told(tmp_path):
    path = tmp_path / "labels.csv"
    write(path)
    message = r"labels\.csv exists\. Choose another --out, or replace it with --fresh"
    with pytest.raises(StoreError, match=message):
        write(path, b"2")
    assert path.read_bytes() == b"1"
    write(path, b"2", fresh=True)
    assert path.read_bytes() == b"2"


def test_who_may_read_a_file_may_read_the_next_one_and_nobody_else(tmp_path):
    write_several(tmp_path, b"1", "labels.csv", "b.csv")
    path = tmp_path / "labels.csv"
    path.chmod(0o600)
    write_several(tmp_path, b"2", "labels.csv", "b.csv")
    write(path, b"3", fresh=True)
    replace_file(path, b"4")
    inside = tmp_path / "labels/part.1.parquet"
    label_folder(tmp_path, b"1")
    inside.chmod(0o600)
    label_folder(tmp_path, b"2")
    assert {stat.filemode(one.stat().st_mode) for one in (path, inside)} == {"-rw-------"}
    assert stat.filemode((tmp_path / "b.csv").stat().st_mode) != "-rw-------"


@pytest.mark.parametrize("what", ["foreign", "changed", "other kind", "link", "copied"])
def test_what_mvcc_did_not_write_is_never_replaced(tmp_path, what):
    path, elsewhere = tmp_path / "labels.csv", tmp_path / "elsewhere/labels.csv"
    write(elsewhere, kind="a report" if what == "other kind" else "labels")
    if what == "foreign":
        path.write_bytes(b"mine")
    elif what == "link":
        path.symlink_to(elsewhere)
    elif what == "copied":
        path.write_bytes(elsewhere.read_bytes())
    else:
        path = elsewhere
        path.write_bytes(b"1" if what == "other kind" else b"1, and a note of mine")
    before = path.read_bytes()
    why = {"changed": "it was changed since mvcc wrote it", "other kind": "it belongs to a report"}
    message = f"is not replaced: {why.get(what, 'mvcc did not write it')}"
    with pytest.raises(StoreError, match=message):
        write(path, b"2", fresh=True)
    assert path.read_bytes() == before


@pytest.mark.parametrize("name", ["input.csv", "./input.csv", "../here/input.csv", "link.csv"])
def test_an_input_is_never_replaced_by_whatever_name(tmp_path, name):
    here = tmp_path / "here"
    write(here / "input.csv", kind="labels")
    (here / "link.csv").symlink_to(here / "input.csv")
    message = r"is read and would be overwritten\. Choose another --out"
    with pytest.raises(StoreError, match=message):
        write(here / name, b"2", fresh=True, inputs=[here / "input.csv"])
    assert (here / "input.csv").read_bytes() == b"1"


def test_an_input_whose_name_is_too_long_is_no_obstacle(tmp_path):
    write(tmp_path / "labels.csv", inputs=["x" * 300])


def test_nothing_is_written_into_a_folder_that_is_read_or_over_one_that_holds_an_input(tmp_path):
    (tmp_path / "parts").mkdir()
    (tmp_path / "parts/part.0.parquet").write_bytes(b"1")
    for target, read, message in (
        ("parts/labels.csv", "parts", r"labels\.csv lies in .*parts, which is read: nothing is wr"),
        ("parts", "parts/part.0.parquet", r"parts holds part\.0\.parquet, which is read and would"),
    ):
        with pytest.raises(StoreError, match=message):
            write(tmp_path / target, fresh=True, inputs=[tmp_path / read])
    assert names(tmp_path) == ["parts", "parts/part.0.parquet"]


def test_what_goes_wrong_while_a_file_is_written_leaves_nothing(tmp_path):
    def fail():
        with (
            OutputFolder(tmp_path / "new", "labels") as folder,
            folder.writing("a/labels.csv") as (part,),
        ):
            part.write_bytes(b"1")
            raise KeyError

    with pytest.raises(KeyError):
        fail()
    assert names(tmp_path) == []


def label_folder(out, content, fresh=True):
    with OutputFolder(out, "labels", fresh=fresh) as folder, folder.writing("labels") as (part,):
        part.mkdir()
        for name in ("part.0.parquet", "part.1.parquet"):
            (part / name).write_bytes(content)


def test_a_folder_of_parts_is_replaced_only_if_all_parts_are_ours(tmp_path):
    (tmp_path / "labels").mkdir()  # an empty folder is nothing to lose
    label_folder(tmp_path, b"1", fresh=False)
    with pytest.raises(StoreError, match="labels exists"):
        label_folder(tmp_path, b"2", fresh=False)
    label_folder(tmp_path, b"2")
    (tmp_path / "labels/part.2.parquet").write_bytes(b"mine")
    message = r"part\.2\.parquet is not replaced: mvcc did not write it"
    with pytest.raises(StoreError, match=message):
        label_folder(tmp_path, b"3")
    assert (tmp_path / "labels/part.0.parquet").read_bytes() == b"2"


def test_parts_of_a_killed_process_go_and_those_of_others_stay(tmp_path):
    child = os.fork()
    if child == 0:
        with OutputFolder(tmp_path, "labels") as folder, folder.writing("labels.csv") as (part,):
            part.write_bytes(b"half")
            os._exit(0)
    os.waitpid(child, 0)
    part = f".labels.csv.{child}.part"
    theirs = [
        *[".my.part", ".notes.csv.7.part", ".labels.csv.part", f"x{part}", ".new/mine.txt"],
        *[".labels.csv.9.part/mine.txt", ".labels.csv.2024.part", ".other.csv.2024.part"],
        ".old.7.old/mine.txt",
    ]
    for name in theirs:
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_bytes(b"mine")
    assert (tmp_path / part).exists()
    write(tmp_path / "other.csv")
    folders = {".new", ".labels.csv.9.part", ".old.7.old"}
    assert set(names(tmp_path)) == {*theirs, *folders, LEDGER, "other.csv"}
    write(tmp_path / "other.csv", b"2", fresh=True)
    assert all((tmp_path / name).read_bytes() == b"mine" for name in theirs)


def test_the_list_of_files_of_a_former_version_is_read(tmp_path):
    write(tmp_path / "labels.csv")
    with open(tmp_path / LEDGER, "a") as ledger:
        ledger.write("\n" + json.dumps(["", "labels", "labels.csv"]))
        ledger.write("\n" + json.dumps(["", "labels", ".labels.csv.7.part"]))
    (tmp_path / ".labels.csv.7.part").write_bytes(b"mine")
    write(tmp_path / "labels.csv", b"2", fresh=True)
    assert names(tmp_path) == [".labels.csv.7.part", LEDGER, "labels.csv"]


@pytest.mark.parametrize("what", ["part", "former"])
def test_a_list_of_files_that_somebody_edited_removes_nothing_but_parts(tmp_path, what):
    write(tmp_path / "labels.csv")
    (tmp_path / "notes.txt").write_bytes(b"mine")
    before = names(tmp_path)
    with open(tmp_path / LEDGER, "a") as ledger:
        for name in ("notes.txt", ".", "..", "a\0b", "\ud800", ".\0.7.part", ".\0.7.old"):
            ledger.write("\n" + json.dumps([what, "labels", name]))
    write(tmp_path / "labels.csv", b"2", fresh=True)
    assert names(tmp_path) == before


@pytest.mark.parametrize(
    "disturb",
    [
        pytest.param(steps.killed, id="killed", marks=pytest.mark.slow),
        pytest.param(steps.full, id="full"),
    ],
)
def test_former_labels_stay_whole_until_the_new_ones_are_complete(tmp_path, disturb):
    def disturbed(step, out):
        disturb(step, out)
        label_folder(out, b"new")

    def content_of(folder):
        return {path.name: path.read_bytes() for path in folder.iterdir()}

    names_of_parts = ["part.0.parquet", "part.1.parquet"]
    whole = [dict.fromkeys(names_of_parts, content) for content in (b"former", b"new")]
    n_aside = 0
    for step in count(1):
        out, log = tmp_path / str(step), tmp_path / f"{step}.log"
        label_folder(out, b"former")
        (out / ".labels.2024.part").mkdir()
        mine = [".labels.2024.part", LEDGER]
        log.touch()
        ended = steps.in_child(partial(disturbed, step, out), log)
        stopped = steps.REFUSED if disturb is steps.full else -signal.SIGKILL
        assert ended in (0, stopped), log.read_text()
        if not (out / "labels").exists():
            n_aside += 1
            assert [content_of(path) for path in out.glob(".labels.*.old")] == whole[:1]
        write(out / "other.csv")
        assert content_of(out / "labels") in whole
        assert ended or content_of(out / "labels") == whole[1]
        found = {name for name in names(out) if not name.startswith("labels")}
        assert found == {*mine, "other.csv"}, "no part stays, and nothing of anybody else goes"
        label_folder(out, b"again")
        if ended == 0:
            break
    assert step > 20
    assert n_aside, "one step is between the two moves"


def write_staged(out, content, *names):
    with OutputFolder(out, "labels", fresh=True) as folder, folder.staged("all") as part:
        for name in names:
            (part / name).parent.mkdir(exist_ok=True)
            (part / name).write_bytes(content)
        folder.replace_all(part, names[-1], {})


def write_several(out, content, *names):
    with OutputFolder(out, "labels", fresh=True) as folder, folder.writing(*names) as parts:
        for part in parts:
            part.write_bytes(content)


KILLED = 9  # the exit code of a child
FORMER_NAMES, NEW_NAMES = ("a/1.csv", "b.csv", "z.json"), ("a/1.csv", "c/1.csv", "z.json")


@pytest.mark.parametrize("write_all", [write_staged, write_several])
@pytest.mark.parametrize("error", [KeyboardInterrupt, OSError])
@pytest.mark.parametrize("after", [False, True], ids=["before", "after"])
def test_whatever_stops_moves_former_files_are_there(
    tmp_path, monkeypatch, write_all, error, after
):
    for step in count(1):
        out, done, move, gone = tmp_path / str(step), count(1), files.move, []

        def stopping(source, target, step=step, done=done, move=move, gone=gone):
            gone.append(source.name)
            is_last = next(done) == step
            if after or not is_last:
                move(source, target)
            if is_last:
                raise error

        write_all(out, b"former", *FORMER_NAMES)
        is_stopped = False
        with monkeypatch.context() as patched:
            patched.setattr(files, "move", stopping)
            try:
                write_all(out, b"new", *NEW_NAMES)
            except (KeyboardInterrupt, StoreError):
                is_stopped = True
        if not is_stopped:
            break
        assert contents(out) == dict.fromkeys(FORMER_NAMES, b"former")
        assert not (out / "c").exists()
    others = {"b.csv": b"former"} if write_all is write_several else {}
    assert contents(out) == dict.fromkeys(NEW_NAMES, b"new") | others
    assert step > 4
    visible = [name for name in gone if not name.startswith(".")]
    assert visible[0] == "z.json", "without it, the others are incomplete"


def write_parts(out, content, *names):
    with OutputFolder(out, "labels", fresh=True) as folder, folder.writing(*names) as parts:
        for part in parts:
            part.mkdir()
            for n in range(3):
                (part / f"part.{n}.parquet").write_bytes(content)


def killed_before_move(step, writing, log):
    """Run what is killed before a move, as process 1, which every process of a container is."""

    def one():
        done, move = count(1), files.move
        os.getpid = lambda: 1
        files.move = lambda *paths: move(*paths) if next(done) != step else os._exit(KILLED)
        writing()

    ended = steps.in_child(one, log)
    assert ended in (0, KILLED), log.read_text()
    return ended == KILLED


def contents(out):
    return {
        name: (out / name).read_bytes()
        for name in names(out)
        if (out / name).is_file() and name not in (LEDGER, LOCK)
    }


def repaired(out):
    """Write something else into a folder; return what is there then."""
    write(out / "other.txt")
    (out / "other.txt").unlink()
    return contents(out)


@pytest.mark.parametrize("write_all", [write_staged, write_several, write_parts])
@pytest.mark.parametrize("first", [(), ("a/1", "b"), ("b", "a/1", "d")], ids=str)
def test_a_kill_leaves_no_half_even_if_numbers_of_processes_come_again(tmp_path, write_all, first):
    """Each exchange of a folder ends as if it had not begun, whatever was killed there before."""
    former, log = tmp_path / "former", tmp_path / "log"
    for content in (b"older", b"former") if first else ():
        assert not killed_before_move(0, partial(write_all, former, content, *first), log)
    before = contents(former)
    for step in count(1):
        out = tmp_path / str(step)
        if first:
            shutil.copytree(former, out)
        writing = partial(write_all, out, b"new", "c/1", "a/1", "b")
        is_killed = killed_before_move(step, writing, log)
        left = repaired(out)
        if not is_killed:
            break
        assert left == before
    assert {left[name] for name in left if name.startswith(("a", "b", "c"))} == {b"new"}
    assert step > 3


def test_a_kill_while_moves_are_undone_loses_nothing_even_if_former_files_have_new_bytes(tmp_path):
    log = tmp_path / "log"
    for step in count(1):
        out = tmp_path / str(step)
        write_staged(out, b"same", *FORMER_NAMES)
        before = contents(out)
        writing = partial(write_staged, out, b"same", *NEW_NAMES)
        assert killed_before_move(7, writing, log)
        is_killed = killed_before_move(step, partial(repaired, out), log)
        assert repaired(out) == before
        if not is_killed:
            break
    assert step > 3


@pytest.fixture
def half(tmp_path):
    """Return a folder in which a command was killed before its first new file came."""
    write_several(tmp_path, b"former", *FORMER_NAMES)
    writing = partial(write_several, tmp_path, b"new", *FORMER_NAMES)
    assert killed_before_move(5, writing, tmp_path.parent / f"{tmp_path.name}.log")
    return tmp_path


def test_a_name_of_255_bytes_is_put_back_and_replaced_as_any_other(tmp_path):
    longest = [f"{'ä' * 125}.{ending}" for ending in ("json", "yaml")]
    write_several(tmp_path, b"former", *longest)
    writing = partial(write_several, tmp_path, b"new", *longest)
    assert killed_before_move(4, writing, tmp_path.parent / f"{tmp_path.name}.log")
    assert repaired(tmp_path) == dict.fromkeys(longest, b"former")
    writing()
    assert contents(tmp_path) == dict.fromkeys(longest, b"new")


@pytest.mark.parametrize("name", FORMER_NAMES)
@pytest.mark.parametrize("what", ["file", "folder with a file", "link"])
def test_what_somebody_has_put_into_a_place_stays_and_the_former_file_waits(half, name, what):
    """Also the last file is no sign that all are new; what waits comes back or goes with them."""
    place = half / name
    if what == "file":
        place.write_bytes(b"mine")
    elif what == "link":
        place.symlink_to("nowhere")
    else:
        place.mkdir()
        (place / "mine.txt").write_bytes(b"mine")
    for _ in range(2):
        left = repaired(half)
        assert os.path.lexists(place)
        assert all(left[one] == b"former" for one in FORMER_NAMES if one != name)
        assert what == "link" or b"mine" in left.values()
    place.rename(half / "mine")
    left = repaired(half)
    assert {one: left[one] for one in FORMER_NAMES} == dict.fromkeys(FORMER_NAMES, b"former")
    assert [one for one in left if one not in FORMER_NAMES and not one.startswith("mine")] == []


def test_a_hidden_file_of_somebody_else_is_not_replaced_by_one_put_aside(tmp_path):
    write_several(tmp_path, b"former", *FORMER_NAMES)
    hidden = tmp_path / f".{files.stem_of('b.csv')}.{os.getpid()}.old"
    hidden.write_bytes(b"mine")
    write_several(tmp_path, b"new", *FORMER_NAMES)
    assert contents(tmp_path) == dict.fromkeys(FORMER_NAMES, b"new") | {hidden.name: b"mine"}


def test_an_empty_folder_in_a_place_is_no_new_file(half):
    for name in FORMER_NAMES:
        (half / name).mkdir()
    assert repaired(half) == dict.fromkeys(FORMER_NAMES, b"former")


def test_a_file_that_waits_goes_with_the_result_that_it_belongs_to(half):
    place = half / "a/1.csv"
    place.write_bytes(b"mine")
    repaired(half)
    write_several(half, b"new", "b.csv", "z.json")
    assert any(name.endswith(".old") for name in contents(half)), "others than these were replaced"
    writing = partial(write_staged, half, b"newer", "b.csv", "z.json")
    for step in count(1):
        is_killed = killed_before_move(step, writing, half.parent / f"{half.name}.log")
        left = repaired(half)
        assert left["a/1.csv"] == b"mine"
        assert any(name.endswith(".old") for name in left) == is_killed
        assert left["z.json"] == (b"new" if is_killed else b"newer")
        if not is_killed:
            break
    assert left == {"a/1.csv": b"mine", "b.csv": b"newer", "z.json": b"newer"}


def test_what_was_moved_aside_goes_once_all_is_there_whatever_one_changes(tmp_path, monkeypatch):
    write_several(tmp_path, b"former", *FORMER_NAMES)
    with monkeypatch.context() as patched:
        patched.setattr("mvcc._utils.exchange.remove", lambda *paths, **options: os._exit(KILLED))
        writing = partial(write_several, tmp_path, b"new", *FORMER_NAMES)
        assert steps.in_child(writing, tmp_path.parent / f"{tmp_path.name}.log") == KILLED
    assert sum(name.endswith(".old") for name in contents(tmp_path)) == len(FORMER_NAMES)
    (tmp_path / "a/1.csv").write_bytes(b"mine")
    new = dict.fromkeys(FORMER_NAMES, b"new")
    assert repaired(tmp_path) == new | {"a/1.csv": b"mine"}


@pytest.mark.parametrize("changed", ["a/mine.txt", *NEW_NAMES])
@pytest.mark.parametrize("write_all", [write_staged, write_several])
def test_a_kill_after_the_last_move_leaves_new_files_that_are_read(tmp_path, write_all, changed):
    """If the last file was changed, nothing tells that all had come: the former ones return."""
    out, log = tmp_path / "out", tmp_path / "log"

    def killed():
        move = files.move

        def last(source, target):
            move(source, target)
            if target == out / "z.json":
                os._exit(KILLED)

        files.move = last
        write_all(out, b"new", *NEW_NAMES)

    write_all(out, b"former", *FORMER_NAMES)
    assert steps.in_child(killed, log) == KILLED, log.read_text()
    (out / changed).write_bytes(b"mine")
    assert JOURNAL in names(out)
    left = repaired(out)
    if changed == "z.json":
        (waits,) = left.keys() - {*FORMER_NAMES, JOURNAL}
        assert left.pop(JOURNAL)
        assert left == dict.fromkeys((*FORMER_NAMES, waits), b"former") | {changed: b"mine"}
        return
    others = {"b.csv": b"former"} if write_all is write_several else {}
    assert left == dict.fromkeys(NEW_NAMES, b"new") | {changed: b"mine"} | others


def stopped_at(step, how, writing, out):
    """Run what is killed, or interrupted and fails, before a move, and at moves that undo it."""
    if how == "kill":
        return killed_before_move(step, writing, out.parent / f"{out.name}.log")
    done, move = count(1), files.move

    def stopped(source, target):
        if (place := next(done)) >= step and how == "interrupts":
            raise KeyboardInterrupt
        if step <= place <= step + 1 and how == "errors":
            raise OSError
        move(source, target)

    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(files, "move", stopped)
        try:
            writing()
        except (KeyboardInterrupt, StoreError):
            return True
    return False


def restore(out, how):
    """Bring back by hand what is aside and nothing has replaced: all of it, or the last file."""
    for aside in out.glob(".*.old"):
        place = out / aside.name.split(".")[1]
        if not how or place.exists() or (how == "z" and place.name != "z"):
            continue
        if how == "moved":
            aside.rename(place)
        else:
            (shutil.copytree if aside.is_dir() else shutil.copy)(aside, place)


@pytest.mark.parametrize("how", ["kill", "interrupts", "errors"])
@pytest.mark.parametrize("write_all", [write_staged, write_several, write_parts])
@pytest.mark.parametrize("last", [b"new", b"former"], ids=["other bytes", "the same bytes"])
def test_whatever_somebody_restores_where_moves_were_stopped_one_result_is_whole(
    tmp_path, monkeypatch, how, write_all, last
):
    """The last new file may have the former bytes: that it is there says nothing then."""
    write_bytes, before = Path.write_bytes, tmp_path / "before"

    def write_last(path, content):
        is_last = any(name == "z" or name.startswith(".z.") for name in path.parts)
        write_bytes(path, last if content == b"new" and is_last else content)

    write_all(before, b"former", "a", "b", "z")
    former = contents(before)
    whole = {name: last if name[0] == "z" else b"new" for name in former}
    for step in count(1):
        stopped = shutil.copytree(before, tmp_path / str(step))
        writing = partial(write_all, stopped, b"new", "a", "b", "z")
        with monkeypatch.context() as patched:
            patched.setattr(Path, "write_bytes", write_last)
            is_stopped = stopped_at(step, how, writing, stopped)
        there = [(stopped / name).exists() for name in "abz"]
        assert all(there) or not there[-1], "without it, the others are incomplete"
        for restored in ("", "moved", "copied", "z"):
            out = shutil.copytree(stopped, tmp_path / f"{step} {restored}")
            restore(out, restored)
            left = {name: content for name, content in repaired(out).items() if name[0] != "."}
            assert left == (former if is_stopped else whole), (step, restored)
        if not is_stopped:
            break
    assert step > 6


@pytest.mark.parametrize("error", [OSError, KeyboardInterrupt])
def test_nothing_fails_once_all_new_files_count(tmp_path, monkeypatch, error):
    """Of an interrupt the command learns, but all is there."""
    write_several(tmp_path, b"former", *FORMER_NAMES)
    sync, hit = files.sync, []

    def stopping(path):
        sync(path)
        left = contents(tmp_path)
        if path == tmp_path and left.get("z.json") == b"new" and JOURNAL not in left and not hit:
            hit.append(path)
            raise error

    with monkeypatch.context() as patched:
        patched.setattr(files, "sync", stopping)
        with pytest.raises(error) if error is KeyboardInterrupt else nullcontext():
            write_several(tmp_path, b"new", *FORMER_NAMES)
    assert len(hit) == 1
    assert repaired(tmp_path) == dict.fromkeys(FORMER_NAMES, b"new")


def test_a_disk_that_syncs_no_folder_or_has_no_locks(tmp_path, monkeypatch):
    def sync(handle, fsync=os.fsync):
        if Path(f"/proc/self/fd/{handle}").is_dir():
            raise OSError(errno.EINVAL, os.strerror(errno.EINVAL))
        fsync(handle)

    def lock(file, how):
        raise OSError(errno.ENOSYS, os.strerror(errno.ENOSYS))

    monkeypatch.setattr(os, "fsync", sync)
    write_several(tmp_path / "synced", b"new", *NEW_NAMES)
    assert contents(tmp_path / "synced") == dict.fromkeys(NEW_NAMES, b"new")
    monkeypatch.setattr(fcntl, "flock", lock)
    with pytest.raises(
        StoreError, match=r"disk without locks \(Function not implemented\), such as"
    ):
        write_several(tmp_path / "unlocked", b"new", *NEW_NAMES)
    assert not (tmp_path / "unlocked").exists()


@pytest.mark.parametrize("first", [(), FORMER_NAMES], ids=["new", "former"])
def test_a_disk_that_is_never_sure_leaves_no_half_either(tmp_path, monkeypatch, first):
    """From a step on, folders cannot be synced, so that the next command looks once more."""
    for step in count(1):
        out, done, sync = tmp_path / str(step), count(1), files.sync
        if first:
            write_several(out, b"former", *first)

        def failing(path, done=done, sync=sync, step=step):
            sync(path)
            if next(done) >= step:
                raise OSError

        is_stopped = False
        with monkeypatch.context() as patched:
            patched.setattr(files, "sync", failing)
            try:
                write_several(out, b"new", *NEW_NAMES)
            except StoreError:
                is_stopped = True
        kept = {"b.csv": b"former"} if first else {}
        before = dict.fromkeys(first, b"former")
        whole = before if is_stopped else kept | dict.fromkeys(NEW_NAMES, b"new")
        left = contents(out) if out.exists() else {}
        is_labels = [name for name in left if not name.startswith(".") and "/." not in name]
        assert {name: left[name] for name in is_labels} == whole
        assert repaired(out) == whole
        if not is_stopped:
            break
    assert step > 10


@pytest.mark.parametrize(
    "change",
    [
        lambda text: text[: len(text) // 2],
        lambda text: "",
        lambda text: "my notes",
        lambda text: "[" * 10**5,
        lambda text: "{}",
        lambda text: json.dumps(json.loads(text) | {"new": 7}),
        lambda text: json.dumps(json.loads(text) | {"new": {"mine.txt": "0" * 64}}),
        lambda text: json.dumps(json.loads(text) | {"aside": {"b.csv": "mine.txt"}}),
        lambda text: json.dumps(json.loads(text) | {"aside": {"mine.txt": ".b.csv.1.old"}}),
        lambda text: json.dumps(json.loads(text) | {"aside": {"../b.csv": ".b.csv.1.old"}}),
        lambda text: json.dumps(json.loads(text) | {"aside": {"b.csv": ["part"]}}),
    ],
)
def test_a_journal_that_was_damaged_or_changed_ends_the_command_and_nothing_goes(half, change):
    (half / "mine.txt").write_bytes(b"mine")
    (half / JOURNAL).write_text(change((half / JOURNAL).read_text()))
    before = contents(half)
    with pytest.raises(StoreError, match=r"tells where former files are, is damaged or was chang"):
        repaired(half)
    assert contents(half) == before


def test_a_journal_that_is_changed_while_files_are_moved_hides_no_error(tmp_path, monkeypatch):
    def failing(source, target):
        (tmp_path / JOURNAL).write_text("my notes")
        raise OSError(errno.EIO, "the disk fails")

    monkeypatch.setattr(files, "move", failing)
    with pytest.raises(StoreError, match="the disk fails"):
        write_several(tmp_path, b"new", *NEW_NAMES)


def test_what_cannot_be_removed_stays_and_only_its_repair_fails(tmp_path, monkeypatch):
    unlink = Path.unlink

    def kept(path, **how):
        if path.suffix == ".old":
            raise PermissionError(errno.EACCES, "not yours")
        unlink(path, **how)

    write_several(tmp_path, b"former", *FORMER_NAMES)
    monkeypatch.setattr(Path, "unlink", kept)
    write_several(tmp_path, b"new", *FORMER_NAMES)
    assert (tmp_path / "z.json").read_bytes() == b"new"
    with pytest.raises(StoreError, match="not yours"):
        repaired(tmp_path)


@pytest.mark.parametrize(
    ("make", "fresh", "message"),
    [
        (Path.touch, False, "b.csv exists"),
        (Path.mkdir, False, "b.csv cannot be written: Is a directory"),
        (Path.mkdir, True, "b.csv cannot be written: Is a directory"),
    ],
)
def test_of_several_files_all_are_written_or_none(tmp_path, make, fresh, message):
    make(tmp_path / "b.csv")
    with (
        OutputFolder(tmp_path, "labels", fresh=fresh) as folder,
        pytest.raises(StoreError, match=message),
    ):
        folder.write({"a.csv": b"1", "b.csv": b"1"})
    assert names(tmp_path) == ["b.csv"]


def test_a_second_process_is_told_of_the_first_and_writes_nothing(tmp_path):
    with (
        OutputFolder(tmp_path, "labels"),
        pytest.raises(StoreError, match=rf"is in use: a run of process {os.getpid()}"),
    ):
        write(tmp_path / "labels.csv")
    assert names(tmp_path) == []


@pytest.mark.parametrize("name", [LOCK, LEDGER, JOURNAL])
@pytest.mark.parametrize(
    "what", ["link to notes", "link to an empty file", "link to nothing", "pipe", "folder"]
)
def test_what_is_called_like_a_file_of_mvcc_is_not_followed(tmp_path, name, what):
    notes, here = tmp_path / "notes.txt", tmp_path / "here"
    here.mkdir()
    if what == "pipe":
        os.mkfifo(here / name)
    elif what == "folder":
        (here / name).mkdir()
    else:
        (here / name).symlink_to("../notes.txt")
    if what in ("link to notes", "link to an empty file"):
        notes.write_bytes(b"mine" if what == "link to notes" else b"")
    before = names(tmp_path)
    message = r"is not (a lock|the list of (files|moves)) of mvcc\. Move it away"
    with pytest.raises(StoreError, match=message):
        write(here / "labels.csv")
    assert names(tmp_path) == before
    assert not notes.exists() or notes.read_bytes() == (b"mine" if what == "link to notes" else b"")


@pytest.mark.parametrize(
    ("name", "content"),
    [
        *((LOCK, content) for content in ("my notes", "[" * 10**5)),
        *((LEDGER, content) for content in ("shopping", '\n{"a": 1}', "\n\nmine\n", "\0\0")),
    ],
)
def test_a_file_called_like_the_lock_or_the_ledger_stays(tmp_path, name, content):
    (tmp_path / name).write_text(content)
    what = {LOCK: "a lock", LEDGER: "the list of files"}[name]
    with pytest.raises(StoreError, match=rf"is not {what} of mvcc\. Move it away"):
        write(tmp_path / "labels.csv")
    assert (tmp_path / name).read_text() == content
    assert names(tmp_path) == [name]


@pytest.mark.parametrize("content", ["", "\n", "\n[", "[" * 10**5])
def test_a_ledger_whose_first_line_was_cut_off_is_one(tmp_path, content):
    (tmp_path / LEDGER).write_text(content)
    write(tmp_path / "labels.csv")
    write(tmp_path / "labels.csv", b"2", fresh=True)


def test_a_folder_that_became_a_link_is_not_written_to(tmp_path):
    here, moved = tmp_path / "here", tmp_path / "moved"

    def label(name, content=b"2"):
        with OutputFolder(here, "labels", fresh=True) as folder:
            assert folder.names() == []
            folder.write({name: content})

    label("texts/deep/labels.csv", b"1")
    (here / "texts").rename(moved)
    (here / "texts").symlink_to(moved)
    (moved / "deep/.labels.csv.7.part").write_bytes(b"mine")
    for name in ("texts/deep/labels.csv", "texts/deep/new.csv", "texts/new.csv"):
        message = r"texts is a link, and mvcc would write to where it leads"
        with pytest.raises(StoreError, match=message):
            label(name)
    assert names(moved) == ["deep", "deep/.labels.csv.7.part", "deep/labels.csv"]
    assert (moved / "deep/labels.csv").read_bytes() == b"1"
    (tmp_path / "link").symlink_to(here)  # that of the user's own choice is followed
    write(tmp_path / "link/labels.csv")
    assert (here / "labels.csv").read_bytes() == b"1"


def test_a_lock_that_goes_while_one_waits_is_made_anew(tmp_path, monkeypatch):
    gone, lock = [], fcntl.flock

    def ends(file, how):
        if not gone:
            gone.append(os.unlink(tmp_path / LOCK))
        lock(file, how)

    monkeypatch.setattr(fcntl, "flock", ends)
    with locked(tmp_path):
        assert (tmp_path / LOCK).exists()


def test_a_lock_of_a_killed_process_keeps_nobody_out(tmp_path):
    holder = {"pid": 1, "host": "here", "started": "then", "command": "mvcc cluster"}
    (tmp_path / LOCK).write_text(json.dumps(holder))
    write(tmp_path / "labels.csv")
    assert names(tmp_path) == [LEDGER, "labels.csv"]


def test_a_ledger_that_leads_elsewhere_or_was_cut_off_is_read_as_far_as_it_goes(tmp_path):
    write(tmp_path / "in/labels.csv")
    (tmp_path / "secret.txt").write_bytes(b"1")
    ledger = tmp_path / "in" / LEDGER
    entry = json.loads(ledger.read_text().strip().split("\n")[-1])
    elsewhere = ("../secret.txt", str(tmp_path / "secret.txt"))
    lines = [json.dumps([entry[0], "labels", name]) for name in elsewhere]
    ledger.write_text("\n".join([ledger.read_text(), *lines, '["cut', "{}", "7"]))
    with OutputFolder(tmp_path / "in", "labels", fresh=True) as folder:
        assert folder.names() == ["labels.csv"]
        with pytest.raises(StoreError, match="did not write it"):
            folder.write({"../secret.txt": b"2"})
    assert (tmp_path / "secret.txt").read_bytes() == b"1"


def test_a_pipe_takes_the_bytes_and_one_that_nobody_reads_is_an_error(tmp_path):
    os.mkfifo(tmp_path / "pipe")
    check_output(tmp_path / "pipe", "labels")
    with pytest.raises(StoreError, match=r"pipe cannot be written: nobody reads from this pipe\."):
        write(tmp_path / "pipe")
    reader = os.open(tmp_path / "pipe", os.O_RDONLY | os.O_NONBLOCK)
    write(tmp_path / "pipe", b"content")
    assert os.read(reader, 100) == b"content"
    os.close(reader)


@pytest.mark.parametrize(
    ("path", "why"),
    [
        ("/dev/full", "No space left on device"),
        ("/dev/labels.csv", "No such file or directory"),  # none is made among the devices
        ("/dev/fd/987", "Bad file descriptor"),
    ],
)
def test_a_device_that_takes_nothing_is_an_error(path, why):
    with pytest.raises(StoreError, match=rf"{path} cannot be written: {why}\."):
        write(path)


REDIRECTED = [
    *["/dev/stdout", "/dev/fd/1", "/proc/self/fd/1", "/proc/thread-self/fd/1"],
    *["link", "folder/1", "/dev/../dev/fd/1"],
]


@pytest.mark.parametrize(
    "writer", ["write_output(path, text, 'labels')", "replace_file(path, text)"]
)
def test_what_the_shell_redirects_is_added_to(tmp_path, writer):
    """Also what is printed later comes behind it."""
    (tmp_path / "link").symlink_to("/dev/fd/1")
    (tmp_path / "folder").symlink_to("/dev/fd")
    code = f"""
from pathlib import Path
from mvcc._utils.outputs import replace_file, write_output
for path in map(Path, {REDIRECTED}):
    text = f"{{path}}\\n".encode()
    print("before", flush=True)
    {writer}
    print("done", flush=True)
"""
    with open(tmp_path / "log", "wb") as log:
        log.write(b"mine\n")
        log.flush()
        subprocess.run([sys.executable, "-c", code], stdout=log, check=True, cwd=tmp_path)
    expected = [line for path in REDIRECTED for line in ("before", path, "done")]
    assert (tmp_path / "log").read_text().splitlines() == ["mine", *expected]
    assert (tmp_path / "link").is_symlink()


def test_what_another_process_has_opened_is_added_to(tmp_path):
    with open(tmp_path / "log", "wb") as log:
        log.write(b"mine\n")
        log.flush()
        code = (
            "from pathlib import Path; from mvcc._utils.outputs import replace_file, write_output;"
            f"path = Path('/proc/{os.getpid()}/fd/{log.fileno()}');"
            "write_output(path, b'one\\n', 'labels'); replace_file(path, b'two\\n')"
        )
        subprocess.run([sys.executable, "-c", code], check=True, cwd=tmp_path)
    assert (tmp_path / "log").read_bytes() == b"mine\none\ntwo\n"


def test_another_files_link_is_followed_and_stays(tmp_path):
    (tmp_path / "file").write_bytes(b"before")
    (tmp_path / "link").symlink_to("file")
    replace_file(tmp_path / "link", b"after")
    assert (tmp_path / "link").is_symlink()
    assert (tmp_path / "file").read_bytes() == b"after"


def test_a_file_is_replaced_as_a_whole_or_not_at_all(tmp_path, monkeypatch):
    def fail(path):
        raise OSError("disk full")

    replace_file(tmp_path / "new/file", b"before")
    monkeypatch.setattr(files, "sync", fail)
    with pytest.raises(OSError, match="disk full"):
        replace_file(tmp_path / "new/file", b"after")
    assert (tmp_path / "new/file").read_bytes() == b"before"
    assert names(tmp_path) == ["new", "new/file"]
