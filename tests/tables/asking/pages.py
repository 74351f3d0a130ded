"""A page of questions about small tables with pictures, served in this process."""

import threading
from contextlib import contextmanager

import numpy as np

from mvcc.tables import AskPage, AskSession, ReviewPage, ReviewSession, load_job, read_inputs
from mvcc.tables.asking._server import PageServer
from tests.tables.problems import write_csv

KINDS = ("harbor", "street", "forest")
THEN = "mvcc cluster cluster.yaml --asked answers -k auto --out results"
# one pixel
PNG = bytes.fromhex(
    "89504e470d0a1a0a0000000d49484452000000010000000108060000001f15c4890000000d4944415478"
    "9c63606060f80f00010401005fe5c34b0000000049454e44ae426082"
)


def kind_of(number):
    return KINDS[number % len(KINDS)]


def write_tables(folder, prefix="t", n=60):
    """Write texts, images and matches of every second row, each of one kind; return a config."""
    rng = np.random.default_rng(0)
    widths = {"texts": 4, "images": 6}
    centers = {view: rng.normal(size=(len(KINDS), width)) * 3 for view, width in widths.items()}
    ids = {"texts": [f"{prefix}{i}" for i in range(n)], "images": [f"i{i}" for i in range(n)]}
    shown = {
        "texts": [f"about a {kind_of(i)}, " * 20 for i in range(n)],
        "images": [f"pictures/{i}.png" for i in range(n)],
    }
    for view, places in centers.items():
        features = places[np.arange(n) % len(KINDS)] + rng.normal(size=(n, places.shape[1]))
        header = ["id", "shown", *(f"x{j}" for j in range(places.shape[1]))]
        rows = zip(ids[view], shown[view], features.round(3).tolist(), strict=True)
        write_csv(folder / f"{view}.csv", [header, *([id, one, *own] for id, one, own in rows)])
    matched = list(zip(ids["texts"], ids["images"], strict=True))[::2]
    write_csv(folder / "matches.csv", [["texts", "images"], *matched])
    (folder / "pictures").mkdir()
    for path in shown["images"]:
        (folder / path).write_bytes(PNG)
    config = folder / "cluster.yaml"
    config.write_text(
        "views: {texts: texts.csv, images: images.csv}\nmatches: {'texts:images':"
        " matches.csv}\nn_clusters: 3\nshow: {texts: [shown], images: [shown]}\n"
    )
    return config


@contextmanager
def serving(config, port=0):
    """Serve the questions about a config from the folder ``answers`` beside it."""
    job = load_job(config)
    with (
        AskSession(job, read_inputs(job), config.parent / "answers") as session,
        _served(PageServer(AskPage(session, lambda status: ("Go on", THEN)), port)) as server,
    ):
        yield server


@contextmanager
def correcting(results, port=0):
    """Serve the page that corrects a result."""
    with (
        ReviewSession(results) as session,
        _served(PageServer(ReviewPage(session), port)) as server,
    ):
        yield server


@contextmanager
def _served(server):
    thread = threading.Thread(target=server.serve)
    thread.start()
    try:
        yield server
    finally:
        server.shutdown()
        thread.join()


def asked(config):
    """Return the lines of the log, without its header."""
    log = config.parent / "answers" / "asked.csv"
    return log.read_text(encoding="utf-8").splitlines()[1:] if log.exists() else []
