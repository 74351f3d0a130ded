"""The site: ``make docs``. Its source is the whole checkout, so that a link works here and on
GitHub alike.
"""

from __future__ import annotations

import re
import sys
from pathlib import Path

import matplotlib
from sphinx.application import Sphinx
from sphinx.ext import autosummary

import mvcc

matplotlib.use("agg")
HERE = Path(__file__).parent
sys.path.insert(0, str(HERE / "_ext"))

project, author, release = "mvcc", "The mvcc developers", mvcc.__version__
copyright = author
root_doc = "docs/index"
include_patterns = [
    "docs/**",
    "README.md",
    "CONTRIBUTING.md",
    "CHANGELOG.md",
    "data/README.md",
    "results/claims.md",
    "results/beyond.md",
    "results/field.md",
]
exclude_patterns = ["docs/_build", "docs/_ext", "docs/_templates", ".*", "**/.*", "mvcc", "tests"]
extensions = [
    "api_page",
    "mathtext",
    "myst_parser",
    "numpydoc",
    "reference",
    "sphinx.ext.autodoc",
    "sphinx.ext.autosummary",
    "sphinx_copybutton",
    "sphinx_gallery.gen_gallery",
]

default_role = "code"  # single backticks in docstrings: commands
html_theme = "furo"
html_title = f"mvcc {release}"
html_static_path = ["_static"]
html_css_files = ["site.css"]
html_additional_pages = {"index": "start.html"}
html_copy_source = False
html_show_sourcelink = False
html_theme_options = {"navigation_with_keys": True}
html_math_renderer = "mathtext"
# the whole path of each example is looked at: a folder with blanks breaks no link
suppress_warnings = ["sphinx_gallery.space_in_filename"]
templates_path = [str(HERE / "_templates")]

myst_enable_extensions = ["dollarmath"]
myst_dmath_allow_digits = False
myst_dmath_allow_space = False
myst_heading_anchors = 3

autodoc_typehints = "none"  # the docstrings have them in words
autosummary_generate = True
autosummary.WELL_KNOWN_ABBREVIATIONS += ("Eq.", "Fig.")  # no sentence ends there
numpydoc_show_class_members = False
numpydoc_class_members_toctree = False

copybutton_prompt_text = "$ "

sphinx_gallery_conf = {
    "examples_dirs": ["examples/gallery"],
    "gallery_dirs": ["docs/gallery"],
    "filename_pattern": "plot_",
    "download_all_examples": False,
    "remove_config_comments": True,
    "show_memory": False,
    "write_computation_times": False,
    "show_signature": False,
    "within_subsection_order": "FileNameSortKey",
    "plot_gallery": "True",
    "abort_on_example_error": True,
    "reset_modules": ("matplotlib", "strict_examples.strict"),
    "reset_modules_order": "both",
}


def link_gallery(app: Sphinx, docname: str, source: list[str]) -> None:
    """Let links to the folder of the examples lead to their page."""
    source[0] = re.sub(
        r"\]\((\.\./)*(examples|docs)/gallery/?\)", "](/docs/gallery/index.rst)", source[0]
    )


def hold_errors(app: Sphinx, docname: str, source: list[str]) -> None:
    """Let no line of a narrow cell end within a figure and its error."""
    source[0] = re.sub(
        r"^\|.*", lambda row: row[0].replace(" ± ", "\u00a0±\u00a0"), source[0], flags=re.MULTILINE
    )


def setup(app: Sphinx) -> None:
    """Tell Sphinx."""
    app.connect("source-read", link_gallery)
    app.connect("source-read", hold_errors)
