"""Packages as pip installs them, and classes in the place of a package that is not installed."""

import sys
from textwrap import dedent
from types import ModuleType


def replace_clusterers(monkeypatch, package, classes):
    """Put classes, by name, in the place of the module ``cluster`` of a package."""
    parent, module = ModuleType(package), ModuleType(f"{package}.cluster")
    parent.cluster = module
    vars(module).update(classes)
    monkeypatch.setitem(sys.modules, package, parent)
    monkeypatch.setitem(sys.modules, f"{package}.cluster", module)


def install(folder, package, offers, source, version="1.0", group="mvcc.transfers"):
    """Write what pip leaves of a package with one module, ``<package>_module``, into a folder."""
    metadata = folder / f"{package}-{version}.dist-info"
    metadata.mkdir(parents=True)
    (metadata / "METADATA").write_text(
        f"Metadata-Version: 2.1\nName: {package}\nVersion: {version}\n"
    )
    lines = [f"{name} = {package}_module{value}" for name, value in offers.items()]
    (metadata / "entry_points.txt").write_text("\n".join([f"[{group}]", *lines, ""]))
    (folder / f"{package}_module.py").write_text(dedent(source))
