"""MPCK-Means: the metric of every cluster, and the passes with it."""

from __future__ import annotations

import numpy as np

from mvcc._utils.kernels import inverse_cholesky, kernel
from mvcc.cluster._kernels.geometry import (
    copy_row,
    in_lanes,
    relocate_empty,
    squared_distance,
    take_farthest,
    update_farthest,
)
from mvcc.cluster._kernels.groups import add_spread, lift, move, tally, violations
from mvcc.cluster._kernels.pck import assign_nearest, cost_table, update_centers

_ROUNDING = 16 * np.finfo(np.float64).eps  # of a sum, as a share of what was added and subtracted


@kernel
def _add_square(S, h, X, i, Z, j, factor):
    """Add factor · (x_i − z_j)², or its outer product, to the scatter of cluster h."""
    if S.ndim == 2:
        for a in range(X.shape[1]):
            S[h, a] += factor * (X[i, a] - Z[j, a]) ** 2
    else:
        for a in range(X.shape[1]):
            for b in range(X.shape[1]):
                S[h, a, b] += factor * (X[i, a] - Z[j, a]) * (X[i, b] - Z[j, b])


@kernel
def scatters(X, centers, labels, links, gaps, metrics, broken):
    """Return S_h of every cluster, and how much of the spread of its features may be rounding."""
    # S_h is the cluster's own spread and what violated constraints add (the minimizer of Eq. 1);
    # ``broken`` holds the violations of neighborhoods, or is None. If large terms cancel, as those
    # of cannot-links do, all that is left may be rounding.
    start, partner, weight = links
    S = np.zeros_like(metrics)
    k, d = centers.shape
    cancelled = np.zeros((k, d))
    origin = np.zeros((1, d))
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
                _add_square(cancelled, h, X, i, X, j, -weight[e])
    if broken is not None:
        torn, joined, weight, magnitude = broken
        for h in range(k):
            _add_square(S, h, gaps, h, origin, 0, weight[h])
            for a in range(d):
                if metrics.ndim == 2:
                    S[h, a] += torn[h, a] - joined[h, a]
                    cancelled[h, a] += magnitude[h, a]
                else:
                    for b in range(d):
                        S[h, a, b] += torn[h, a * d + b] - joined[h, a * d + b]
                    cancelled[h, a] += magnitude[h, a * d + a]
    for h in range(k):
        for a in range(d):
            cancelled[h, a] *= _ROUNDING
    return S, cancelled


@kernel
def set_metric(S, count, floor, metric):
    """Set M = count · S⁻¹ in place and return whether anything changed."""
    # ``floor`` (d,) is what rounding may make of a feature without spread. A diagonal entry that is
    # not above it keeps the old weight; a matrix that is not positive definite stays as a whole.
    d = floor.size
    if metric.ndim == 1:
        changed = False
        for a in range(d):
            if S[a] > floor[a]:
                metric[a] = count / S[a]
                changed = True
        return changed
    definite, root = inverse_cholesky(S, floor)
    if not definite:
        return False
    # rounding must not pass for positive (clusters of d points or fewer are flat): with features
    # scaled to S_aa = 1 the trace of the inverse bounds the inverse of the smallest eigenvalue
    trace, rounding = 0.0, _ROUNDING
    for a in range(d):
        rounding = max(rounding, floor[a] / S[a, a])
        for b in range(a + 1):
            trace += root[a, b] ** 2 * S[b, b]
    if not trace * d * rounding < 1:
        return False
    for a in range(d):
        for b in range(d):
            total = 0.0
            for c in range(max(a, b), d):
                total += root[c, a] * root[c, b]
            metric[a, b] = count * total
    return True


@kernel
def log_det(metric):
    """Return log det M, the sum of the logarithms of the pivots."""
    d = len(metric)
    total = 0.0
    if metric.ndim == 1:
        for a in range(d):
            total += np.log(metric[a])
        return total
    rest = metric.copy()
    for a in range(d):
        total += np.log(rest[a, a])
        for b in range(a + 1, d):
            factor = rest[b, a] / rest[a, a]
            for c in range(a + 1, d):
                rest[b, c] -= factor * rest[a, c]
    return total


@kernel
def update_metrics(S, rounding, counts, noise, shared, metrics, log_dets):
    """Set M_h = n_h S_h⁻¹, or one M from the sum of all S_h (λ = 1), in place (the M-step)."""
    # ``rounding`` (k, d) is that of the scatters, ``noise`` (d,) that of the data, per point
    k = len(S)
    flat_S, flat_metrics = S.reshape(k, -1), metrics.reshape(k, -1)
    floor = np.empty(noise.size)
    for h in range(1 if shared else k):
        count = counts[h]
        for a in range(noise.size):
            floor[a] = rounding[h, a]
        if shared:
            for other in range(1, k):
                count += counts[other]
                for s in range(flat_S.shape[1]):
                    flat_S[0, s] += flat_S[other, s]
                for a in range(noise.size):
                    floor[a] += rounding[other, a]
        for a in range(noise.size):
            floor[a] = max(floor[a], count * noise[a])
        if set_metric(S[h], count, floor, metrics[h]):
            log_dets[h] = log_det(metrics[h])
            if shared:
                for other in range(1, k):
                    copy_row(flat_metrics, other, 0)
                    log_dets[other] = log_dets[0]


@kernel
def mpck_sweep(X, rows, table, metrics, reach, labels, links, groups, origin, own, rivals):
    """Assign constrained rows one by one to the cluster that costs least, in place (Eq. 1–3)."""
    start, partner, weight = links
    k = len(metrics)
    if groups is not None:
        moments = np.empty(own.shape[2])
    for r in range(rows.size):
        i = rows[r]
        cost = table[r]
        for e in range(start[i], start[i + 1]):
            j = partner[e]
            label = labels[j]
            if label < 0:
                continue
            own_distance = squared_distance(X, i, X, j, metrics, label)
            if weight[e] > 0:
                for h in range(k):
                    if h != label:
                        cost[h] += (
                            weight[e]
                            * 0.5
                            * (own_distance + squared_distance(X, i, X, j, metrics, h))
                        )
            else:
                cost[label] -= weight[e] * (reach[label] - own_distance)
        old = labels[i]
        if groups is not None:
            g = groups[0][i]
            if g >= 0:
                lift(X, i, origin, moments)
                _add_group_costs(
                    cost, moments, X.shape[1], metrics, reach, own[g], rivals[g], groups[3]
                )
        labels[i] = np.argmin(cost)
        if groups is not None:  # noqa: SIM102, by itself: numba leaves out what stands under it
            if g >= 0 and labels[i] != old:
                move(own, rivals, groups, g, moments, old, labels[i])


@kernel
def _add_group_costs(cost, moments, d, metrics, reach, mates, rivals, weight):
    """Add what a point pays for links to its own neighborhood and to its rivals, (k, m) each."""
    flat = metrics.reshape(len(metrics), -1)
    k, D = flat.shape
    away, near = np.zeros((k, D)), np.zeros((k, D))
    paid, whole = np.zeros(k), np.zeros(D)
    all_paid = 0.0
    for h in range(k):
        if mates[h, 0] > 0:
            add_spread(moments, mates[h], d, 1.0, away[h])
            for s in range(D):
                paid[h] += flat[h, s] * away[h, s]
        if rivals[h, 0] > 0:
            add_spread(moments, rivals[h], d, 1.0, near[h])
        all_paid += paid[h]
        for s in range(D):
            whole[s] += away[h, s]
    for h in range(k):
        elsewhere = close = 0.0
        for s in range(D):
            elsewhere += flat[h, s] * (whole[s] - away[h, s])
            close += flat[h, s] * near[h, s]
        cost[h] += weight * 0.5 * (all_paid - paid[h] + elsewhere)
        cost[h] += weight * (rivals[h, 0] * reach[h] - close)


@kernel
def mpck_objective(X, centers, metrics, log_dets, reach, labels, links, broken):
    """Eq. 1; ``broken`` holds the violations of neighborhoods, or is None."""
    start, partner, weight = links
    total = 0.0
    for i in range(len(X)):
        h = labels[i]
        total += squared_distance(X, i, centers, h, metrics, h) - log_dets[h]
        for e in range(start[i], start[i + 1]):
            j = partner[e]
            together = labels[j] == h
            if j < i or together == (weight[e] > 0):
                continue
            gap = squared_distance(X, i, X, j, metrics, h)
            if together:
                total -= weight[e] * (reach[h] - gap)
            else:
                total += weight[e] * 0.5 * (gap + squared_distance(X, i, X, j, metrics, labels[j]))
    if broken is not None:
        torn, joined, joined_weight, _ = broken
        flat = metrics.reshape(len(metrics), -1)
        for h in range(len(centers)):
            part = 0.0
            for s in range(flat.shape[1]):
                part += (torn[h, s] - joined[h, s]) * flat[h, s]
            total += part + joined_weight[h] * reach[h]
    return total


@kernel
def _location(X):
    """Return the mean of the rows (1, d), what rounding may add to a squared feature (d,), and the
    mean after a second pass (d,): a constant feature has just its value as mean.
    """
    n, d = X.shape
    mean, noise, refined = np.zeros((1, d)), np.zeros(d), np.zeros(d)
    for i in range(n):
        for a in range(d):
            mean[0, a] += X[i, a]
            noise[a] = max(noise[a], abs(X[i, a]))
    for a in range(d):
        mean[0, a] /= n
        noise[a] = (4 * np.finfo(np.float64).eps * noise[a]) ** 2
    for i in range(n):
        for a in range(d):
            refined[a] += X[i, a] - mean[0, a]
    for a in range(d):
        refined[a] = mean[0, a] + refined[a] / n
    return mean, noise, refined


@kernel
def mpck_fit(X, centers, metrics, labels, bound, free, links, groups, shared, max_iter, tol):
    """Run MPCK-Means from the given centers, metrics and labels, all changed in place."""
    # Rows are ``bound`` by constraints or ``free``. Return the objective, the number of iterations,
    # and whether it converged. The metric step moves x' and x'', so the objective may rise and the
    # run may cycle; it then ends where it meets a former state again.
    k, d = centers.shape
    flat = metrics.reshape(k, -1)
    mean, noise, origin = _location(X)
    apart = False
    for signed in links[2]:
        apart = apart or signed < 0
    own = rivals = broken = None
    if groups is not None:
        apart = apart or groups[2].size > 0
        n_moments = 1 + d + flat.shape[1]
        own, rivals = tally(X, origin, labels, groups, k, n_moments)
    known, gaps, reach = np.full(flat.shape, np.nan), np.zeros((k, d)), np.zeros(k)
    lanes = in_lanes(X, np.arange(len(X) if apart else 0))
    if apart:
        # all metrics are still the same
        update_farthest(X, lanes, mean, metrics, True, known, gaps, reach)
    log_dets = np.zeros(k)
    donor = np.full(k, -1)
    former_labels, former_centers, former_metrics = labels.copy(), centers.copy(), flat.copy()
    objective = np.inf
    for iteration in range(1, max_iter + 1):
        assign_nearest(X, free, centers, metrics, log_dets, labels)
        table = cost_table(X, bound, centers, metrics, log_dets)
        mpck_sweep(X, bound, table, metrics, reach, labels, links, groups, origin, own, rivals)
        counts = update_centers(X, labels, centers)
        # what moves have added up anew, so that the same labels give the same bits
        if groups is not None:
            own, rivals = tally(X, origin, labels, groups, k, n_moments)
            broken = violations(own, rivals, groups, d)
        S, rounding = scatters(X, centers, labels, links, gaps, metrics, broken)
        update_metrics(S, rounding, counts, noise, shared, metrics, log_dets)
        if apart:
            update_farthest(X, lanes, mean, metrics, shared, known, gaps, reach)
        previous = objective
        objective = mpck_objective(X, centers, metrics, log_dets, reach, labels, links, broken)
        newly_empty = relocate_empty(X, labels, centers, metrics, counts, donor)
        for h in range(k):
            if donor[h] >= 0:  # with a metric of another scale it could never win its point
                copy_row(flat, h, donor[h])
                log_dets[h] = log_dets[donor[h]]
                take_farthest(known, gaps, reach, h, donor[h])
        if abs(previous - objective) <= tol and not newly_empty:
            return objective, iteration, True
        # Brent's rule: hold each state against the last one kept, and keep those at powers of two
        if (
            iteration > 1
            and np.array_equal(labels, former_labels)
            and np.array_equal(centers, former_centers)
            and np.array_equal(flat, former_metrics)
        ):
            return objective, iteration, False
        if iteration & (iteration - 1) == 0:
            former_labels, former_centers = labels.copy(), centers.copy()
            former_metrics = flat.copy()
    return objective, max_iter, False
