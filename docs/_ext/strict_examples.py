"""What every example of the gallery must do: run without a warning that it does not ignore
itself, and draw.
"""

from __future__ import annotations

import warnings
from pathlib import Path
from typing import Any

_caught = warnings.catch_warnings()


def strict(gallery_conf: dict[str, Any], fname: str, when: str) -> None:
    """Turn warnings into errors before sphinx-gallery runs an example; look for its figure
    afterwards.
    """
    global _caught
    images = Path(gallery_conf["src_dir"], "docs/gallery/images")
    figures = list(images.glob(f"sphx_glr_{Path(fname).stem}_[0-9]*.png"))
    if when == "before":
        for figure in figures:  # of a former build
            figure.unlink()
        _caught = warnings.catch_warnings()
        _caught.__enter__()
        warnings.simplefilter("error")
    else:
        _caught.__exit__(None, None, None)
        if not figures:
            raise RuntimeError(f"{fname} draws no figure.")
