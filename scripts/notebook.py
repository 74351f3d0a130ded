"""Write examples/two_tables.ipynb, the notebook of the page of the gallery.

``python -m scripts.notebook``.
"""

from __future__ import annotations

import json

from sphinx_gallery.gen_gallery import DEFAULT_GALLERY_CONF
from sphinx_gallery.notebook import jupyter_notebook
from sphinx_gallery.py_source_parser import split_code_and_text_blocks

from scripts.command import no_options
from scripts.tables import ROOT

EXAMPLES = ROOT / "examples"
PAGE, NOTEBOOK = EXAMPLES / "gallery/plot_5_two_tables.py", EXAMPLES / "two_tables.ipynb"


def notebook() -> str:
    """Return the notebook: the blocks of the page, which ``make docs`` runs."""
    _, blocks = split_code_and_text_blocks(str(PAGE))
    cells = jupyter_notebook(blocks, dict(DEFAULT_GALLERY_CONF), str(PAGE.parent))
    cells["metadata"].pop("language_info")  # the Python that runs this
    return json.dumps(cells, indent=1) + "\n"


if __name__ == "__main__":
    no_options(__doc__)
    NOTEBOOK.write_text(notebook(), encoding="utf-8")
