"""One browser per worker, and a watch on everything its pages say and ask for."""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.browser.chromium import ARGUMENTS, CHROMIUM
from tests.browser.facts import make_facts
from tests.reports import write_clustering_report

DRAWN = "() => [...document.querySelectorAll('.chart')].every((one) => one.dataset.drawn)"
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
AS_IT_WAS = """() => {
    document.dispatchEvent(new KeyboardEvent('keydown', {key: 'Escape'}));
    document.querySelectorAll('[data-zoom=all]').forEach((one) => one.click());
    document.querySelectorAll('input.kind:checked').forEach((one) => one.click());
    document.querySelectorAll('details[open]').forEach((one) => { one.open = false; });
    for (const one of document.querySelectorAll('select')) {
        one.selectedIndex = 0;
        one.dispatchEvent(new Event('change'));
    }
    document.getElementById('row-name').value = '';
    document.activeElement.blur();
    scrollTo(0, 0);
}"""


@pytest.fixture(scope="session")
def browser() -> Iterator[Any]:
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        launched = playwright.chromium.launch(executable_path=CHROMIUM, args=list(ARGUMENTS))
        yield launched
        launched.close()


@pytest.fixture(scope="session")
def new_page(browser) -> Callable[..., tuple[Any, list[str]]]:
    """Open a file in a page of its own; beside it, what it complains of and asks for."""

    def open_at(
        path: Path, width: int = 1300, before: str = "", **options: Any
    ) -> tuple[Any, list[str]]:
        context = browser.new_context(viewport={"width": width, "height": 900}, **options)
        context.add_init_script(before)
        page, heard = context.new_page(), []
        page.set_default_timeout(15_000)
        listen(page, heard, is_remote)
        page.goto(path.as_uri())
        page.wait_for_function(DRAWN)
        return page, heard

    return open_at


@pytest.fixture
def open_page(new_page) -> Iterator[Callable[..., Any]]:
    """Open a file for one test, which complains of nothing and asks for nothing else."""
    opened = []

    def open_at(path: Path, **options: Any) -> Any:
        opened.append(new_page(path, **options))
        return opened[-1][0]

    yield open_at
    for page, _ in opened:
        page.context.close()
    assert [one for _, heard in opened for one in heard] == []


@pytest.fixture(scope="session")
def _kept(new_page, report) -> tuple[Any, list[str]]:
    return new_page(report("two", TWO, n_given=12))


@pytest.fixture
def page(_kept) -> Iterator[Any]:
    """Give a page of two views that tests share, as it was opened but for its theme."""
    kept, heard = _kept
    yield kept
    kept.evaluate(AS_IT_WAS)
    complaints, heard[:] = heard[:], []
    assert complaints == []


def listen(page: Any, heard: list[str], is_foreign: Callable[[str], bool]) -> None:
    """Note what a page complains of, and what foreign addresses it asks for."""

    def note(text: str, noted: bool = True) -> None:
        if noted:
            heard.append(text)

    page.on("console", lambda one: note(one.text, is_complaint(one)))
    page.on("pageerror", lambda error: note(f"error: {error}"))
    page.on("request", lambda one: note(f"request: {one.url[:200]}", is_foreign(one.url)))
    page.on("dialog", lambda one: note("a dialog"))


def is_complaint(message: Any) -> bool:
    return message.type in ("error", "warning")


def is_remote(url: str) -> bool:
    return not url.startswith(("file:", "data:", "blob:"))


@pytest.fixture(scope="session")
def report(tmp_path_factory) -> Callable[..., Path]:
    """Write the report of made-up facts, once for all tests that ask for the same."""
    folder = tmp_path_factory.mktemp("reports")

    def write(name: str, *arguments: Any, **options: Any) -> Path:
        path = folder / f"{name}.html"
        if not path.exists():
            write_clustering_report(make_facts(*arguments, **options), path)
        return path

    return write
