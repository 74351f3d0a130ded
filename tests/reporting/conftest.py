"""Small results folders, made up: a finished experiment is a `curves.csv` beside a `manifest.json`."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pandas as pd
import pytest

METHODS = ("constraint-propagation", "direct-mapping", "cluster-membership", "single-view")


@pytest.fixture
def curves() -> Callable[..., pd.DataFrame]:
    def make(
        dataset: str = "letters_digits",
        bases: tuple[str, ...] = ("pck-means", "mpck-means"),
        methods: tuple[str, ...] = METHODS,
        fractions: tuple[float, ...] = (0.2, 0.4, 1.0),
        schedule: tuple[int, ...] = (20, 40, 80),
        trials: int = 12,
    ) -> pd.DataFrame:
        rows = [
            (base, method, mapped, n)
            for base in bases
            for method in methods
            for mapped in ((None,) if method == "single-view" else fractions)
            for n in schedule
        ]
        table = pd.DataFrame(rows, columns=["base", "method", "mapped", "n_constraints"])
        table["mapped"] = table["mapped"].astype(float)
        table["mean"] = [0.5 + 0.4 * i / len(rows) for i in range(len(rows))]
        table["standard_error"] = 0.01 if trials > 1 else float("nan")
        return table.assign(experiment="multi-view", dataset=dataset, trials=trials, folder=dataset)

    return make


@pytest.fixture
def finish() -> Callable[[Path, pd.DataFrame], Path]:
    """Write what a finished run leaves."""

    def write(folder: Path, table: pd.DataFrame) -> Path:
        folder.mkdir(parents=True, exist_ok=True)
        table.drop(columns="folder").to_csv(folder / "curves.csv", index=False)
        (folder / "manifest.json").write_text("{}")
        return folder

    return write
