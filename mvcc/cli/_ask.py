"""What is asked before tables are clustered: ``mvcc ask`` and ``mvcc match``."""

from __future__ import annotations

import sys
from functools import partial
from itertools import chain, count
from pathlib import Path
from typing import Any

import click

from mvcc import tables
from mvcc._utils.messages import counted, enumerated, percent, typed
from mvcc._utils.outputs import check_output
from mvcc.cli import _shared as shared
from mvcc.cli._job_options import TABLES, job_options, settings, words_of
from mvcc.results import read_facts

_FEWEST_GROUPS = 2  # that -k auto takes


@shared.command(
    "mvcc ask cluster.yaml",
    "mvcc ask --view texts=texts.csv --view images=images.npz \\",
    "    --match texts:images=matches.csv --out asked",
    "mvcc ask cluster.yaml --browser",
    "mvcc ask cluster.yaml --json -n 10 > questions.json",
    "mvcc ask cluster.yaml --answers answers.csv",
    terms=("view", "match", "must-link", "cannot-link"),
)
@job_options(TABLES)
@click.option(
    "--out",
    type=shared.Folder(),
    help="Folder of the answers.  [default: that of CONFIG, or asked beside it]",
)
@shared.flag("--pairs", help="Ask whether two are alike: yes or no.")
@shared.file_option("--answers", help="Record a table: columns id,answer.")
@shared.number_option("-n", "n_questions", help="Number of questions of --json.  [default: 1]")
@shared.flag("--browser", help="Ask in a page of the browser instead of the terminal.")
@click.option(
    "--port", type=click.IntRange(0, 65535), help="Port of --browser.  [default: any that is free]"
)
@shared.flag("--no-open", help="Print the address of --browser, and open nothing.")
@shared.output_options("Print the next questions as JSON.")
def ask(
    config: Path | None,
    out: Path | None,
    pairs: bool,
    answers: Path | None,
    n_questions: int | None,
    browser: bool,
    port: int | None,
    no_open: bool,
    **given: Any,
) -> None:
    """Answer questions about your own tables.

    Each question shows the most informative row, with all rows matched to it, and asks which of
    your groups it is like. You name groups as they come; their number need not be known. Every
    answer is stored at once; run the same command to resume.

    Writes to the folder of --out: for each view a file of constraints, VIEW.csv, groups.csv, and
    asked.csv with all that was said. `mvcc cluster --asked FOLDER -k auto` uses them.
    """
    as_json = shared.has_flag("json")
    if config is None and not given["views"]:
        raise click.UsageError(
            "there is nothing to ask about; give a CONFIG file, or tables with --view NAME=FILE."
        )
    if out is None and config is None:
        raise click.UsageError("the folder of the answers is missing; give it with --out.")
    if n_questions is not None and not as_json:
        raise click.UsageError(
            "-n is the number of questions of --json; add --json, or leave it out."
        )
    if pairs + browser + (as_json or answers is not None) > 1:
        raise click.UsageError(
            "--pairs asks in the terminal, --browser in a page; give one, or --json and --answers."
        )
    if not browser and (port is not None or no_open):
        raise click.UsageError("--port and --no-open go with --browser; add it, or leave them out.")
    job = tables.load_job(config, settings(given), defaults={"n_clusters": "auto"})
    inputs = tables.read_inputs(job.model_copy(update={"n_clusters": "auto"}))
    shared.remark_notes([*chain(*(table.notes for table in inputs.tables)), *inputs.notes])
    folder = _folder_of_answers(out, job, (config or Path()).parent)
    then = partial(_next_step, words=words_of(config, given), folder=folder, browser=browser)
    if not (as_json or answers):
        n_rows = sum(len(table.ids) for table in inputs.tables)
        shared.remark(f"Preparing questions about {counted(n_rows, 'row')} …")
    with tables.AskSession(job, inputs, folder, shared.remark) as session:
        if answers:
            recorded = tables.record_table(session, answers)
            shared.say(f"{counted(len(recorded), 'answer')} recorded.")
        if as_json:
            shared.print_json(session.document(n_questions or 1))
        elif browser:
            shared.in_browser(tables.AskPage(session, then), "Answer", port, no_open)
        elif not answers:
            from mvcc.cli._ask_terminal import ask_in_terminal

            ask_in_terminal(
                session, pairs=pairs, single_keys=bool(sys.stdin and sys.stdin.isatty())
            )
        status = session.status
        said = f"{counted(status.n_answers, 'answer')}, {counted(status.n_groups, 'group')}"
        shared.say(f"{said}. {': '.join(then(status))}")


def _folder_of_answers(out: Path | None, job: tables.Job, base: Path) -> Path:
    """Return the folder of --out; without it that of the config, and say so."""
    if out is not None:
        return out
    if len(job.asked) > 1:
        raise click.UsageError(
            f"the config has answers of several people ({enumerated(job.asked)}); say with --out"
            " which are yours."
        )
    folder = Path(next(iter(job.asked), base / "asked"))
    shared.remark(f"Answers go to {folder}; --out names another folder.")
    return folder


def _next_step(status: tables.Status, words: str, folder: Path, browser: bool) -> tuple[str, str]:
    """Return what to do next, and the command for it: to ask again, or to cluster."""
    if status.n_clusters_hint < _FEWEST_GROUPS:
        again = f"mvcc ask {words} --out {typed(folder)}"
        if browser:
            again += " --browser"
        return "Name two groups or more", again
    numbered = (f"results-{n}" for n in count(2))
    free = next(name for name in chain(["results"], numbered) if not Path(name).exists())
    return "Go on", f"mvcc cluster {words} --asked {typed(folder)} -k auto --out {free}"


@shared.command(
    "mvcc match cluster.yaml --show texts=title --out proposals.csv",
    "mvcc match --from results --out proposals.csv -n 20 --candidates 5",
    terms=("view", "match"),
)
@job_options([*TABLES, "asked"])
@shared.folder_option("--from", "clustering", help="A clustering: its tables and its clusters.")
@click.option("--between", metavar="VIEW:VIEW", help="The two views, where there are more.")
@shared.number_option("-n", "n_rows", default=100, show_default=True, help="Rows to propose for.")
@shared.number_option(
    "--candidates", "n_candidates", default=1, show_default=True, help="Proposals for each row."
)
@shared.flag(
    "--with-known", help="Write the known matches below the proposals, as one file of matches."
)
@shared.out_option(".csv", ".txt", help="Write the proposals to this CSV file.")
@shared.fresh_option
@shared.output_options("Print the proposals as JSON.")
def match(
    config: Path | None,
    clustering: Path | None,
    between: str | None,
    n_rows: int,
    n_candidates: int,
    with_known: bool,
    out: Path | None,
    fresh: bool,
    **given: Any,
) -> None:
    """Propose matches of rows that have none, for you to confirm; mvcc never applies them itself.

    Learns from the matches that are known, 20 or more, how rows of two views go together, and looks
    for the likeliest counterparts of the others. It says how often it finds known matches again.
    A probability is the share of such proposals that were right when known matches were cut, among
    rows that have a counterpart. Expect most to be wrong if views show different things.

    Delete the wrong lines of --out; --match reads the rest. --show adds columns to decide by.
    """
    if config is not None and clustering is not None:
        raise click.UsageError("--from brings its own settings; leave out CONFIG, or --from.")
    if config is None and clustering is None and not given["views"]:
        raise click.UsageError(
            "there are no tables; give a CONFIG file, --from FOLDER, or --view NAME=FILE."
        )
    if out is None and not shared.has_flag("json"):
        raise click.UsageError(
            "the output file is missing; give it with --out, or print the proposals with --json."
        )
    shared.refuse_fresh_alone(fresh, out)
    if clustering is not None:
        config = clustering / "cluster.yaml"
        if not config.exists():
            read_facts(clustering)  # which says what is missing, as for other commands
    job = tables.load_job(config, settings(given), defaults={"n_clusters": "auto"})
    if out is not None:
        check_output(out, tables.PROPOSALS, fresh=fresh, inputs=tables.inputs_of(job))
    facts = tables.propose_matches(
        job,
        clustering=clustering,
        between=between,
        n_rows=n_rows,
        n_candidates=n_candidates,
        with_known=with_known,
    )
    if out is not None:
        tables.write_proposals(facts, out, job, fresh=fresh)
    shared.say_json(facts)
    first, second = facts["views"]
    n_first, n_second = facts["n_unmatched"]
    shared.say(
        f"{counted(facts['n_matches'], 'match')}; without one are {n_first} of {first} and "
        f"{n_second} of {second}"
    )
    measured = (
        "How often known matches are found again was not measured: there are too few matches, too "
        "many rows, or none without a match."
    )
    if facts["found_first"] is not None:
        measured = (
            f"Known matches that were cut for a test: found first {percent(facts['found_first'])}, "
            f"among the first five {percent(facts['found_in_five'])}"
        )
    shared.say(measured)
    shared.say(f"Proposals: {out} ({counted(facts['n_proposals'], 'line')})")
    rest = ", and add the rest to your matches; --with-known makes it one file."
    if with_known:
        rest = f"; --match {first}:{second}={out} takes the rest in place of your matches."
    shared.say(f"Next: delete the wrong lines{rest}", err=True)
