"""Small problems as files: views of some of the same objects, matches, constraints, and a job."""

import csv
import io
import json
import zipfile
from itertools import combinations
from pathlib import Path

import numpy as np
import openpyxl

from mvcc.tables import AskSession, cluster_job, load_job, read_inputs
from mvcc.tables.reading._files import read_frame
from mvcc.tables.reading._problems import Problems
from mvcc.tables.reading._table import table_of

K = 3
LETTERS = "abcdefgh"
QUICK = {"stability_runs": 0, "comparison": False}  # of jobs, unless a test is about them


def write_csv(path, rows, delimiter=","):
    path.parent.mkdir(parents=True, exist_ok=True)
    with open(path, "w", encoding="utf-8", newline="") as file:
        csv.writer(file, delimiter=delimiter, lineterminator="\n").writerows(rows)
    return str(path)


def write_workbook(path, sheets, change=lambda book: None):
    """Write sheets of rows by their titles, or rows as the only sheet."""
    book = openpyxl.Workbook()
    book.remove(book.active)
    for title, rows in (sheets if isinstance(sheets, dict) else {"Sheet": sheets}).items():
        sheet = book.create_sheet(title)
        for row in rows:
            sheet.append(row)
    change(book)
    book.save(path)
    return str(path)


def read_table(name, view):
    """Read a view alone; raise all that is wrong with it."""
    problems = Problems()
    table = table_of(read_frame(view.path, view.sheet, view.header), name, view, problems)
    problems.raise_any()
    return table


def read_csv(path):
    with open(path, encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def write_problem(
    folder, n_views=2, pairs=None, judged=(0,), n=24, n_matches=12, n_judged=8, noise=1.0
):
    """Write ``n`` rows per view and return the options of a job, as `load_job` takes them.

    Row i of view 2 has the id "c7", which tells nothing of i. Objects are blobs in the plane;
    matched rows are the same object; the constraints are true, of unequal weights, and mostly of
    matched rows.
    """
    rng = np.random.default_rng(0)
    names = [f"view{view}" for view in range(n_views)]
    truth = rng.integers(K, size=2 * n)
    centers = rng.permutation(np.eye(K)) * 6
    rows_of, jobs = {}, with_values([], n_clusters=K, **QUICK)
    for view, name in enumerate(names):
        others = n_matches + rng.permutation(n)[: n - n_matches]
        objects = rng.permutation([*range(n_matches), *others]).tolist()
        ids = [f"{LETTERS[view]}{number}" for number in rng.permutation(n)]
        rows_of[name] = list(zip(ids, objects, strict=True))
        table = [["id", "kind", "x", "y", "z"]]
        for row_id, thing in rows_of[name]:
            point = centers[truth[thing]] + noise * rng.normal(size=3)
            table.append([row_id, f"kind {truth[thing]}", *point.tolist()])
        path = write_csv(folder / f"{name}.csv", table)
        jobs.append((("views", name, "path"), path, f"--view {name}"))
        jobs.append((("views", name, "labels_column"), "kind", f"--labels-column {name}"))
    for u, v in combinations(names, 2) if pairs is None else pairs:
        there = {thing: row_id for row_id, thing in rows_of[v]}
        both = [[u, v], *([i, there[thing]] for i, thing in rows_of[u] if thing < n_matches)]
        path = write_csv(folder / f"{u}-{v}.csv", both)
        jobs.append((("matches", f"{u}:{v}"), path, f"--match {u}:{v}"))
    for view in judged:
        listed = _judged(rows_of[names[view]], truth, n_matches, n_judged, rng)
        path = write_csv(folder / f"judged{view}.csv", listed)
        jobs.append((("constraints", names[view]), path, f"--constraints {names[view]}"))
    return jobs


def _judged(rows, truth, n_matches, n_judged, rng):
    chosen = [row for row in rows if row[1] < n_matches + 3]
    listed = [["i", "j", "kind", "weight"]]
    for _ in range(n_judged):
        places = rng.choice(len(chosen), 2, replace=False)
        (i, one), (j, other) = (chosen[place] for place in places)
        kind = "must-link" if truth[one] == truth[other] else "cannot-link"
        listed.append([i, j, kind, rng.choice([0.8, 1.0, 1.5])])
    return listed


def options_of(views, matches=None, constraints=None, **values):
    """Return the options of a job. A view is the path of its table, or its settings."""
    given = {}
    for name, view in views.items():
        settings = view if isinstance(view, dict) else {"path": str(view)}
        given |= {("views", name, key): value for key, value in settings.items()}
    given |= {("matches", key): str(path) for key, path in (matches or {}).items()}
    given |= {("constraints", name): str(path) for name, path in (constraints or {}).items()}
    return with_values(
        [(keys, value, f"--{keys[0]}") for keys, value in given.items()], **(QUICK | values)
    )


def with_values(options, **values):
    return [*options, *(((key,), value, f"--{key}") for key, value in values.items())]


def by_co_em(options, **values):
    """Return the options of a job for the paper's method."""
    return with_values(options, method="co-em", **values)


def cluster(options, folder, fresh=False):
    """Cluster as the command does and return the facts."""
    return cluster_job(load_job(None, options), folder, fresh=fresh).to_dict()


def with_pairs(options, path, *pairs, view="view0"):
    """Return the options of a job with a file of constraints, written if pairs are given."""
    if pairs:
        write_pairs(path, *pairs)
    return [*options, (("constraints", view), str(path), f"--constraints {view}")]


def write_pairs(path, *pairs):
    return write_csv(path, [["i", "j", "kind"], *pairs])


def keep_rows(path, is_kept):
    """Write a table again without some of its rows."""
    rows = read_csv(path)
    write_csv(path, [rows[0].keys(), *(row.values() for row in rows if is_kept(row))])


def with_wrong_matches(path, n=40):
    """Give each of the first matches the row of the next one; return the former and the new."""
    matches = [tuple(row.values()) for row in read_csv(path)]
    here, there = map(list, zip(*matches, strict=True))
    there[:n] = there[1:n] + there[:1]
    changed = list(zip(here, there, strict=True))
    write_csv(path, [["view0", "view1"], *changed])
    return matches, changed


def kinds_in(folder, *views):
    """Return the true kinds of the rows such as view0:a7."""
    return {
        f"{view}:{row['id']}": row["kind"]
        for view in views or ("view0", "view1")
        for row in read_csv(folder / f"{view}.csv")
    }


def session_of(options, folder, on_note=lambda note: None, **values):
    """Return a session of questions about the tables of a job."""
    job = load_job(None, with_values(options, **values))
    return AskSession(job, read_inputs(job), folder, on_note=on_note)


def continuing(results):
    """Return the job that clusters once more, and goes on from the results."""
    return load_job(results / "cluster.yaml").model_copy(update={"continues": str(results)})


def answer_by(name_of, session, n):
    """Answer the next questions by the groups of rows such as texts:17; return their ids."""
    ids = []
    for _ in range(n):
        (question,) = session.next()
        name = name_of(question.id)
        known = name in {group.name for group in session.groups}
        session.answer(question.id, name if known else f"new:{name}", again=True)
        ids.append(question.id)
    return ids


def rezipped(content, change=lambda name, entry: entry, more=None):
    """Return a zip file whose entries were changed, with some more."""
    new = io.BytesIO()
    with (
        zipfile.ZipFile(io.BytesIO(content)) as old,
        zipfile.ZipFile(new, "w", zipfile.ZIP_DEFLATED) as archive,
    ):
        entries = {name: change(name, old.read(name)) for name in old.namelist()}
        for name, entry in (entries | (more or {})).items():
            archive.writestr(name, entry)
    return new.getvalue()


def moved(options, old, new):
    """Return the options of a job whose files were copied from one folder to another."""
    return [
        (keys, value.replace(str(old), str(new)) if isinstance(value, str) else value, label)
        for keys, value, label in options
    ]


def outputs(folder, *endings):
    """Return the bytes of the files of a folder by their names, if given of some endings."""
    return {
        str(path.relative_to(folder)): path.read_bytes()
        for path in sorted(Path(folder).rglob("*"))
        if path.is_file() and (not endings or path.suffix in endings)
    }


def facts_of(folder):
    return json.loads(Path(folder, "clustering.json").read_text("utf-8"))


def edit_facts(folder, change):
    """Change the facts of a clustering as somebody might."""
    facts = facts_of(folder)
    change(facts)
    Path(folder, "clustering.json").write_text(json.dumps(facts))
