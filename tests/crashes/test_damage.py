"""Whatever happens to a table of the results is seen, set aside, and mended by the same command."""

import random
import shutil

import pytest

from mvcc.exceptions import StoreError
from mvcc.experiments import check_results, plan_run, run_experiment
from mvcc.results import Results
from tests.crashes.steps import CONFIG
from tests.experiments.test_trial import small_config

pytestmark = pytest.mark.slow

OTHER = small_config(
    trials=3, seed=1, multi_view={"mapped": (1.0,), "constraints": (6, 8), "threshold": 0.75}
)


@pytest.fixture(scope="module")
def folders(tmp_path_factory):
    root = tmp_path_factory.mktemp("damage")
    run_experiment(CONFIG, root / "own", n_jobs=1)
    run_experiment(OTHER, root / "other", n_jobs=1)
    return root / "own", root / "other"


def damaged(content, rng, others):
    """Flip a bit of a file, cut it, add to it, write over a part, or put another in its place."""
    at, length = rng.randrange(len(content)), rng.randrange(1, 600)
    damages = [
        content[:at] + bytes([content[at] ^ 1 << rng.randrange(8)]) + content[at + 1 :],
        content[:at],
        content + rng.choice([b"\n", b"\0" * 512, b"0,1,2\n", content]),
        content[:at] + rng.randbytes(length) + content[at + length :],
        rng.choice(others),
    ]
    return rng.choice(damages)


@pytest.mark.parametrize("times", [40, pytest.param(1000, marks=pytest.mark.reliability)])
def test_any_change_of_any_table_is_seen_and_mended(folders, tmp_path, tried, times):
    own, other = folders
    names = [path.relative_to(own).as_posix() for path in own.rglob("*.csv*")]
    expected = {name: (own / name).read_bytes() for name in names}
    foreign = [path.read_bytes() for path in other.rglob("*.csv*")]
    folder, rng, done = tmp_path / "own", random.Random(times), 0
    while done < times:
        shutil.copytree(own, folder)
        name = rng.choice(names)
        others = [*foreign, *(expected[one] for one in names if one != name)]
        content = damaged(expected[name], rng, others)
        if content != expected[name]:
            (folder / name).write_bytes(content)
            assert_seen_and_mended(folder, name, content, expected)
            done += 1
        shutil.rmtree(folder)
    tried("file of results damaged", times)


def assert_seen_and_mended(folder, name, content, expected):
    (finding,), _ = check_results([folder])
    assert finding.status == "damaged"
    assert [note.split(":")[0] for note in finding.notes] == [name]
    assert list(plan_run(CONFIG, folder).damaged) == [name]
    if not name.startswith("trials/"):
        with pytest.raises(StoreError, match=r"was changed since it was written.*mvcc run"):
            getattr(Results(folder), "curves" if name == "curves.csv" else "scores")
    notes = []
    report = run_experiment(CONFIG, folder, n_jobs=1, on_note=notes.append)
    assert report.computed == name.startswith("trials/"), "no more is computed than was damaged"
    (note,) = notes
    assert note.startswith(f"{folder / name} is damaged: it was changed since it was written")
    (aside,) = folder.rglob("set-aside/*")
    assert f"It was set aside as {aside}." in note
    assert aside.read_bytes() == content
    assert {one: (folder / one).read_bytes() for one in expected} == expected
    assert check_results([folder])[0][0].status == "ok"
