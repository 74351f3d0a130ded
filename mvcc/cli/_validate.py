"""``mvcc validate``: check config files without running them."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any

import click

from mvcc._utils.messages import counted
from mvcc.cli._shared import below_help, output_options, print_json, remark, say, set_option

if TYPE_CHECKING:
    from mvcc.experiments import Config
    from mvcc.tables import Job

_HELP_END = below_help(
    "mvcc validate configs/*.yaml --set trials=10",
    "mvcc validate my-data/cluster.yaml",
    terms=("trial", "cell", "threshold"),
)


@click.command("validate", epilog=_HELP_END)
@click.argument("configs", nargs=-1, required=True, metavar="CONFIG...", type=click.Path())
@set_option
@output_options("Print the complete configurations, including defaults, as JSON.")
def command(configs: tuple[str, ...], overrides: tuple[str, ...], as_json: bool) -> None:
    """Check config files without running them: those of `mvcc run` and those of `mvcc cluster`.

    Reports every unknown key, wrong type and invalid value with its line, in all files at once.
    """
    from mvcc.exceptions import ConfigError

    valid: dict[str, Config | Job] = {}
    errors: list[str] = []
    for path in configs:
        try:
            valid[path] = _load(path, overrides)
        except ConfigError as error:
            errors.append(str(error))
    if errors:
        raise ConfigError("\n\n".join(errors))
    if as_json:
        print_json([{"path": path, **_complete(config)} for path, config in valid.items()])
        return
    say("\n\n".join("\n".join([f"{path} is valid.", *_summary(config)]) for path, config in valid.items()))
    path, first = next(iter(valid.items()))
    remark(f"Next: mvcc run {path}" if hasattr(first, "trials") else f"Next: mvcc cluster {path} --out FOLDER")


def _load(path: str, overrides: tuple[str, ...]) -> Config | Job:
    # pydantic and the data sets take longer to import than `mvcc --help` may take
    from mvcc._utils.settings import Problems, read_yaml
    from mvcc.experiments import load_config
    from mvcc.tables import load_job

    values = read_yaml(path, Problems(path, ""))
    is_job = isinstance(values, dict) and not {"views", "n_clusters"}.isdisjoint(values)
    return load_job(path, overrides=overrides) if is_job else load_config(path, overrides)


def _summary(config: Config | Job) -> list[str]:
    from mvcc.tables import Job

    if isinstance(config, Job):
        views = (f"{name} ({view.path})" for name, view in config.views.items())
        return [
            f"  views     {', '.join(views)}",
            f"  clusters  {config.n_clusters}",
            f"  method    {config.method}",
        ]
    return [
        f"  name      {config.name}: results go to results/{config.name}",
        f"  data set  {config.dataset}",
        *(f"  cells     {line}" for line in _cells(config)),
        f"  trials    {config.trials}",
    ]


def _complete(config: Config | Job) -> dict[str, Any]:
    from mvcc.experiments import list_cells
    from mvcc.tables import Job

    if isinstance(config, Job):
        return {"config": config.settings()}
    return {"cells": len(list_cells(config)), "config": config.resolved()}


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
