"""The server of the page of questions: what it takes, and from whom."""

import http.client
import json
import math
import os
import socket
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from itertools import product

import pytest

from mvcc.tables.asking import _server
from tests.tables.asking.pages import PNG, asked, serving, write_tables


@pytest.fixture
def config(tmp_path):
    return write_tables(tmp_path)


@pytest.fixture
def server(config):
    with serving(config) as server:
        yield server


@pytest.fixture(scope="module")
def unanswered(tmp_path_factory):
    """Serve questions that nobody may answer; return the server and its config."""
    config = write_tables(tmp_path_factory.mktemp("page"))
    with serving(config) as server:
        yield server, config


def ask(server, path, method="GET", body=None, token=None, **headers):
    """Send one request; return status, headers and body."""
    connection = http.client.HTTPConnection("127.0.0.1", server.server_port, timeout=60)
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    try:
        connection.request(
            method, f"/{server.token if token is None else token}/{path}", body, named
        )
        response = connection.getresponse()
        return response.status, dict(response.getheaders()), response.read()
    finally:
        connection.close()


def post(server, path, body, **headers):
    headers["Content_Type"] = "application/json"
    status, _, content = ask(server, path, "POST", json.dumps(body), **headers)
    return status, json.loads(content) if content else None


def at_port(server, headers):
    return {name: value.format(port=server.server_port) for name, value in headers.items()}


def state_of(server):
    return json.loads(ask(server, "state")[2])


def answer(server, name="new:harbor", **more):
    """Answer the question of the page, unless something else is said."""
    state = state_of(server)
    said = {"id": state["card"]["id"], "answer": name, "version": state["status"]["version"]}
    return post(server, "answer", said | more)


@pytest.mark.parametrize(
    ("path", "kind"), [("", "text/html"), ("ask.js", "text/javascript"), ("page.css", "text/css")]
)
def test_the_page_and_its_parts_may_load_nothing_else(unanswered, path, kind):
    status, headers, body = ask(unanswered[0], path)
    assert (status, headers["Content-Type"]) == (200, f"{kind}; charset=utf-8")
    assert b"http:" not in body.replace(b"http://www.w3.org/2000/svg", b"")
    assert b"https:" not in body
    assert (b"<noscript>" in body) == (kind == "text/html")
    policy = headers["Content-Security-Policy"]
    own = "; ".join(f"{part}-src 'self'" for part in ("script", "style", "img", "connect"))
    assert policy.startswith(f"default-src 'none'; {own}")
    assert "unsafe" not in policy
    assert (headers["Cache-Control"], headers["Referrer-Policy"]) == ("no-store", "no-referrer")
    assert headers["X-Content-Type-Options"] == "nosniff"
    assert "Python" not in headers["Server"]


def test_without_the_token_of_this_server_there_is_nothing(unanswered, server):
    assert server.server_address[0] == "127.0.0.1"
    card_with_picture(server)
    own, another = server.token, unanswered[0].token
    assert len(own) >= 32
    others = ("", "x", own[:-1], own + "x", own.swapcase(), another, "..", "%C3%A9", "%00")
    for path, token in product(("", "state", "ask.js", "image/0"), others):
        status, _, body = ask(server, path, token=token)
        assert (status, body) == (404, b"")


NOWHERE = [*b"/ //[/x http://[::1/x/state ? *".split(), b"/\xe9/state", b"\xe9/\xff/", b"/" * 5000]


@pytest.mark.parametrize("path", NOWHERE)
def test_addresses_that_are_none_are_refused(unanswered, path):
    port = unanswered[0].server_port
    with socket.create_connection(("127.0.0.1", port), timeout=60) as connection:
        connection.sendall(b"GET %s HTTP/1.0\r\nHost: localhost:%d\r\n\r\n" % (path, port))
        assert connection.recv(100).split()[1] in (b"404", b"400")


@pytest.mark.parametrize(
    "headers",
    [
        {"Host": "example.org"},
        {"Host": "127.0.0.1"},
        {"Host": "127.0.0.1:1"},
        {"Host": "localhost.example.org:{port}"},
        {"Host": ""},
        {"Origin": "http://example.org"},
        {"Origin": "null"},
        {"Origin": "http://127.0.0.1:1"},
        {"Origin": "https://127.0.0.1:{port}"},
        {"Origin": "http://127.0.0.1:{port}.example.org"},
        {"Sec_Fetch_Site": "cross-site"},
        {"Sec_Fetch_Site": "same-site"},
    ],
)
def test_requests_of_others_get_nothing_and_say_nothing(unanswered, headers):
    server, config = unanswered
    headers = at_port(server, headers)
    status, _, body = ask(server, "state", **headers)
    assert (status, body) == (403, b"")
    said = {"id": state_of(server)["card"]["id"], "answer": "new:harbor", "version": 0}
    assert post(server, "answer", said, **headers) == (403, None)
    assert asked(config) == []


HERE = {"Host": "localhost:{port}"}
OWN = HERE | {"Origin": "http://localhost:{port}", "Sec_Fetch_Site": "same-origin"}


@pytest.mark.parametrize(
    ("path", "headers", "status"),
    [
        ("state", HERE, 200),
        ("state", OWN, 200),
        ("", {"Sec_Fetch_Site": "none"}, 200),
        ("", {"Sec_Fetch_Site": "cross-site", "Sec_Fetch_Dest": "document"}, 200),
        ("", {"Sec_Fetch_Site": "cross-site", "Sec_Fetch_Dest": "iframe"}, 403),
        ("state", {"Sec_Fetch_Site": "cross-site", "Sec_Fetch_Dest": "document"}, 403),
    ],
)
def test_our_own_page_asks_and_a_link_of_another_site_opens_it(unanswered, path, headers, status):
    server, _ = unanswered
    assert ask(server, path, **at_port(server, headers))[0] == status


def test_an_answer_is_on_the_disk_before_the_response(config, server):
    first = state_of(server)["card"]["id"]
    status, state = answer(server, "new:harbor")
    assert status == 200
    assert asked(config)[-1].startswith(f"{first},new:harbor,")
    assert state["told"]["answer"] == "harbor"
    assert [(group["name"], group["size"]) for group in state["groups"]] == [("harbor", 1)]
    (said,) = state["said"]
    assert (said["id"], said["answer"]) == (first, "harbor")
    assert said["title"].startswith(("about a ", "pictures/"))
    assert state["card"]["id"] != first


def test_an_undo_opens_a_question_again_and_no_answer_is_replaced_by_chance(server):
    first = state_of(server)["card"]["id"]
    answer(server, "new:harbor")
    answer(server, "rename:street", id="g1")
    for question in (None, first):
        assert answer(server, "undo", id="")[1]["undone"] == question
    answer(server, "new:harbor", id=first)
    assert answer(server, "unsure", id=first)[0] == 400, "it was answered before"
    _, state = answer(server, "g1", id=first)  # the same answer once more
    assert state["told"] == {"id": first, "answer": "harbor", "guessed": None}
    assert answer(server, "unsure", id=first, again=True)[1]["said"][0]["answer"] == "unsure"


def test_the_card_of_an_answered_row_and_the_nearest_rows(server):
    first = state_of(server)["card"]
    answer(server, "new:harbor")
    shown = json.loads(ask(server, f"card?id={first['id']}")[2])["card"]
    assert (shown["id"], shown["rows"]) == (first["id"], first["rows"])
    views = json.loads(ask(server, f"nearest?id={first['id']}")[2])["views"]
    assert [one["view"] for one in views] == ["texts", "images"]
    assert all(row["id"] for one in views for row in one["rows"])
    for path in ("card", "nearest?id=texts:nobody", "card?id=%00%ff", "card?id=x"):
        assert ask(server, path)[0] == 400


@pytest.mark.parametrize(
    "said",
    [
        {"answer": "unsure"},
        {"id": "", "answer": "undo"},
        {"id": "g2", "answer": "merge:g1"},
        {"id": "g1", "answer": "rename:x"},
    ],
)
def test_what_another_page_has_not_seen_is_told_instead(config, server, said):
    said = {"id": state_of(server)["card"]["id"], **said}
    answer(server, "new:harbor")
    answer(server, "new:street")
    before = asked(config)
    for version in (0, 1, 3):
        status, state = answer(server, **said, version=version)
        assert (status, state["status"]["version"], len(state["groups"])) == (409, 2, 2)
    for version in (-1, 2**31 + 1, None, "2", [2], 2.0, True, float("nan")):
        status, told = answer(server, **said, version=version)
        assert (status, "version: Input should be " in told["error"]) == (400, True)
    assert asked(config) == before


def test_of_two_answers_at_the_same_time_one_is_taken(config, server):
    said = {"id": state_of(server)["card"]["id"], "version": 0}
    bodies = [said | {"answer": f"new:{page}"} for page in range(8)]
    with ThreadPoolExecutor(8) as pages:
        given = pages.map(lambda body: post(server, "answer", body)[0], bodies)
        assert sorted(given) == [200] + 7 * [409]
    assert len(asked(config)) == 1


def test_what_is_wrong_is_said_and_nothing_is_stored(config, server):
    answers = [3, ["new"], None, "nothing of this name", "g7", "new:unsure", "new:a\nb", "new:g3"]
    bad = [{"answer": one} for one in (*answers, f"new:{'a' * 60_000}")]
    bad += [{"id": None}, {"id": "texts:nobody"}, {"id": ""}]
    bad += [{"again": 1}, {"again": None}, {"agian": True}]
    for one in bad:
        status, told = answer(server, **one)
        assert status == 400, one
        assert told["error"]
    assert answer(server, "undo", id="")[0] == 400
    assert post(server, "finish", {"version": 0, "now": True})[0] == 400
    assert asked(config) == []
    assert answer(server)[0] == 200
    for name in ("g1", "g2", "g007", "a" * 201):
        status, told = answer(server, f"rename:{name}", id="g1")
        assert (status, "name" in told["error"]) == (400, True)
    assert len(asked(config)) == 1
    assert answer(server, f"rename:{'a' * 200}", id="g1")[0] == 200


@pytest.mark.parametrize(
    ("body", "headers", "status"),
    [
        (b"{", {}, 400),
        (b"\xff\xfe", {}, 400),
        (b"[" * 60_000, {}, 400),
        (b"[]", {}, 400),
        (b"NaN", {}, 400),
        (b"1" * 10_000, {}, 400),
        (b"", {}, 400),
        (b"{}", {"Content-Type": "text/plain"}, 415),
        (b"{}", {"Content-Length": "-1"}, 411),
        (b"{}", {"Content-Length": "two"}, 411),
        (b"{}", {"Content-Length": "1000000000"}, 413),
        (b"{}", {"Content-Length": "9" * 5000}, 413),
        (b" " * 70_000, {}, 413),
    ],
)
def test_bodies_that_are_no_answer_are_refused_and_nothing_is_stored(
    unanswered, body, headers, status
):
    server, config = unanswered
    headers = {"Content-Type": "application/json", "Content-Length": str(len(body)), **headers}
    connection = http.client.HTTPConnection("127.0.0.1", server.server_port, timeout=60)
    connection.putrequest("POST", f"/{server.token}/answer")
    for name, value in headers.items():
        connection.putheader(name, value)
    connection.endheaders(body if status != 413 else None)
    assert connection.getresponse().status == status
    connection.close()
    assert asked(config) == []
    assert ask(server, "state")[0] == 200


def test_errors_the_end_and_unknown_requests_have_their_status(unanswered, monkeypatch, capfd):
    server, _ = unanswered
    with monkeypatch.context() as patch:
        patch.setattr(server.page, "now", lambda: 1 / 0)
        status, _, body = ask(server, "state")
        assert (status, json.loads(body)["error"][-17:]) == (500, "see the terminal.")
        wait_until(lambda: not server._until)  # what is written during a read would be lost
        assert "ZeroDivisionError" in capfd.readouterr().err
    with monkeypatch.context() as patch:
        patch.setattr(server, "ended", True)
        assert (ask(server, "state")[0], post(server, "answer", {})[0]) == (503, 503)
    for path in ("answer", "__class__"):
        assert ask(server, path)[0] == 404
    for path in ("state", "image"):
        assert post(server, path, {})[0] == 404
    for method in ("PUT", "OPTIONS"):
        assert ask(server, "state", method)[0] == 501


def images_of(card):
    return [number for row in card["rows"] for number in row["images"]]


def card_with_picture(server):
    while not images_of(state_of(server)["card"]):
        answer(server, "unsure")
    return state_of(server)["card"]


def picture_of(server, config):
    """Return the number of the picture of a card, and its file."""
    (row,) = [row for row in card_with_picture(server)["rows"] if row["images"]]
    return row["images"][0], config.parent / "pictures" / f"{row['id'][1:]}.png"


def test_a_picture_of_a_card_is_sent_by_its_number_and_nothing_by_a_path(config):
    """It is below the folder of its own table."""
    photos = config.parent / "photos"
    photos.mkdir()
    for name in ("images.csv", "pictures"):
        (config.parent / name).rename(photos / name)
    config.write_text(config.read_text().replace(" images.csv", " photos/images.csv"))
    paths = ("../cluster.yaml", "..%2fcluster.yaml", "pictures/0.png", "/etc/hostname", "0/../x")
    with serving(config) as server:
        (number,) = images_of(card_with_picture(server))
        status, headers, body = ask(server, f"image/{number}")
        assert (status, headers["Content-Type"], body) == (200, "image/png", PNG)
        for path in (*paths, "99999", "-1", ""):
            assert ask(server, f"image/{path}")[0] == 404


def test_pictures_that_change_after_the_card_are_looked_at_again(config, server, tmp_path_factory):
    number, picture = picture_of(server, config)
    outside = tmp_path_factory.mktemp("outside") / "secret.png"
    outside.write_bytes(PNG)

    def large():
        picture.touch()
        os.truncate(picture, 20 * 2**20 + 1)

    nothing, link = lambda: None, lambda: picture.symlink_to(outside)
    for put_there in (nothing, link, lambda: os.mkfifo(picture), large):
        picture.unlink(missing_ok=True)
        put_there()
        assert ask(server, f"image/{number}")[0] == 404
    picture.unlink()
    picture.write_bytes(PNG)
    assert ask(server, f"image/{number}")[0] == 200


@contextmanager
def connected(server, n):
    with ExitStack() as stack:
        there = ("127.0.0.1", server.server_port)
        yield [stack.enter_context(socket.create_connection(there, timeout=60)) for _ in range(n)]


def test_a_hundred_requests_at_the_same_time_are_all_answered(unanswered):
    with ThreadPoolExecutor(100) as pages:
        answers = pages.map(lambda page: ask(unanswered[0], "state")[0], range(100))
        assert list(answers) == [200] * 100


@pytest.mark.parametrize(
    "sent", [b"", b"GET /", b"POST /%s/answer HTTP/1.0\r\nHost: localhost:%d\r\n"]
)
def test_a_client_that_drips_bytes_is_cut_off(server, monkeypatch, sent):
    monkeypatch.setattr(_server, "_PATIENCE", 0.5)
    sent = sent % (server.token.encode(), server.server_port) if b"%" in sent else sent
    with connected(server, 1) as (client,):
        client.sendall(sent)

        def is_cut_off():
            try:
                client.sendall(b"x")
            except ConnectionError:
                return True
            time.sleep(0.05)
            return False

        wait_until(is_cut_off)
    assert ask(server, "state")[0] == 200


def test_a_client_that_does_not_take_its_picture_is_cut_off(config, server, monkeypatch):
    number, picture = picture_of(server, config)
    picture.write_bytes(bytes(20 * 2**20))
    monkeypatch.setattr(_server, "_PATIENCE", 0.5)
    with connected(server, 1) as (client,):
        path, host = f"/{server.token}/image/{number}", f"localhost:{server.server_port}"
        client.sendall(f"GET {path} HTTP/1.0\r\nHost: {host}\r\n\r\n".encode())
        wait_until(lambda: server._until)
        wait_until(lambda: not server._until)


def test_an_answer_that_takes_long_is_not_cut_off(server, monkeypatch):
    now, limits = server.page.now, []

    def noted():
        limits.extend(server._until.values())
        return now()

    monkeypatch.setattr(server.page, "now", noted)
    assert ask(server, "state")[0] == 200
    assert limits == [math.inf]


def test_connections_are_as_many_as_may_be_and_the_others_wait(server):
    before = threading.active_count()
    with connected(server, 60):
        wait_until(lambda: len(server._until) == 32)
        time.sleep(0.3)
        assert threading.active_count() - before == len(server._until) == 32
        for connection in list(server._until):
            server.wait_for(connection, 0.1)
        assert ask(server, "state")[0] == 200
    wait_until(lambda: not server._until)


def wait_until(condition):
    began = time.monotonic()
    while not condition():
        assert time.monotonic() - began < 120, "it took too long"
        time.sleep(0.01)
