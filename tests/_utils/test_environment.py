"""Results name the commit that they come from."""

import shutil
import subprocess
from pathlib import Path

import mvcc
from mvcc._utils import environment


def test_the_commit_is_that_of_the_checkout_and_marked_when_files_differ(tmp_path, monkeypatch):
    def git(*words):
        command = ["git", "-c", "user.name=a", "-c", "user.email=a@b", *words]
        return subprocess.run(
            command, cwd=tmp_path, check=True, capture_output=True, text=True
        ).stdout.strip()

    module = tmp_path / Path(environment.__file__).relative_to(Path(mvcc.__file__).parents[1])
    module.parent.mkdir(parents=True)
    shutil.copy(environment.__file__, module)
    monkeypatch.setattr(environment, "__file__", str(module))
    assert environment.commit() is None
    git("init", "--quiet")
    git("add", ".")
    git("commit", "--quiet", "-m", "all")
    assert environment.commit() == git("rev-parse", "HEAD")
    module.write_text("changed")
    assert environment.commit() == f"{git('rev-parse', 'HEAD')} (with uncommitted changes)"
    monkeypatch.setenv("PATH", "")
    assert environment.commit() is None
