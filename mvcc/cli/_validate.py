"""``mvcc validate``: check configurations without running them."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any

import click

from mvcc._utils.messages import counted
from mvcc.cli._shared import below_help, output_options, print_json, remark, say, set_option

if TYPE_CHECKING:
    from mvcc.experiments import Config

_HELP_END = below_help(
    "mvcc validate configs/protein.yaml",
    "mvcc validate configs/*.yaml --set trials=10",
    "mvcc validate configs/protein.yaml --set multi_view.threshold=0.8",
    terms=("trial", "cell", "threshold"),
)


@click.command("validate", epilog=_HELP_END)
@click.argument("configs", nargs=-1, required=True, metavar="CONFIG...", type=click.Path())
@set_option
@output_options("Print the complete configurations, including defaults, as JSON.")
def command(configs: tuple[str, ...], overrides: tuple[str, ...], as_json: bool) -> None:
    """Check configurations without running them.

    Reports every unknown key, wrong type and invalid value with its line, in all files at once.
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
    if as_json:
        print_json(_complete(valid))
    else:
        say("\n\n".join(_summary(path, config) for path, config in valid.items()))
        remark(f"Next: mvcc run {next(iter(valid))}")


def _summary(path: str, config: Config) -> str:
    return "\n".join(
        [
            f"{path} is valid.",
            f"  name      {config.name}: results go to results/{config.name}",
            f"  data set  {config.dataset}",
            *(f"  cells     {line}" for line in _cells(config)),
            f"  trials    {config.trials}",
        ]
    )


def _cells(config: Config) -> list[str]:
    """Say of each experiment how many cells every trial computes, and what they are combined from."""
    from mvcc.experiments import list_cells
    from mvcc.multiview import needs_base, uses_relations

    numbers = Counter(cell.experiment for cell in list_cells(config))
    lines = []
    if (multi := config.multi_view) is not None:
        without = [method for method in multi.transfers if not uses_relations(method)]
        alone = [method for method in multi.transfers if not needs_base(method)]
        varied = [
            counted(len(multi.bases), "base") + _none_needed(alone),
            counted(len(multi.transfers), "transfer"),
            *(
                counted(len(values), noun)
                for noun, values in (
                    ("threshold", multi.threshold),
                    ("closure", multi.closure),
                    ("rewired share", multi.rewired),
                )
                if len(values) > 1
            ),
            counted(len(multi.mapped), "mapped portion") + _none_needed(without),
            counted(len(multi.constraints), "constraint count"),
        ]
        lines.append(f"{numbers['multi-view']} in every trial: {' × '.join(varied)}")
    if (single := config.single_view) is not None:
        varied = [
            counted(len(single.thresholds), "single view"),
            counted(len(single.bases), "base"),
            "with and without propagation",
            counted(len(single.constraints), "constraint count"),
        ]
        lines.append(f"{numbers['single-view']} in every trial: {' × '.join(varied)}")
    return lines


def _none_needed(methods: list[str]) -> str:
    return f" ({' and '.join(methods)} need{'s' if len(methods) == 1 else ''} none)" if methods else ""


def _complete(configs: dict[str, Config]) -> list[dict[str, Any]]:
    from mvcc.experiments import list_cells

    return [
        {"path": path, "cells": len(list_cells(config)), "config": config.resolved()}
        for path, config in configs.items()
    ]
