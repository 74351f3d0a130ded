"""Compiled kernels of PCK-Means and MPCK-Means (Eq. 1–3, §3.1): plain arrays in, plain arrays out.

``links`` are the constraints seen from every point, as (start, partner, weight): those of point i are the entries
start[i] to start[i+1], must-links with weight w and cannot-links with weight −w. ``labels`` of −1 mean "not assigned
yet". A metric is the diagonal (d,) or the whole matrix (d, d) of M_h. All sums run in the order of the indices, so
that the same input gives the same bits.
"""

from __future__ import annotations

import numpy as np
from numba import njit

from mvcc._kernels.closure import components
from mvcc._kernels.linalg import inverse_cholesky


@njit(cache=True)
def squared_distance(X, i, Z, j, metrics, h):
    """Return ‖x_i − z_j‖² under the metric of cluster h, diagonal or full.

    Rows come by number: a view of a row costs more than its distance.
    """
    total = 0.0
    if metrics.ndim == 2:
        for a in range(X.shape[1]):
            total += metrics[h, a] * (X[i, a] - Z[j, a]) ** 2
    else:
        for a in range(X.shape[1]):
            inner = 0.0
            for b in range(X.shape[1]):
                inner += metrics[h, a, b] * (X[i, b] - Z[j, b])
            total += (X[i, a] - Z[j, a]) * inner
    return total


@njit(cache=True)
def plain_squared_distance(X, i, Z, j):
    total = 0.0
    for a in range(X.shape[1]):
        total += (X[i, a] - Z[j, a]) ** 2
    return total


@njit(cache=True)
def update_centers(X, labels, centers):
    """Move every center to the mean of its points; return the sizes. Centers of empty clusters stay."""
    counts = np.zeros(len(centers), np.int64)
    sums = np.zeros_like(centers)
    for i in range(len(X)):
        h = labels[i]
        counts[h] += 1
        for a in range(X.shape[1]):
            sums[h, a] += X[i, a]
    for h in range(len(centers)):
        if counts[h] > 0:
            for a in range(X.shape[1]):
                centers[h, a] = sums[h, a] / counts[h]
    return counts


@njit(cache=True)
def relocate_empty(X, labels, centers, metrics, counts, was_empty):
    """Move the center of every empty cluster to the point farthest from its own center.

    Return whether a cluster is empty now that was not before; ``was_empty`` is brought up to date.
    """
    newly_empty = False
    taken = np.zeros(len(X), np.bool_)
    for h in range(len(centers)):
        if counts[h] > 0:
            was_empty[h] = False
            continue
        newly_empty = newly_empty or not was_empty[h]
        was_empty[h] = True
        farthest, best = 0, -1.0
        for i in range(len(X)):
            if not taken[i]:
                distance = squared_distance(X, i, centers, labels[i], metrics, labels[i])
                if distance > best:
                    farthest, best = i, distance
        taken[farthest] = True
        centers[h] = X[farthest]
    return newly_empty


@njit(cache=True)
def pck_sweep(X, centers, labels, links):
    """Assign every point in index order to the cluster that costs least, in place (Eq. 1 with M = I and f = 1)."""
    start, partner, weight = links
    cost = np.empty(len(centers))
    for i in range(len(X)):
        for h in range(len(centers)):
            cost[h] = plain_squared_distance(X, i, centers, h)
        for e in range(start[i], start[i + 1]):
            label = labels[partner[e]]
            if label >= 0:
                # a must-link spares its cluster the penalty that all others pay; a cannot-link adds its own
                cost[label] -= weight[e]
        labels[i] = np.argmin(cost)


@njit(cache=True)
def pck_objective(X, centers, labels, links):
    """Eq. 1 with identity metrics and f = 1."""
    start, partner, weight = links
    total = 0.0
    for i in range(len(X)):
        total += plain_squared_distance(X, i, centers, labels[i])
        for e in range(start[i], start[i + 1]):
            together = labels[i] == labels[partner[e]]
            if partner[e] > i and together == (weight[e] < 0):
                total += abs(weight[e])
    return total


@njit(cache=True)
def pck_fit(X, centers, labels, links, max_iter, tol):
    """Run PCK-Means from the given centers and labels, both changed in place.

    Return the objective, the number of iterations, and whether it converged.
    """
    metrics = np.ones_like(centers)
    was_empty = np.zeros(len(centers), np.bool_)
    objective = np.inf
    for iteration in range(1, max_iter + 1):
        pck_sweep(X, centers, labels, links)
        counts = update_centers(X, labels, centers)
        previous, objective = objective, pck_objective(X, centers, labels, links)
        newly_empty = relocate_empty(X, labels, centers, metrics, counts, was_empty)
        if abs(previous - objective) <= tol and not newly_empty:
            return objective, iteration, True
    return objective, max_iter, False


@njit(cache=True)
def farthest_pair(X, mean, metrics, h):
    """Return the two points farthest apart under the metric of cluster h (x', x'' of Eq. 3), not looking at all pairs.

    With r the distance to the mean (1, d), two points are at most r_i + r_j apart: only points that could still beat
    the best pair are looked at, the outermost first.
    """
    n = len(X)
    radius = np.empty(n)
    for i in range(n):
        radius[i] = np.sqrt(max(squared_distance(X, i, mean, 0, metrics, h), 0.0))
    first = np.argmax(radius)
    second, best = first, 0.0
    for _ in range(2):  # from the outermost point to the farthest from it, and on to the farthest from that
        first, best = second, -1.0
        for j in range(n):
            distance = squared_distance(X, first, X, j, metrics, h)
            if distance > best:
                second, best = j, distance
    slack = 1 - 1e-12  # the bound holds for exact numbers
    outer = np.flatnonzero(radius + radius.max() >= np.sqrt(best) * slack)
    outer = outer[np.argsort(-radius[outer])]
    for a in range(1, outer.size):
        if radius[outer[a]] + radius[outer[0]] < np.sqrt(best) * slack:
            break
        for b in range(a):
            if radius[outer[a]] + radius[outer[b]] < np.sqrt(best) * slack:
                break
            distance = squared_distance(X, outer[a], X, outer[b], metrics, h)
            if distance > best:
                first, second, best = outer[a], outer[b], distance
    return min(first, second), max(first, second)


@njit(cache=True)
def update_farthest(X, mean, metrics, shared, gaps, reach):
    """Store x' − x'' of every cluster's metric in ``gaps`` (k, d) and its squared length in ``reach`` (k,)."""
    for h in range(len(metrics)):
        if shared and h > 0:
            gaps[h], reach[h] = gaps[0], reach[0]
        else:
            i, j = farthest_pair(X, mean, metrics, h)
            gaps[h] = X[i] - X[j]
            reach[h] = squared_distance(X, i, X, j, metrics, h)


@njit(cache=True)
def mpck_sweep(X, centers, metrics, log_dets, reach, labels, links):
    """Assign every point in index order to the cluster that costs least, in place (Eq. 1–3)."""
    start, partner, weight = links
    k = len(centers)
    cost = np.empty(k)
    for i in range(len(X)):
        for h in range(k):
            cost[h] = squared_distance(X, i, centers, h, metrics, h) - log_dets[h]
        for e in range(start[i], start[i + 1]):
            j = partner[e]
            label = labels[j]
            if label < 0:
                continue
            own = squared_distance(X, i, X, j, metrics, label)
            if weight[e] > 0:
                for h in range(k):
                    if h != label:
                        cost[h] += weight[e] * 0.5 * (own + squared_distance(X, i, X, j, metrics, h))
            else:
                cost[label] -= weight[e] * (reach[label] - own)
        labels[i] = np.argmin(cost)


@njit(cache=True)
def mpck_objective(X, centers, metrics, log_dets, reach, labels, links):
    """Eq. 1."""
    start, partner, weight = links
    total = 0.0
    for i in range(len(X)):
        h = labels[i]
        total += squared_distance(X, i, centers, h, metrics, h) - log_dets[h]
        for e in range(start[i], start[i + 1]):
            j = partner[e]
            if j < i:
                continue
            own = squared_distance(X, i, X, j, metrics, h)
            if weight[e] > 0 and labels[j] != h:
                total += weight[e] * 0.5 * (own + squared_distance(X, i, X, j, metrics, labels[j]))
            elif weight[e] < 0 and labels[j] == h:
                total -= weight[e] * (reach[h] - own)
    return total


@njit(cache=True)
def _add_square(S, h, X, i, Z, j, factor):
    """Add factor · (x_i − z_j)² (diagonal) or factor · (x_i − z_j)(x_i − z_j)ᵀ (full) to the scatter of cluster h."""
    if S.ndim == 2:
        for a in range(X.shape[1]):
            S[h, a] += factor * (X[i, a] - Z[j, a]) ** 2
    else:
        for a in range(X.shape[1]):
            for b in range(X.shape[1]):
                S[h, a, b] += factor * (X[i, a] - Z[j, a]) * (X[i, b] - Z[j, b])


@njit(cache=True)
def scatters(X, centers, labels, links, gaps, metrics):
    """Return S_h of every cluster: its own spread, and what violated constraints add (the minimizer of Eq. 1)."""
    start, partner, weight = links
    S = np.zeros_like(metrics)
    origin = np.zeros((1, X.shape[1]))
    for i in range(len(X)):
        h = labels[i]
        _add_square(S, h, X, i, centers, h, 1.0)
        for e in range(start[i], start[i + 1]):
            j = partner[e]
            if weight[e] > 0 and labels[j] != h:
                _add_square(S, h, X, i, X, j, 0.5 * weight[e])
            elif weight[e] < 0 and labels[j] == h and j > i:
                _add_square(S, h, gaps, h, origin, 0, -weight[e])
                _add_square(S, h, X, i, X, j, weight[e])
    return S


@njit(cache=True)
def set_metric(S, count, noise, metric):
    """Set M = count · S⁻¹ in place and return whether anything changed.

    A diagonal entry that is not above rounding noise keeps the old weight; a matrix that is not positive definite
    keeps the old matrix as a whole.
    """
    d = noise.size
    if metric.ndim == 1:
        changed = False
        for a in range(d):
            if S[a] > count * noise[a]:
                metric[a] = count / S[a]
                changed = True
        return changed
    # a pivot that is all rounding error must not pass for positive: clusters of d points or fewer are singular
    floor = count * noise
    for a in range(d):
        floor[a] += 16 * d * np.finfo(np.float64).eps * S[a, a]
    definite, root = inverse_cholesky(S, floor)
    if not definite:
        return False
    for a in range(d):
        for b in range(d):
            total = 0.0
            for c in range(max(a, b), d):
                total += root[c, a] * root[c, b]
            metric[a, b] = count * total
    return True


@njit(cache=True)
def log_det(metric):
    """Return log det M, the sum of the logarithms of the pivots."""
    if metric.ndim == 1:
        return np.log(metric).sum()
    d = len(metric)
    rest = metric.copy()
    total = 0.0
    for a in range(d):
        total += np.log(rest[a, a])
        for b in range(a + 1, d):
            factor = rest[b, a] / rest[a, a]
            for c in range(a + 1, d):
                rest[b, c] -= factor * rest[a, c]
    return total


@njit(cache=True)
def update_metrics(S, counts, noise, shared, metrics, log_dets):
    """M-step of the metrics: M_h = n_h S_h⁻¹, or one M from the sum of all S_h (λ = 1)."""
    if shared:
        whole = np.zeros_like(S[0])
        for h in range(len(S)):
            whole += S[h]
        if set_metric(whole, counts.sum(), noise, metrics[0]):
            log_dets[:] = log_det(metrics[0])
            for h in range(1, len(metrics)):
                metrics[h] = metrics[0]
    else:
        for h in range(len(S)):
            if set_metric(S[h], counts[h], noise, metrics[h]):
                log_dets[h] = log_det(metrics[h])


@njit(cache=True)
def mpck_fit(X, centers, metrics, labels, links, shared, max_iter, tol):
    """Run MPCK-Means from the given centers, metrics and labels, all changed in place.

    Return the objective, the number of iterations, and whether it converged. The metric step moves x' and x'', so
    the objective may rise and the run may cycle; it then ends where it meets a former state again.
    """
    k, d = centers.shape
    mean = np.zeros((1, d))
    noise = np.zeros(d)
    for a in range(d):
        mean[0, a] = X[:, a].sum() / len(X)
        noise[a] = (4 * np.finfo(np.float64).eps * np.abs(X[:, a]).max()) ** 2
    apart = links[2].size > 0 and links[2].min() < 0
    gaps, reach = np.zeros((k, d)), np.zeros(k)
    if apart:
        update_farthest(X, mean, metrics, True, gaps, reach)  # all metrics are still the same
    log_dets = np.zeros(k)
    was_empty = np.zeros(k, np.bool_)
    former_labels, former_centers, former_metrics = labels.copy(), centers.copy(), metrics.copy()
    objective = np.inf
    for iteration in range(1, max_iter + 1):
        mpck_sweep(X, centers, metrics, log_dets, reach, labels, links)
        counts = update_centers(X, labels, centers)
        S = scatters(X, centers, labels, links, gaps, metrics)
        update_metrics(S, counts, noise, shared, metrics, log_dets)
        if apart:
            update_farthest(X, mean, metrics, shared, gaps, reach)
        previous, objective = objective, mpck_objective(X, centers, metrics, log_dets, reach, labels, links)
        newly_empty = relocate_empty(X, labels, centers, metrics, counts, was_empty)
        if abs(previous - objective) <= tol and not newly_empty:
            return objective, iteration, True
        # Brent's rule: hold each state against the last one kept, and keep those at powers of two
        if (labels == former_labels).all() and (centers == former_centers).all() and (metrics == former_metrics).all():
            return objective, iteration, False
        if iteration & (iteration - 1) == 0:
            former_labels[:], former_centers[:], former_metrics[:] = labels, centers, metrics
    return objective, max_iter, False


@njit(cache=True)
def nearest(X, centers, metrics, log_dets):
    """Assign points without constraints: to the cluster of least ‖x − μ_h‖² − log det M_h."""
    labels = np.empty(len(X), np.int64)
    for i in range(len(X)):
        best = np.inf
        for h in range(len(centers)):
            cost = squared_distance(X, i, centers, h, metrics, h) - log_dets[h]
            if cost < best:
                labels[i], best = h, cost
    return labels


@njit(cache=True)
def neighborhoods(n, pairs, must_link, weights):
    """Return the must-link neighbourhood of every row (−1: none), numbered by first row, and their sizes.

    A must-link of weight 0 says nothing.
    """
    links = must_link & (weights > 0)
    root = components(n, pairs[links, 0], pairs[links, 1])
    size = np.zeros(n, np.int64)
    for i in range(n):
        size[root[i]] += 1
    number = np.full(n, -1)
    member = np.full(n, -1)
    sizes = np.empty(n, np.int64)
    count = 0
    for i in range(n):
        if size[root[i]] > 1:
            if number[root[i]] < 0:
                number[root[i]] = count
                sizes[count] = size[root[i]]
                count += 1
            member[i] = number[root[i]]
    return member, sizes[:count]


@njit(cache=True)
def largest_neighborhoods(sizes, k):
    """Return the k largest neighbourhoods, the first of equal ones first."""
    left = sizes.copy()
    chosen = np.empty(min(k, len(sizes)), np.int64)
    for c in range(chosen.size):
        chosen[c] = np.argmax(left)
        left[chosen[c]] = -1
    return chosen


@njit(cache=True)
def farthest_neighborhoods(means, sizes, k):
    """Return k neighbourhoods by weighted farthest-first traversal, from the largest one on.

    The next is the one of greatest distance to the nearest chosen one, distances between means weighted by the
    root of the product of the sizes; the first of equal ones.
    """
    chosen = np.empty(min(k, len(sizes)), np.int64)
    gap = np.full(len(sizes), np.inf)
    for c in range(chosen.size):
        chosen[c] = np.argmax(sizes) if c == 0 else np.argmax(gap)
        for s in range(len(sizes)):
            distance = np.sqrt(plain_squared_distance(means, s, means, chosen[c]) * sizes[s] * sizes[chosen[c]])
            gap[s] = min(gap[s], distance)
        gap[chosen[c]] = -1.0
    return chosen


@njit(cache=True)
def neighborhood_start(X, k, pairs, must_link, weights, farthest_first):
    """Return the labels (−1: none), centers (k, d) and number of clusters that neighbourhoods start."""
    member, sizes = neighborhoods(len(X), pairs, must_link, weights)
    means = np.zeros((len(sizes), X.shape[1]))
    for i in range(len(X)):
        if member[i] >= 0:
            means[member[i]] += X[i]
    for s in range(len(sizes)):
        means[s] /= sizes[s]
    chosen = farthest_neighborhoods(means, sizes, k) if farthest_first else largest_neighborhoods(sizes, k)
    label_of = np.full(len(sizes), -1)
    centers = np.empty((k, X.shape[1]))
    for h in range(chosen.size):
        label_of[chosen[h]] = h
        centers[h] = means[chosen[h]]
    labels = np.full(len(X), -1)
    for i in range(len(X)):
        if member[i] >= 0:
            labels[i] = label_of[member[i]]
    return labels, centers, chosen.size
