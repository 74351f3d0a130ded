"""``mvcc validate``: check configurations without running them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from mvcc.experiments import Config

_EXAMPLES = """\b
Examples:
  mvcc validate configs/protein.yaml
  mvcc validate configs/*.yaml --set trials=10
  mvcc validate configs/protein.yaml --set multi_view.threshold=0.8
"""


@click.command("validate", epilog=_EXAMPLES)
@click.argument("configs", nargs=-1, required=True, metavar="CONFIG...", type=click.Path())
@click.option(
    "--set",
    "overrides",
    multiple=True,
    metavar="KEY=VALUE",
    help="Use this value instead of the file's; can be given several times.",
)
@click.option("--json", "as_json", is_flag=True, help="Print the complete configurations, defaults included, as JSON.")
def command(configs: tuple[str, ...], overrides: tuple[str, ...], as_json: bool) -> None:
    """Check configurations without running them.

    Every unknown key, wrong type and impossible value is reported with its line, in all files at once.
    """
    # pydantic and the data sets take longer to import than `mvcc --help` may take
    from mvcc.exceptions import ConfigError
    from mvcc.experiments import load_config

    valid: dict[str, Config] = {}
    errors: list[str] = []
    for path in configs:
        try:
            valid[path] = load_config(path, overrides)
        except ConfigError as error:
            errors.append(str(error))
    if errors:
        raise ConfigError("\n\n".join(errors))
    click.echo(_json(valid) if as_json else "\n\n".join(_summary(path, config) for path, config in valid.items()))


def _summary(path: str, config: Config) -> str:
    grid = config.multi_view
    counts = [
        _counted(len(grid.bases), "base"),
        _counted(len(grid.transfers), "transfer"),
        _counted(len(grid.mapped), "mapped portion") + " (single-view needs none)" * ("single-view" in grid.transfers),
        _counted(len(grid.constraints), "constraint count"),
    ]
    return "\n".join(
        [
            f"{path} is valid.",
            f"  name      {config.name}: results go to results/{config.name}",
            f"  data set  {config.dataset}",
            f"  cells     {grid.n_cells} in every trial: {' × '.join(counts)}",
            f"  trials    {config.trials}",
        ]
    )


def _counted(count: int, noun: str) -> str:
    return f"{count} {noun}{'s' if count > 1 else ''}"


def _json(configs: dict[str, Config]) -> str:
    import json

    return json.dumps(
        [
            {"path": path, "cells": config.multi_view.n_cells, "config": config.resolved()}
            for path, config in configs.items()
        ],
        indent=2,
    )
