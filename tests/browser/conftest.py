"""One browser per worker, and a watch on everything its pages say and ask for."""

from pathlib import Path

import pytest

from mvcc.reporting.html import experiment_page
from tests.browser.chromium import chromium
from tests.browser.facts import make_facts
from tests.reports import write_clustering_report

DRAWN = "() => [...document.querySelectorAll('.chart')].every((one) => one.dataset.drawn)"
PAINTED = "() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))"
ASKS = "() => document.querySelector('#thing').textContent !== ''"
# what is on its way when a server ends
SERVER_ENDS = (
    "ERR_CONNECTION_RE",
    "ERR_SOCKET_NOT_CONNECTED",
    "ERR_EMPTY_RESPONSE",
    "ERR_CONTENT_LENGTH_MISMATCH",
    "503",  # the answer to a request that came after the last one
)
TWO = (120, 90)
UNFOLD = "document.querySelectorAll('details').forEach((one) => { one.open = true; })"
SCROLLED = "document.documentElement.scrollWidth"
# the colors of the page and of its first canvas
PAPER = """() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => {
    const pen = new OffscreenCanvas(1, 1).getContext('2d', {willReadFrequently: true});
    pen.drawImage(document.querySelector('canvas'), 0, 0);
    const map = `rgb(${[...pen.getImageData(0, 0, 1, 1).data].slice(0, 3).join(', ')})`;
    done([getComputedStyle(document.body).backgroundColor, map]);
})))"""
DARK, LIGHT = ["rgb(20, 24, 29)"] * 2, ["rgb(255, 255, 255)"] * 2


@pytest.fixture(scope="session")
def browser():
    with chromium() as launched:
        yield launched


@pytest.fixture
def visit(browser):
    """Open an address, which complains only of what is expected, and asks nobody else."""
    contexts, heard, expected = [], [], []

    def at(address, width=1280, expects=(), ready=ASKS, **options):
        contexts.append(browser.new_context(viewport={"width": width, "height": 900}, **options))
        expected.extend(expects)
        if address.startswith("http:"):
            expected.extend(SERVER_ENDS)
        page = contexts[-1].new_page()
        page.set_default_timeout(60_000)
        listen(page, heard, address)
        page.goto(address)
        page.wait_for_function(ready)
        page.evaluate(PAINTED)  # a browser may drop the keys that come before
        return page

    yield at
    for context in contexts:
        context.close()
    assert [one for one in heard if not any(part in one for part in expected)] == []


@pytest.fixture
def open_page(visit):
    """Open a file."""
    return lambda path, width=1300, **options: visit(path.as_uri(), width, ready=DRAWN, **options)


@pytest.fixture
def page(open_page, report):
    """Give a page of two views."""
    return open_page(report("two", TWO, n_given=12))


def listen(page, heard, address):
    """Note what a page complains of, and what foreign addresses it asks for."""

    def note(text, noted=True):
        if noted:
            heard.append(text)

    own = (address, "data:", "blob:")
    page.on("console", lambda one: note(one.text, one.type in ("error", "warning")))
    page.on("pageerror", lambda error: note(f"error: {error}"))
    page.on("request", lambda one: note(f"request: {one.url[:200]}", not one.url.startswith(own)))
    page.on("dialog", lambda one: note("a dialog"))


@pytest.fixture(scope="session")
def report(tmp_path_factory):
    """Write the report of made-up facts, once for all tests that ask for the same."""
    folder = tmp_path_factory.mktemp("reports")

    def write(name, *arguments, **options):
        path = folder / f"{name}.html"
        if not path.exists():
            write_clustering_report(make_facts(*arguments, **options), path)
        return path

    return write


@pytest.fixture(scope="session")
def experiment(tmp_path_factory):
    """Write the report of an experiment."""
    path = tmp_path_factory.mktemp("experiment") / "report.html"
    path.write_bytes(experiment_page(Path(__file__).parents[2] / "results" / "rewired_protein"))
    return path
