"""What sets the clusters of a view apart: columns by values, texts by words; perhaps labels."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from itertools import chain
from typing import Any

import numpy as np
import pandas as pd

from mvcc._utils.arrays import Bools, Floats, Ints
from mvcc._utils.environment import command_line
from mvcc._utils.messages import clipped, percent, shown, with_its_end
from mvcc._utils.text import with_blanks
from mvcc.metrics import clustering_accuracy, scores_of_table
from mvcc.tables._job import Job
from mvcc.tables.fitting._features import rounded
from mvcc.tables.reading._column import DURATIONS, TRUTH, Column, Written
from mvcc.tables.reading._problems import option_for
from mvcc.tables.reading._table import Table

MOST_COLUMNS = 6  # of a cluster
MOST_WORDS = 12
_MOST_VALUES = 4  # of a category, whose shares are given
_N_BINS = 256
_CERTAIN = 2.0  # Kuiper's statistic at 1 %, times the root of both numbers of rows
_INTERVAL = 0.1  # by which an interval must be better than everything above or below a value
_NEARLY = 0.8  # the rule itself is a name, since it hardly errs
_QUANTILES = (0.05, 0.25, 0.5, 0.75, 0.95)
_MOST_TEXTS = 20_000  # spaced evenly; more take longer and say the same
_LONGEST_TEXT = 5000  # characters of a text that are looked at
_TELLING_WORD = r"(?u)\b(?!\w?[ぁ-ゖ])[^\W\d_][^\W_]+\b"  # hiragana are mostly endings
_BEYOND = 4.0  # standard errors, for thousands of words
_LONGEST_COLUMN, _LONGEST_RULE = 24, 40  # in a name
# a truth value that is an empty cell is called blank
_VAGUE = {"missing", "none", "other", "unknown", "blank", *chain.from_iterable(TRUTH.values())}
Found = dict[str, Any]
_MOST_DISTINCT = 50  # values of labels
_FEWEST_COLUMNS = 3  # clusters of one or two columns follow these anyway
_FEWEST_ROWS = 20
# Adjusted Rand index of values and clusters. In messy tables with their classes left in, the column
# of classes had .92 or more if it changed the clusters, and all others had .51 or less.
_ALIKE = 0.8


def distinguishing_columns(table: Table, labels: Ints, k: int) -> list[list[Found]]:
    """Return for each cluster the columns that set it apart, the best first.

    Each has the values for which the share of rows inside the cluster exceeds the share of
    rows outside most: those above, below or between two values of a number or date, or one value of
    a category. The difference of the two shares, from 0 to 1, ranks columns of all kinds. For
    values above or below it is the Kolmogorov–Smirnov distance (Youden 1950 calls it J), for those
    between two values Kuiper's statistic. Columns whose difference is within Kuiper's critical
    value at 1 % are left out.

    Takes linear time: numbers are looked at by 256 quantiles.
    """
    rules = {"number": _ranges, "date": _ranges, "category": _shares}
    # of each cluster, with the values of the column, and what these are shown as
    traits: list[list[tuple[Found, Any, str | None]]] = [[] for _ in range(k)]
    for column, values in columns_of(table):
        if column.kind in rules:
            least = _least(values, column.kind, labels, k)
            for cluster, trait in rules[column.kind](column, values, labels, k):
                if column.told:  # it may be labels
                    trait["words"] = ""  # so that no cluster is named after it
                if trait["inside"] - trait["outside"] >= least[cluster]:
                    traits[cluster].append((trait, values, column.shown_as))
    _tell_answers_apart([trait for trait, *_ in chain.from_iterable(traits) if trait["words"]])
    return [_best(found, labels == cluster) for cluster, found in enumerate(traits)]


def _tell_answers_apart(traits: list[Found]) -> None:
    """Name the column of a category that stands in several, as answers to a survey do."""
    of_categories = [trait for trait in traits if trait["kind"] == "category"]
    pairs = {(word, trait["column"]) for trait in of_categories for word, *_ in trait["shares"]}
    n_columns = Counter(word for word, _ in pairs)
    for trait in of_categories:
        if n_columns[trait["rule"].removeprefix("= ")] > 1:
            trait["words"] = _in_words(trait["column"], trait["rule"])


def _best(traits: list[tuple[Found, Any, str | None]], inside: Bools) -> list[Found]:
    """Return what tells a cluster best, the best first, numbers with quantiles."""
    best = sorted(traits, key=lambda one: one[0]["outside"] - one[0]["inside"])[:MOST_COLUMNS]
    for trait, values, shown_as in best:
        if trait["kind"] != "category":
            quantiles = [
                np.nanquantile(values[rows], _QUANTILES, method="lower")
                for rows in (inside, ~inside)
            ]
            trait["quantiles"] = [rounded(five) for five in quantiles]
            trait["medians"] = [written(five[2], shown_as) for five in quantiles]
    return [trait for trait, *_ in best]


def _least(values: Any, kind: str, labels: Ints, k: int) -> Floats:
    """Return the differences of shares that chance may explain; infinite if one is of nothing."""
    # a missing category is one of its own
    known = labels if kind == "category" else labels[pd.notna(values)]
    n = np.bincount(known, minlength=k)
    with np.errstate(divide="ignore"):
        least: Floats = _CERTAIN * np.sqrt(1 / n + 1 / (len(known) - n))
    return least


def columns_of(table: Table) -> Iterator[tuple[Column, Any]]:
    """Give the columns that were clustered, truth values as categories: each with its values."""
    frame = table.frame
    for column in table.used:
        values: Any = frame[column.name].to_numpy()
        if column.written in TRUTH:
            no, yes = TRUTH[column.written]
            words = np.where(values == 1, yes, no or "blank").astype(object)
            words[np.isnan(values)] = None
            yield replace(column, kind="category"), words
        else:
            yield column, values


def written(value: float, shown_as: str | None) -> str:
    """Write a number with the digits that matter, and dates and durations as such."""
    if shown_as == "date":
        return str(np.datetime64(round(value), "D"))
    if shown_as in DURATIONS:
        minutes, seconds = divmod(round(abs(value), 3), 60)
        hours = f"{'-' if value < 0 else ''}{minutes // 60:.0f}:{minutes % 60:02.0f}"
        if shown_as == Written.HOURS_MINUTES:
            return hours
        return f"{hours}:{seconds:02.0f}" if seconds % 1 == 0 else f"{hours}:{seconds:06.3f}"
    return f"{value:.0f}" if 1000 <= abs(value) < 1e7 else f"{value:z.3g}"


def _ranges(column: Column, values: Floats, labels: Ints, k: int) -> Iterator[tuple[int, Found]]:
    """Give, for each cluster, the range of a number in which it has most more than the others."""
    is_known = ~np.isnan(values)
    known, of_rows = values[is_known], labels[is_known]
    if not len(known):
        return
    quantiles = np.sort(known)[np.linspace(0, len(known) - 1, _N_BINS).astype(np.int64)]
    edges = np.unique(quantiles)
    m = len(edges)
    bins = np.searchsorted(edges, known, side="right") - 1
    counts = np.bincount(of_rows * m + bins, minlength=k * m).reshape(k, m)
    inside, outside = _parts(counts, counts.sum(axis=1, keepdims=True))
    # [c, i]: of the bins before i
    below = np.hstack([np.zeros((k, 1)), np.cumsum(inside - outside, axis=1)])
    below[:, -1] = 0.0
    lowest = np.minimum.accumulate(below, axis=1)
    upto = np.hstack([np.zeros((k, 1), np.int64), np.cumsum(counts, axis=1)])
    for cluster in range(k):
        first, last = _best_bins(below[cluster], lowest[cluster])
        if (first, last) == (0, 0):
            continue
        level, rule = _rule_of(edges, first, last, column.shown_as)
        if m <= 2:
            rule = f"= {written(edges[first], column.shown_as)}"
        within = upto[:, [last]] - upto[:, [first]]
        shares = [float(part[cluster, 0]) for part in _parts(within, upto[:, -1:])]
        trait = _found(column, rule, *shares)
        if column.kind == "number" and shares[0] - shares[1] < _NEARLY and m > 2:
            trait["words"] = f"{level} {with_its_end(column.name, _LONGEST_COLUMN)}"
        yield cluster, trait


def _best_bins(below: Floats, lowest: Floats) -> tuple[int, int]:
    """Return where the bins begin and end in which a cluster has most more than the others."""
    first, last = 0, int(below.argmax())
    if below.max() < -below.min():
        first, last = int(below.argmin()), len(below) - 1
    end = int((below - lowest).argmax())
    begin = int(below[: end + 1].argmin())
    if below[end] - below[begin] > below[last] - below[first] + _INTERVAL:
        return begin, end
    return first, last


def _rule_of(edges: Floats, first: int, last: int, shown_as: str | None) -> tuple[str, str]:
    """Return whether the values of some bins are low, medium or high, and the rule for them."""
    low = written(edges[first], shown_as)
    if last == len(edges):
        return "high", f"≥ {low}"
    high = written(edges[last], shown_as)
    if first == 0:
        return "low", f"< {high}"
    return "medium", f"between {low} and {high}"


def _shares(column: Column, values: Any, labels: Ints, k: int) -> Iterator[tuple[int, Found]]:
    """Give, for each cluster, the category that it has most more often than the others."""
    codes, categories = pd.factorize(np.where(pd.isna(values), "missing", values), sort=True)
    m = len(categories)
    counts = np.bincount(labels * m + codes, minlength=k * m).reshape(k, m)
    inside, outside = _parts(counts, counts.sum(axis=1, keepdims=True))
    for cluster in range(k):
        by_difference = np.argsort(outside[cluster] - inside[cluster], kind="stable")
        best, commonest = by_difference[0], np.argsort(-inside[cluster], kind="stable")
        listed = dict.fromkeys([best, *commonest[: _MOST_VALUES - 1], by_difference[-1]])
        ins, outs = inside[cluster].tolist(), outside[cluster].tolist()
        value = str(categories[best])
        trait = _found(column, f"= {value}", ins[best], outs[best])
        trait["shares"] = [[str(categories[code]), ins[code], outs[code]] for code in listed]
        if is_plain(value):
            trait["words"] = value
        yield cluster, trait


def _parts(counts: Ints, n: Ints) -> tuple[Floats, Floats]:
    """Return of counts, one row for each cluster of ``n`` (k, 1), the shares inside and outside."""
    others = counts.sum(axis=0) - counts
    return counts / np.maximum(n, 1), others / np.maximum(n.sum() - n, 1)


def _found(column: Column, rule: str, inside: float, outside: float) -> Found:
    words = _in_words(column.name, rule)
    trait = {"column": column.name, "kind": column.kind, "rule": rule, "words": words}
    return trait | {"inside": inside, "outside": outside}


def _in_words(column: str, rule: str) -> str:
    return f"{with_its_end(column, _LONGEST_COLUMN)} {clipped(rule, _LONGEST_RULE)}"


def is_plain(value: str) -> bool:
    """Tell whether a category says by itself what it is: "wool" does, "yes" or "B" do not."""
    fits = 2 < len(value) <= _LONGEST_RULE and value.isprintable()
    return fits and value[0].isalpha() and value.lower() not in _VAGUE


def distinguishing_words(table: Table, labels: Ints, k: int) -> list[list[list[Any]]]:
    """Return for each cluster its words, with the shares of texts inside and outside with them.

    They are ranked by their part of the Kullback–Leibler divergence between inside and outside
    (Tomokiyo and Hurst 2003), of shares that are never 0, among those that are in more texts inside
    beyond chance. The class-based TF-IDF of topic models ranks words that are in nearly every text,
    such as "from", above those that a reader looks for.
    """
    columns = [values for column, values in columns_of(table) if column.kind == "text"]
    if not columns:
        return [[] for _ in range(k)]
    texts = [
        with_blanks(" ".join(text for text in row if isinstance(text, str))[:_LONGEST_TEXT])
        for row in zip(*columns, strict=True)
    ]
    from sklearn.feature_extraction.text import CountVectorizer  # which takes a second to import

    some = np.unique(np.linspace(0, len(texts) - 1, min(len(texts), _MOST_TEXTS)).astype(np.int64))
    vectorizer = CountVectorizer(
        binary=True, min_df=2, max_features=20_000, token_pattern=_TELLING_WORD
    )
    try:
        has_word = vectorizer.fit_transform([texts[row] for row in some])
    except ValueError:  # no word is in two texts
        return [[] for _ in range(k)]
    words, of_rows = vectorizer.get_feature_names_out(), labels[some]
    n = np.bincount(of_rows, minlength=k)[:, None]
    counts = np.stack(
        [np.asarray(has_word[of_rows == cluster].sum(axis=0)).ravel() for cluster in range(k)]
    )
    every, n_inside, n_outside = counts.sum(axis=0), n + 1, n.sum() - n + 1
    inside, outside = (counts + 0.5) / n_inside, (every - counts + 0.5) / n_outside
    scores = inside * np.log(inside / outside)
    share = every / len(some)
    spread = np.sqrt(share * (1 - share) * (1 / n_inside + 1 / n_outside))
    shares = _parts(counts, n)
    n_texts = np.bincount(of_rows, [texts[row] != "" for row in some], minlength=k)[:, None]
    scores[
        (inside - outside < _BEYOND * spread)
        | (shares[0] <= shares[1])  # of a word in every text, the larger side has the larger share
        | (n_texts == n_texts.sum())  # there is nothing to compare with
    ] = 0
    best = np.argsort(-scores, axis=1, kind="stable")[:, :MOST_WORDS]
    return [
        [[str(words[w]), *(float(p[c, w]) for p in shares)] for w in best[c] if scores[c, w] > 0]
        for c in range(k)
    ]


def with_likely_labels(table: Table, labels: Ints) -> Table:
    """Return the table with the columns marked that alone tell nearly all clusters."""
    if len(table.columns) < _FEWEST_COLUMNS or len(labels) < _FEWEST_ROWS:
        return table
    frame, k = table.frame, int(labels.max()) + 1
    shares = {}
    for name in (column.name for column in table.used if column.kind != "picture"):
        values = frame[name]
        # a glance at some rows spares counting the values of many
        if values.head(1000).nunique() <= _MOST_DISTINCT and values.nunique() <= _MOST_DISTINCT:
            codes = pd.factorize(values)[0] + 1  # 0 where there is no value
            together = np.bincount(codes * k + labels, minlength=k * (codes.max() + 1))
            if scores_of_table(together.reshape(-1, k))[1] >= _ALIKE:
                shares[name] = clustering_accuracy(codes, labels)
    columns = [replace(column, told=shares.get(column.name, 0.0)) for column in table.every_column]
    return replace(table, every_column=columns)


def notes_on_labels(table: Table, job: Job) -> Iterator[str]:
    """Name the columns that may be labels, each with the command that clusters without it."""
    view, command = job.views[table.name], command_line()
    for column in (column for column in table.every_column if column.told):
        way = option_for("--labels-column", table.name, column.name)
        if view.labels_column is not None:
            way = option_for("--ignore", table.name, [*view.ignore, column.name])
        if command.startswith("mvcc cluster "):
            way = f"{command.removesuffix(' --fresh')} {way} --fresh"
        yield (
            f"{table.path}: the column {shown(column.name)} alone tells the cluster of"
            f" {percent(column.told)} of the rows. If it is a label, cluster without it: {way}"
        )
