"""Kernels are compiled anew once the source of any of them is newer, since numba sees only a kernel's own file."""

from __future__ import annotations

import os

import pytest

from mvcc import _kernels

FOLDERS = ("mvcc/_kernels", "mvcc/cluster/_kernels")


@pytest.fixture
def package(tmp_path, monkeypatch):
    """Write two folders of kernels, a source and a compiled kernel in each, and what else lies there."""
    for folder in FOLDERS:
        cache = tmp_path / folder / "__pycache__"
        cache.mkdir(parents=True)
        for path in (cache.parent / "kernel.py", cache / "kernel.nbi", cache / "kernel.nbc", cache / "kernel.pyc"):
            path.touch()
            os.utime(path, (1000, 1000))
    monkeypatch.setattr(_kernels, "__file__", str(tmp_path / "mvcc/_kernels/__init__.py"))
    return tmp_path / "mvcc"


def compiled(package):
    return sorted(path.relative_to(package).parts[0] for path in package.rglob("*.nbi"))


def test_kernels_as_new_as_all_sources_are_kept(package):
    before = sorted(package.rglob("*"))
    _kernels._forget_stale_kernels()
    assert sorted(package.rglob("*")) == before


@pytest.mark.parametrize("changed", ["_kernels", "cluster/_kernels"])
def test_a_newer_source_in_either_folder_makes_both_forget_older_kernels_and_nothing_else(package, changed):
    os.utime(package / changed / "kernel.py", (2000, 2000))
    before = set(package.rglob("*"))
    _kernels._forget_stale_kernels()
    assert compiled(package) == []
    assert {path.suffix for path in before - set(package.rglob("*"))} == {".nbi"}


def test_a_kernel_compiled_after_the_newest_source_is_kept(package):
    os.utime(package / "_kernels/kernel.py", (2000, 2000))
    os.utime(package / "cluster/_kernels/__pycache__/kernel.nbi", (3000, 3000))
    _kernels._forget_stale_kernels()
    assert compiled(package) == ["cluster"]


def test_what_another_process_forgot_meanwhile_is_no_error(package, monkeypatch):
    os.utime(package / "_kernels/kernel.py", (2000, 2000))
    forget = type(package).unlink

    def forgotten_already(path, **options):
        forget(path)
        forget(path, **options)

    monkeypatch.setattr(type(package), "unlink", forgotten_already)
    _kernels._forget_stale_kernels()
    assert compiled(package) == []
