"""Settings come from a file, options, or both, and all mistakes are reported at once."""

import re

import click
import pytest
from click.testing import CliRunner

from mvcc._utils.settings import options_in
from mvcc.cli import cli
from mvcc.cli._job_options import ALL, job_options, settings
from mvcc.exceptions import ConfigError
from mvcc.tables import Job, View, load_job, write_example
from tests.tables.problems import options_of

YAML = """views:
  texts:
    path: data/texts.csv
    ignore: [a, b]
  images: images.npz
matches:
  texts:images: matches.csv
constraints:
  texts: /far/pairs.csv
n_clusters: 5
"""


@pytest.fixture
def config(tmp_path):
    path = tmp_path / "cluster.yaml"
    path.write_text(YAML)
    return path


def test_paths_of_a_file_are_seen_from_its_folder(config, tmp_path, monkeypatch):
    monkeypatch.setenv("HOME", "/home/somebody")
    config.write_text(YAML.replace("images.npz", "~/images.npz"))
    job = load_job(config)
    assert job.views["texts"].path == str(tmp_path / "data/texts.csv")
    assert job.views["images"].path == "/home/somebody/images.npz"
    assert job.matches == {"texts:images": str(tmp_path / "matches.csv")}
    assert job.constraints == {"texts": "/far/pairs.csv"}


@pytest.mark.parametrize(("method", "features"), [("joint", "auto"), ("co-em", "spectral")])
def test_what_is_left_out_has_the_values_that_the_help_names(config, method, features):
    job, options = load_job(config, [(("method",), method, "--method")]), options_in(Job)
    names = "base transfer threshold closure on_conflict unknown comparison compare_co_em seed"
    for name in names.split():
        assert str(getattr(job, name)).lower() == options[name].default
    assert load_job(config).method == options["method"].default
    runs = job.stability_runs_of(99_999), job.stability_runs_of(100_000)
    assert options["stability_runs"].default == "{}; {} from 100,000 rows on".format(*runs)
    assert (options["features"].default, job.features) == ("auto; spectral for co-em", features)
    assert job.n_components is None


def test_columns_to_show_are_named_in_the_view_or_for_all_views(config):
    config.write_text(YAML + "show: {texts: title, images: file}\n")
    in_view = [(("views", "texts", "show"), ["name"], "--show")]
    for options, shown in (([], ("title",)), (in_view, ("name",))):
        job = load_job(config, options)
        assert (job.shown_of("texts"), job.shown_of("images")) == (shown, ("file",))
    config.write_text(YAML.replace("path: data/texts.csv", "path: data/texts.csv\n    show: title"))
    assert load_job(config).shown_of("texts") == ("title",)


@pytest.mark.parametrize("key", ["base", "transfer", "threshold", "closure"])
def test_what_belongs_to_the_method_of_the_paper_is_refused_without_it(config, key):
    value = getattr(load_job(config), key)
    advice = "add `method: co-em` (--method co-em), or leave it out."
    belongs = f"{key}: belongs to the paper's method; {advice}"
    with pytest.raises(ConfigError, match=re.escape(f"\n--{key}: {belongs}")):
        load_job(config, [((key,), value, f"--{key}")])
    config.write_text(f"{YAML}{key}: {value}\n")
    with pytest.raises(ConfigError, match=re.escape(f"{config}:11: {belongs}")):
        load_job(config)
    assert getattr(load_job(config, [(("method",), "co-em", "--method")]), key) == value
    assert key not in load_job(None, MINIMAL).settings()


def path_of(keys):
    return ".".join(keys) if isinstance(keys, tuple) else ""


MINIMAL = options_of({"a": "a.csv"}, n_clusters=2)


def settings_of(typed):
    """Return the settings that the options of a command stand for."""
    found = []

    @click.command()
    @job_options(ALL)
    def command(config, **given):
        found.extend(settings(given))

    CliRunner().invoke(command, typed, catch_exceptions=False)
    return found


@pytest.mark.parametrize(("typed", "keys", "value"), [
    (["--view", "texts=other.csv"], ("views", "texts", "path"), "other.csv"),
    (["--id-column", "images=name"], ("views", "images", "id_column"), "name"),
    (["--ignore", 'texts=x\ny, "z, 1",\r', "--ignore", "texts=w"], ("views", "texts", "ignore"),
     ("x\ny", "z, 1", "\r", "w")),
    (["--show", "texts=x,y"], ("views", "texts", "show"), ("x", "y")),
    (["--match", "texts:images=m.csv"], ("matches", "texts:images"), "m.csv"),
    (["--clusters", "3"], ("n_clusters",), 3),
    (["--on-conflict", "drop"], ("on_conflict",), "drop"),
    (["--features", "none"], ("features",), "none"),
    (["--features", "pca", "--components", "4"], ("n_components",), 4),
    (["--features", "texts=pca", "--components", "texts=3"], ("views", "texts", "n_components"), 3),
    (["--method", "co-em", "--threshold", "1e-3"], ("threshold",), 1e-3),
    (["--seed", "7"], ("seed",), 7),
    (["--no-comparison"], ("comparison",), False),
    (["--asked", "2024", "--asked", "a"], ("asked",), ("2024", "a")),
], ids=lambda value: " ".join(map(str, value)) if isinstance(value, list) else "")  # fmt: skip
def test_an_option_replaces_the_value_of_the_file(config, typed, keys, value):
    found = job = load_job(config, settings_of(typed))
    for key in keys:
        found = found[key] if isinstance(found, dict) else getattr(found, key)
    assert found == value
    before = load_job(config, settings_of(typed[:-2]))
    others = [name for name in Job.model_fields if name != keys[0]]
    assert all(getattr(job, name) == getattr(before, name) for name in others)


def test_mistakes_of_file_and_options_are_told_at_once_with_their_places(config):
    wrong = YAML.replace("texts: /far", "text: /far").replace("texts:images:", "text:images:")
    config.write_text(wrong.replace("n_clusters: 5", "n_clusters: few\nthreshhold: 0.5"))
    options = [
        (("base",), "k-means", "--base k-means"),
        (("threshold",), "c", "--threshold c"),
        (("views", "a", "features"), "pca", "--features"),
        (("views", "b", "id_column"), "x", "--id-column"),
    ]
    with pytest.raises(ConfigError) as refusal:
        load_job(config, options)
    first, *lines, last = str(refusal.value).splitlines()
    expected = [
        f"{config}:7: matches.text:images: there is no view 'text'",
        f"{config}:9: constraints.text: there is no view 'text'",
        f"{config}:10: n_clusters: must be a whole number .*got 'few'.",
        f"{config}:11: threshhold: unknown key 'threshhold'; did you mean 'threshold'",
        "--base k-means: base: must be one of .*got 'k-means'",
        "--features: views.a.features: there is no view 'a'",
        "--id-column: views.b.id_column: there is no view 'b'",
        "--threshold c: threshold: must be a number above 0, up.*got 'c'.",
    ]
    assert first == f"8 problems in {config}:"
    assert [re.match(*both) is not None for both in zip(expected, lines, strict=True)] == [True] * 8
    assert last.endswith(f"mvcc cluster {config} … --dry-run")


UNKNOWN = "there is no view 'text'; did you mean 'texts'? Known: texts, images."


@pytest.mark.parametrize(
    ("keys", "named", "words"),
    [
        (("constraints", "text"), "constraints.text", UNKNOWN),
        (("matches", "text:images"), "matches.text:images", UNKNOWN),
        (("views", "text", "features"), "views.text.features", UNKNOWN),
        (("views", "text", "labels_column"), "views.text.labels_column", UNKNOWN),
        (("matches", "texts:"), "matches.texts:", "does not name two different views"),
        (("views", "1st", "path"), "views.1st", "cannot be the name of a view"),
    ],
    ids=path_of,
)
def test_an_option_for_what_cannot_be_is_named_and_not_the_file(config, keys, named, words):
    with pytest.raises(ConfigError) as refusal:
        load_job(config, [(keys, "pca", "--option as=typed")])
    first, line, last = str(refusal.value).splitlines()
    assert first == f"1 problem in {config}:"
    assert line.startswith(f"--option as=typed: {named}: ")
    assert words in line
    assert last == f"Correct it, then check again with: mvcc cluster {config} … --dry-run"


def test_an_option_for_a_view_of_a_file_without_views_is_told_beside_what_the_file_lacks(config):
    config.write_text("n_clusters: 2\n")
    message = r"(?s):1: views: is missing.*--option: views\.a\.features: there is no view"
    with pytest.raises(ConfigError, match=message):
        load_job(config, [(("views", "a", "features"), "pca", "--option")])


MATCH, IMAGES, K = "texts:images:", "  images: images.npz", "n_clusters: 5"
CO_EM_TOO = f"{K}\ncompare_co_em: true"


@pytest.mark.parametrize(("old", "new", "message"), [
    (MATCH, "texts:sounds:", r":7: .*:sounds: there is no view 'sounds'\. Known: texts, im"),
    (MATCH, "texts:texts:", ":7: .*'texts:texts' does not name two .*; write VIEW:"),
    ("  texts:images:", "  images:texts: x.csv\n  texts:images:",
     ":8: .*texts:images: the same two views are given twice, also as images:texts; put"),
    (IMAGES, "  a b: images.npz", r":5: views\.a b: .* cannot be the name of a view"),
    (IMAGES, "  images: 5", r":5: views\.images: must be .*, got 5\."),
    (IMAGES, "  images: {path: x.csv, ignore: {}}", r"images\.ignore: must be a list, got {}"),
    (IMAGES, "  images: {file: x.csv}", r"(?s):5: .*unknown key 'file'.*:5: .*path: is missing"),
    (K, "n_clusters: 0", r":10: n_clusters: must be .*, got 0\."),
    (K, f"{K}\nthreshold: .nan", ":11: threshold: must be .*, got nan"),
    (K, f"{K}\nseed: -1", ":11: seed: must be .*, got -1"),
    (K, f"{CO_EM_TOO}\nmethod: co-em", ":11: compare_co_em: adds co-em to .* of a joint"),
    (K, f"{CO_EM_TOO}\ncomparison: false", ":11: compare_co_em: adds co-em to .* of a joint"),
    (K, f"{K}\nn_components: 4", ":11: n_components: goes only with `features: spectral` or"),
    ("[a, b]", "[a, b]\n    n_components: 4", r":5: views\.texts\.n_comp.*: goes only with"),
    (f"{K}\n", "", "n_clusters: is missing; add a line such as `n_clusters: 5`"),
    ("images.npz", '"~\\0"', ":5: .*must be the path of a file.*, got "),
    ("images.npz", '"a\\e[31m.csv"', ":5: .*must be the path of a file.*, got "),
    ("images.npz", "x" * 5000, ":5: .*must be the path of a file.*, got "),
    (YAML, "views: {a: a.csv, A: b.csv}\nn_clusters: 2", "views.A: is called a but for capitals"),
    (YAML, "views: {}\nn_clusters: 2", "there is no view; give at least one"),
])  # fmt: skip
def test_a_mistake_is_told_with_its_line(config, old, new, message):
    config.write_text(YAML.replace(old, new))
    with pytest.raises(ConfigError, match=message):
        load_job(config)


def test_every_setting_has_a_help_an_option_and_a_line_of_the_example(tmp_path):
    write_example(tmp_path / "example")
    config = (tmp_path / "example/cluster.yaml").read_text()
    for name, field in Job.model_fields.items():
        assert name in options_in(Job), name
        assert str(field.description).rstrip(".") in config, name
    help_of = CliRunner().invoke(cli, ["cluster", "--help"], terminal_width=1000).stdout
    for kind in (Job, View):
        for name, option in options_in(kind).items():
            assert f"  {kind.model_fields[name].description}" in help_of
            assert f"[default: {option.default}]" in help_of or not option.default
