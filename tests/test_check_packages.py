"""`make packages` tries every Python that it names and finds, and says which ones it did not."""

import sys

from scripts.check_packages import interpreters, named_versions, summary

HERE = "{}.{}".format(*sys.version_info)


def program(path, version):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f"#!/bin/sh\necho {version}\n")
    path.chmod(0o755)
    return str(path)


def test_interpreters_are_found_on_the_path_and_among_those_of_pyenv(tmp_path, monkeypatch):
    monkeypatch.setenv("PATH", f"{tmp_path}/bin:/usr/bin:/bin")
    monkeypatch.setenv("PYENV_ROOT", str(tmp_path / "pyenv"))
    on_path = program(tmp_path / "bin/python3.91", "3.91")
    # a name that stands for nothing
    program(tmp_path / "bin/python3.92", "pyenv: python3.92: command not found")
    of_pyenv = program(tmp_path / "pyenv/versions/3.92.4/bin/python3.92", "3.92")
    found = interpreters([HERE, "3.91", "3.92", "3.93"])
    assert found == {HERE: sys.executable, "3.91": on_path, "3.92": of_pyenv}


def test_the_last_line_names_what_was_tried_and_what_was_not():
    first, *others = named_versions()
    assert first == "3.11"
    assert summary([first]) == f"Tried with Python {first}; not tried: {', '.join(others)}."
    assert summary([first, *others]).endswith("not tried: none.")
