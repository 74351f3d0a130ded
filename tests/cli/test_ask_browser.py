"""``mvcc ask --browser``: a page is opened, and the session ends as others do."""

import json
import socket
import threading
import webbrowser
from urllib.request import Request, urlopen

import pytest

from tests.command_line import mvcc
from tests.tables.asking.pages import asked, write_tables


@pytest.fixture
def config(tmp_path):
    return write_tables(tmp_path)


def test_the_browser_is_sent_to_the_address_that_is_printed(config, monkeypatch):
    opened, told = [], threading.Event()

    def use(address):
        opened.append(address)

        def post(name, **said):
            kind = {"Content-Type": "application/json"}
            request = Request(address + name, json.dumps(said).encode(), kind)
            return json.load(urlopen(request, timeout=10))

        state = json.load(urlopen(address + "state", timeout=10))
        post("answer", id=state["card"]["id"], answer="new:harbor", version=0)
        opened.append(post("finish")["then"])
        told.set()

    monkeypatch.setattr(webbrowser, "open", use)
    done = mvcc("ask", config.name, "--out", "answers", "--browser", cwd=config.parent)
    assert done.returncode == 0, done.stderr
    assert told.wait(10)
    address, last = done.stdout.splitlines()
    assert opened == [address, "mvcc cluster cluster.yaml --asked answers -k auto --out results"]
    assert last == f"1 answer, 1 group. Go on: {opened[1]}"
    assert len(asked(config)) == 1


def test_a_port_that_is_taken_is_no_traceback(config):
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        words = ("--browser", "--no-open", "--port", port)
        done = mvcc("ask", config, "--out", config.parent / "a", *words)
    assert done.returncode == 1
    assert done.stderr.endswith(
        f"mvcc: cannot serve on port {port}: Address already in use; choose another --port.\n"
    )


@pytest.mark.parametrize(
    "words",
    ["--port 8000", "--no-open", "--browser --json", "--browser --pairs", "--browser --port 65536"],
)
def test_options_that_do_not_go_together(config, words):
    done = mvcc("ask", config, "--out", config.parent / "a", *words.split())
    assert (done.returncode, done.stdout) == (2, "")
    assert "--port" in done.stderr or "--browser" in done.stderr
    assert not (config.parent / "a").exists()
