"""``mvcc completion``: print the shell completion script."""

from __future__ import annotations

import click
from click.shell_completion import get_completion_class

from mvcc.cli._shared import below_help

_HELP = """Print the script that completes commands, options, choices, files and names of data sets in a shell.

\b
Install it once, and open a new shell:
  bash  mvcc completion bash > ~/.mvcc-completion && echo '. ~/.mvcc-completion' >> ~/.bashrc
  zsh   mvcc completion zsh > ~/.mvcc-completion && echo '. ~/.mvcc-completion' >> ~/.zshrc
  fish  mvcc completion fish > ~/.config/fish/completions/mvcc.fish

zsh needs `autoload -Uz compinit && compinit` above that line in ~/.zshrc, which most setups have. bash must be 4.4 or
later.
"""


@click.command("completion", help=_HELP, epilog=below_help("mvcc completion bash > ~/.mvcc-completion"))
@click.argument("shell", type=click.Choice(["bash", "zsh", "fish"]))
@click.pass_context
def command(context: click.Context, shell: str) -> None:
    complete = get_completion_class(shell)
    assert complete is not None  # click knows these three
    click.echo(complete(context.find_root().command, {}, "mvcc", "_MVCC_COMPLETE").source())
