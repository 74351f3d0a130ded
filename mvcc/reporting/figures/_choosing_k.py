"""How good each number of clusters is, as curves."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from io import BytesIO
from typing import Any

from mvcc.reporting.figures._style import SOFT, house_style

_PANELS = {  # title: what is drawn, and how it is called
    "Held-out constraints kept": {"kept": ""},
    "Matched rows together without their match": {"agreement": "matched", "by_chance": "by chance"},
    "Stability": {"stability": ""},
    "Share of the rows in one cluster": {"largest": "largest", "smallest": "smallest"},
}


def picture_of_numbers(tried: Sequence[Mapping[str, Any]]) -> bytes:
    """Draw what `mvcc cluster -k 2-12` has found as curves over the number of clusters, as PNG."""
    from matplotlib.figure import Figure
    from matplotlib.ticker import MaxNLocator

    panels = {
        title: curves
        for title, curves in _PANELS.items()
        if tried[0][next(iter(curves))] is not None
    }
    numbers = [one["k"] for one in tried]
    with house_style():
        figure = Figure(
            figsize=(4.0 * min(2, len(panels)), 2.6 * ((len(panels) + 1) // 2)),
            layout="constrained",
        )
        axes = figure.subplots((len(panels) + 1) // 2, min(2, len(panels)), squeeze=False).ravel()
        for panel in axes[len(panels) :]:
            panel.set_axis_off()
        for panel, (title, curves) in zip(axes, panels.items(), strict=False):
            for name, label in curves.items():
                values = [one[name] for one in tried]
                look = {"marker": "o"}
                if label in ("by chance", "smallest"):
                    look = {"color": SOFT, "linestyle": "dashed"}
                panel.plot(numbers, values, label=label, **look)
                if name == "kept":
                    errors = [one["kept_error"] for one in tried]
                    low, high = (
                        [v + sign * e for v, e in zip(values, errors, strict=True)]
                        for sign in (-1, 1)
                    )
                    panel.fill_between(numbers, low, high, alpha=0.2, linewidth=0)
            panel.set(title=title, xlabel="number of clusters", ylim=(min(0, *values), 1.02))
            panel.xaxis.set_major_locator(MaxNLocator(integer=True))
            if len(curves) > 1:
                panel.legend()
        picture = BytesIO()
        figure.savefig(picture, format="png", dpi=150, metadata={"Software": None})
    return picture.getvalue()
