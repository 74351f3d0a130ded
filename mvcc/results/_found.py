"""What a clustering found, in one sentence for the terminal and the report."""

from __future__ import annotations

from mvcc._utils.messages import counted, percent
from mvcc.results._schema import Clustering, Relation


def found_in_words(clustering: Clustering) -> str:
    """Say in one sentence what was found: how many clusters, and whether matched rows agree."""
    rows = " and ".join(f"{view.name} ({counted(view.n_rows, 'row')})" for view in clustering.views)
    agreements = [_agreement(clustering, one) for one in clustering.relations]
    parts = [f"{counted(len(clustering.clusters), 'cluster')} in {rows}", *filter(None, agreements)]
    return f"{'; '.join(parts)}."


def _agreement(clustering: Clustering, relation: Relation) -> str:
    """Say how many matched rows share their cluster, if the method lets them differ."""
    if relation.agreement is not None:
        n, shared, cut, chance = len(relation.pairs), relation.agreement, "", relation.by_chance
    elif relation.held_out is not None:
        held_out = relation.held_out
        n, shared, chance = held_out.n, held_out.agreement, held_out.by_chance
        cut = " even without their match"
    else:
        return ""
    of_which = ""
    if len(clustering.views) > 2:
        names = " and ".join(clustering.views[number].name for number in relation.views)
        of_which = f" of {names}"
    return (
        f"{percent(shared)} of {n} matched rows{of_which} share their cluster{cut} "
        f"({percent(chance)} by chance)"
    )
