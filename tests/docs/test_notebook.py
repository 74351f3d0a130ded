"""The notebook is the page of the gallery, which the documentation runs."""

from __future__ import annotations

import pytest

from scripts.notebook import NOTEBOOK, notebook


@pytest.mark.exact_bits
def test_the_notebook_is_the_page_of_the_gallery():
    assert NOTEBOOK.read_text(encoding="utf-8") == notebook(), "make it anew: python -m scripts.notebook"
