"""Which objects are asked, by how much an answer tells about others in the joint graph."""

from __future__ import annotations

import numpy as np
from scipy.linalg.lapack import dpotrf, dpotri
from sklearn.cluster import MiniBatchKMeans

from mvcc._utils.arrays import Bools, Floats, Ints
from mvcc.embedding import AnchorGraph, JointGraph
from mvcc.multiview.joint._spreading import SPREADING
from mvcc.multiview.questions._group_links import GroupLinks
from mvcc.multiview.questions._history import FEWEST_MEMBERS, MANY_ANSWERS, AnswerHistory
from mvcc.multiview.questions._objects import Group, NamedObjects, Neighbor, Offer, Question

MOST_DENSE_OBJECTS = 5_000
N_EIGENPAIRS = 100  # of larger graphs
N_CANDIDATES = 1_000  # objects of larger graphs that may be asked
MOST_SUMMED = 10_000  # objects of larger graphs that sums are over
_ANSWERS_PER_POWER, _LARGEST_POWER = 40, 5  # of the uncertainty
_BLOCK_ENTRIES = 2**16  # that stay in the cache while they are worked on
_EXEMPLARS = 2
_SOUGHT = 10  # answers after which no matched member of a group is sought any longer
_RUNNER_UP = 0.5  # of the likeliest group: an object is undecided if the next group is so likely
# share of the evidence for another group: with less for its own, an answer is looked at again
_DOUBT, _DOUBT_OF_MANY = 0.2, 0.4  # the latter of many answers, of which each tells less
_LONELY = 20  # answers after which a group of one member is looked at again
_FEWEST_ROWS = 1 / 3  # of the mean over all groups


class Kernel:
    """K = (I − 0.95 S)⁻¹ of the normalized affinities S; C is K with a diagonal of ones.

    Up to 5,000 objects K is exact; of more it is I plus what the leading eigenpairs of S add, and C
    is the products of `features` (n, r), but for the diagonal. `roots` (n,) are those of the
    diagonal of K.
    """

    def __init__(self, graph: JointGraph | AnchorGraph) -> None:
        self.features: Floats | None = None
        if graph.n_objects > MOST_DENSE_OBJECTS:
            found = graph.components(N_EIGENPAIRS)
            values = np.clip(SPREADING * found.values, 0, SPREADING)
            factor = found.vectors[:] * np.sqrt(values / (1 - values))
            self.roots = np.sqrt(1 + np.einsum("ij,ij->i", factor, factor))
            self.features = factor / self.roots[:, None]
            return
        assert isinstance(graph, JointGraph)  # others have more objects
        system = -SPREADING * graph.normalized_affinities.toarray(order="F")
        system[np.diag_indices_from(system)] += 1
        half = np.tril(
            dpotri(dpotrf(system, lower=True, overwrite_a=True)[0], lower=True, overwrite_c=True)[0]
        )
        inverse = half + np.tril(half, -1).T
        self.roots = np.sqrt(inverse.diagonal())
        self.dense: Floats = inverse / self.roots / self.roots[:, None]

    def near(self, rows: Ints, columns: Ints) -> Floats:
        """Return C of some objects and others: how much an answer tells, 0 … 1."""
        if self.features is None:
            return self.dense[np.ix_(rows, columns)]
        products = self.features[rows] @ self.features[columns].T
        products[rows[:, None] == columns] = 1.0
        return np.maximum(products, 0)

    def weights(self, rows: Ints, columns: Ints) -> Floats:
        """Return K of some objects and others."""
        near = self.near(rows, columns)
        near *= self.roots[rows, None]
        near *= self.roots[columns]
        return near

    def sums(self, rows: Ints, groups: list[Ints], *, others_only: bool = False) -> Floats:
        """Return the sums of K over the members of every group, or over the others only."""
        first, members = np.cumsum([0, *map(len, groups[:-1])]), np.concatenate(groups)
        weights = self.weights(rows, members)
        if others_only:
            weights[rows[:, None] == members] = 0
        sums: Floats = np.add.reduceat(weights, first, axis=1)
        return sums


class Coverage:
    """The objects that may be asked about, and how much that is unknown each would tell.

    `candidates` are all objects, or medoids of large graphs, matched ones where there are any
    nearby; `n_rows` (n, n_views) are the rows of every object, and `rng` draws what large graphs
    are summed over.
    """

    def __init__(
        self, graph: JointGraph | AnchorGraph, n_rows: Ints, rng: np.random.Generator
    ) -> None:
        self.kernel, n = Kernel(graph), graph.n_objects
        if self.kernel.features is None:
            self.candidates = self._summed = np.arange(n)
            share, self._near = np.ones(n), self.kernel.dense
        else:
            self.candidates = _medoids(self.kernel.features, n_rows.sum(axis=1) > 1, rng)
            others = np.setdiff1d(np.arange(n), self.candidates)
            drawn = rng.choice(others, min(MOST_SUMMED, len(others)), replace=False)
            self._summed = np.concatenate((self.candidates, np.sort(drawn)))
            shares = [1.0, len(others) / len(drawn)]
            share = np.repeat(shares, [len(self.candidates), len(drawn)])
            self._near = self.kernel.near(self.candidates, self._summed)
        self._rows = n_rows[self._summed] * share[:, None]
        self._cover, self._covering = np.zeros(len(self._summed)), np.empty(0, np.int64)

    def choose(self, n: int, groups: list[Ints], answered: Ints, preferred: Bools) -> list[int]:
        """Return up to n objects that tell most, each chosen as if those before were answered.

        Objects may be `answered` without a group. Candidates that are `preferred` are chosen before
        the others.
        """
        unsure, cover = self._uncertainty(groups), self.cover(answered).copy()
        weights = unsure * self._rows.sum(axis=1)
        left = ~np.isin(self.candidates, answered)
        chosen: list[int] = []
        while len(chosen) < n and left.any():
            gains = unsure[: len(self.candidates)] * self._gained(cover, weights)
            allowed = left & (preferred | ~(left & preferred).any())
            place = int(np.where(allowed, gains, -1.0).argmax())
            left[place] = False
            np.maximum(cover, self._near[place], out=cover)
            chosen.append(int(self.candidates[place]))
        return chosen

    def speaks_for(self, one: int, answered: Ints) -> Floats:
        """Return how many rows of every view only an answer about this object tells about."""
        near = self.kernel.near(self._summed, np.array([one]))[:, 0]
        rows: Floats = np.maximum(near - self.cover(answered), 0) @ self._rows
        return rows

    def nearest_of(self, groups: list[Ints]) -> tuple[Ints, Floats]:
        """Return the likeliest group of every object summed over, and the rows it stands for."""
        likeness = self.kernel.sums(self._summed, groups) / np.sqrt([len(own) for own in groups])
        return likeness.argmax(axis=1), self._rows.sum(axis=1)

    def cover(self, answered: Ints) -> Floats:
        """Return how far answers cover every object that is summed over."""
        known = len(self._covering)
        if not np.array_equal(answered[:known], self._covering):
            self._cover, known = np.zeros(len(self._summed)), 0
        if len(answered) > known:
            near = self.kernel.near(self._summed, answered[known:])
            self._cover = np.maximum(self._cover, near.max(axis=1))
        self._covering = answered
        return self._cover

    def _uncertainty(self, groups: list[Ints]) -> Floats:
        """Return (1 − (largest − second largest share of a group))ᵖ of all objects summed over.

        First answers are to cover the graph, later ones to draw borders: p grows with their number.
        """
        if len(groups) < 2:
            return np.ones(len(self._summed))
        shares = self.kernel.sums(self._summed, groups)
        shares /= np.maximum(shares.sum(axis=0), 1e-300)
        shares /= np.maximum(shares.sum(axis=1, keepdims=True), 1e-300)
        largest = np.partition(shares, -2, axis=1)[:, -2:]
        unsure: Floats = 1 - (largest[:, 1] - largest[:, 0])
        unsure **= min(_LARGEST_POWER, 1 + sum(map(len, groups)) / _ANSWERS_PER_POWER)
        return unsure

    def _gained(self, cover: Floats, weights: Floats) -> Floats:
        """Return Σ_y weight_y max(0, C_xy − cover_y) of every candidate x."""
        gained = np.empty(len(self._near))
        size = max(1, _BLOCK_ENTRIES // len(cover))
        buffer = np.empty((size, len(cover)))
        for first in range(0, len(gained), size):
            block = self._near[first : first + size]
            rest = np.subtract(block, cover, out=buffer[: len(block)])
            gained[first : first + size] = np.maximum(rest, 0, out=rest) @ weights
        return gained


def _medoids(features: Floats, matched: Bools, rng: np.random.Generator) -> Ints:
    """Return the object nearest to the center of each small cluster, a matched one if any."""
    cells = MiniBatchKMeans(
        N_CANDIDATES,
        n_init=1,
        batch_size=4096,
        max_iter=5,
        init="random",
        random_state=int(rng.integers(2**31)),
    )
    cell = cells.fit_predict(features)
    nearness = np.einsum("ij,ij->i", features, cells.cluster_centers_[cell])
    order = np.lexsort((-nearness, ~matched, cell))
    medoids: Ints = np.sort(order[np.unique(cell[order], return_index=True)[1]])
    return medoids


class Chooser:
    """Choose objects to ask about by the answers so far, and make the questions."""

    def __init__(self, objects: NamedObjects, coverage: Coverage) -> None:
        self._objects, self._coverage = objects, coverage
        self._history = AnswerHistory()
        self._matched = (objects.n_rows > 0).sum(axis=1) > 1

    @property
    def groups(self) -> list[Group]:
        """All groups, in the order in which they were opened."""
        names, id = self._history.names, self._objects.id
        return [
            Group(number, names[number], tuple(map(id, own.tolist())))
            for number, own in self._history.members().items()
        ]

    def _next(self, n: int, later: Ints) -> list[int]:
        """Return up to n objects: first those that connect groups with other views.

        Objects that are to come later are chosen only if no others are left.
        """
        asked = self._history.asked()
        bridges = self._bridges()[:n]
        candidates = self._coverage.candidates
        preferred = ~np.isin(candidates, later)
        if bridges and (preferred & self._matched[candidates]).any():
            preferred &= self._matched[candidates]
        chosen = self._coverage.choose(
            n - len(bridges),
            list(self._history.members().values()),
            np.concatenate((asked, np.array(bridges, dtype=np.int64))),
            preferred,
        )
        return bridges + chosen

    def _question(self, one: int) -> Question:
        """Return the question about an object."""
        likeness = self._likeness(one)
        groups = {group.number: group for group in self.groups}
        members, asked = self._history.members(), self._history.asked()
        offers = []
        for number, _ in likeness:
            exemplars = self._exemplars(one, members[number])
            offers.append(Offer(groups[number], tuple(map(self._objects.rows, exemplars))))
        undecided: tuple[str, ...] = ()
        if len(offers) > 1 and likeness[1][1] > _RUNNER_UP * likeness[0][1]:
            undecided = offers[0].group.name, offers[1].group.name
        n_rows = self._coverage.speaks_for(one, asked[asked != one])
        return Question(
            self._objects.id(one),
            self._objects.rows(one),
            tuple(offers),
            tuple(map(round, n_rows.tolist())),
            undecided,
        )

    def _likeness(self, one: int) -> list[tuple[int, float]]:
        """Return how like every group an object is, the likeliest first."""
        members = self._history.members()
        if not members:
            return []
        sums = self._coverage.kernel.sums(np.array([one]), list(members.values()))[0]
        likeness = sums / np.sqrt([len(own) for own in members.values()])
        numbers = list(members)
        order = np.argsort(-likeness, kind="stable").tolist()
        return [(numbers[place], float(likeness[place])) for place in order]

    def _neighbor(self, row: int, one: int) -> Neighbor:
        history = self._history
        group = history.said(one) or ""
        if not group and history.names:
            group = history.names[self._likeness(one)[0][0]]
        return Neighbor(row, group, one in history.answers)

    def _links(self) -> GroupLinks:
        """Return what constraints can say of the groups."""
        rows = {one: self._objects.rows(one) for one in self._history.answers}
        return GroupLinks(self._history, rows, self._objects.n_rows.shape[1])

    def _bridges(self) -> list[int]:
        """Return the nearest object that connects each group with a view its members lack."""
        links, asked = self._links(), self._history.asked()
        all_views = set(range(self._objects.n_rows.shape[1]))
        bridges: list[int] = []
        for number, own in self._history.members().items():
            seen = links.views_of(number)
            if len(asked) - self._history.opened_at[number] > _SOUGHT:
                continue
            here, there = self._have_rows(seen), self._have_rows(all_views - seen)
            taken = np.concatenate((asked, np.array(bridges, np.int64)))
            left = np.setdiff1d(np.flatnonzero(here & there), taken)
            if len(left):
                near = self._coverage.kernel.near(left, own).max(axis=1)
                bridges.append(int(left[near.argmax()]))
        return bridges

    def _have_rows(self, views: set[int]) -> Bools:
        """Tell for every object whether it has a row in one of some views."""
        return np.asarray(self._objects.n_rows[:, list(views)].any(axis=1))

    def _exemplars(self, one: int, members: Ints) -> list[int]:
        """Return members most like an object, first those in a view of the object, then matched."""
        near = self._coverage.kernel.near(np.array([one]), members)[0]
        n_rows = self._objects.n_rows
        shared = (n_rows[members][:, n_rows[one] > 0] > 0).any(axis=1)
        order = np.lexsort((-near, ~self._matched[members], ~shared, members == one))
        exemplars: list[int] = members[order[:_EXEMPLARS]].tolist()
        return exemplars

    def _contradicted(self) -> list[tuple[int, int]]:
        """Return the objects to look at again, each with the group that what is near says.

        That group is 0 for an object that has long been alone in its group.
        """
        history = self._history
        members = history.members()
        numbers = list(members)
        says = history.answers.items()
        grouped = [(one, numbers.index(group)) for one, group in says if isinstance(group, int)]
        if not grouped:
            return []
        objects, groups = np.array(grouped).T
        sizes = np.array([len(own) for own in members.values()])
        # members but for the object itself
        others = sizes - (groups[:, None] == np.arange(len(numbers)))
        sums = self._coverage.kernel.sums(objects, list(members.values()), others_only=True)
        likeness = sums / np.sqrt(np.maximum(others, 1))
        looks, doubt = [], _DOUBT
        if len(history.answers) >= MANY_ANSWERS:
            doubt = _DOUBT_OF_MANY
        for (one, group), n_others, like in zip(grouped, others, likeness, strict=True):
            if one in history.looked_at:
                continue
            nearest = int(like.argmax())
            n_since_opened = len(history.answers) - history.opened_at[numbers[group]]
            if n_others[group] == 0 and n_since_opened > _LONELY:
                looks.append((one, 0))
            elif n_others[group] > 0 and like[group] < doubt * like[nearest]:
                looks.append((one, numbers[nearest]))
        return looks

    def _counted(self) -> list[int]:
        """Return the groups that count as clusters.

        After many answers, small groups count only if they are nearest to many rows.
        """
        members = self._history.members()
        if len(self._history.answers) < MANY_ANSWERS or not members:
            return list(members)
        places, weights = self._coverage.nearest_of(list(members.values()))
        rows = np.bincount(places, weights, minlength=len(members))
        least = _FEWEST_ROWS * weights.sum() / len(members)
        return [
            number
            for (number, own), near in zip(members.items(), rows, strict=True)
            if len(own) >= FEWEST_MEMBERS or near >= least
        ]
