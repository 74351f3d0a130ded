"""Compiled kernels of the E-step: moments, reach, the (max, ×) product of Eq. 10."""

from __future__ import annotations

import numpy as np

from mvcc._utils.kernels import kernel


@kernel
def cluster_moments(X, labels, k):
    """Return sizes, means and maximum-likelihood covariances of the clusters (Eq. 4 without γ)."""
    n, d = X.shape
    sizes = np.zeros(k, np.int64)
    means = np.zeros((k, d))
    covariances = np.zeros((k, d, d))
    for i in range(n):
        sizes[labels[i]] += 1
        for a in range(d):
            means[labels[i], a] += X[i, a]
    for h in range(k):
        if sizes[h] > 0:
            for a in range(d):
                means[h, a] /= sizes[h]
    gap = np.empty(d)
    for i in range(n):
        h = labels[i]
        for a in range(d):
            gap[a] = X[i, a] - means[h, a]
        for a in range(d):
            for b in range(a + 1):
                covariances[h, a, b] += gap[a] * gap[b]
    for h in range(k):
        for a in range(d):
            for b in range(a + 1):
                covariances[h, a, b] /= max(sizes[h], 1)
                covariances[h, b, a] = covariances[h, a, b]
    return sizes, means, covariances


@kernel
def squared_mahalanobis(X, i, Z, j, whiteners, h, limit):
    """Return ‖W_h(x_i − z_j)‖², or a partial sum of it once that is above ``limit`` (Eq. 18)."""
    # rows come by number: a view of a row costs more than its distance
    total = 0.0
    for a in range(X.shape[1]):
        part = 0.0
        for b in range(a + 1):
            part += whiteners[h, a, b] * (X[i, b] - Z[j, b])
        total += part * part
        if total > limit:
            break
    return total


@kernel
def memberships(X, rows, labels, means, whiteners):
    """Return G_c(x) of Eq. 7 for the given rows, c being the row's own cluster."""
    G = np.empty(rows.size)
    for r in range(rows.size):
        h = labels[rows[r]]
        G[r] = np.exp(-0.5 * squared_mahalanobis(X, rows[r], means, h, whiteners, h, np.inf))
    return G


@kernel
def endpoint_reach(X, candidates, endpoints, labels, whiteners, G, cut, near_start, near):
    """Evaluate Eq. 15 for every endpoint and the candidates within its cut (Eq. 17–18)."""
    # ``cut`` is 2 ln(w_u / t), which bounds the squared distance divided by ``G``. At distance 0
    # the value is 1, even where G has underflowed to 0. ``near[near_start[u] : near_start[u + 1]]``
    # are the numbers of the candidates that endpoint u may reach, ascending. Return a sparse matrix
    # (start, number of the candidate, value), a row per endpoint.
    start = np.zeros(endpoints.size + 1, np.int64)
    reached = np.empty(near.size, np.int64)
    value = np.empty(near.size)
    total = 0
    for u in range(endpoints.size):
        row = endpoints[u]
        limit = cut[u] * G[u]
        for entry in range(near_start[u], near_start[u + 1]):
            distance = squared_mahalanobis(
                X, candidates[near[entry]], X, row, whiteners, labels[row], limit
            )
            if distance > limit:
                continue
            reached[total] = near[entry]
            value[total] = 1.0 if distance == 0 else np.exp(-0.5 * distance / G[u])
            total += 1
        start[u + 1] = total
    return start, reached[:total].copy(), value[:total].copy()


@kernel
def _sort(numbers, n):
    """Sort the first n numbers in place (Shell's sort; that of numba takes a second to compile)."""
    gap = 1
    while gap < n // 3:
        gap = 3 * gap + 1
    while gap > 0:
        for p in range(gap, n):
            number, position = numbers[p], p
            while position >= gap and numbers[position - gap] > number:
                numbers[position] = numbers[position - gap]
                position -= gap
            numbers[position] = number
        gap //= 3


@kernel
def max_product(left, right, n_columns, threshold, upper, first_row):
    """Multiply sparse matrices (start, column, value) in the (max, ×) semiring, if ≥ threshold."""
    # With ``upper`` only entries right of the diagonal, the rows being counted from ``first_row``;
    # the columns of each row of ``right`` must then ascend. Those of the product do.
    left_start, left_column, left_value = left
    right_start, right_column, right_value = right
    n_rows = left_start.size - 1
    start = np.zeros(n_rows + 1, np.int64)
    column = np.empty(1024, np.int64)
    value = np.empty(1024)
    best = np.zeros(n_columns)
    touched = np.empty(n_columns, np.int64)
    count = 0
    for r in range(n_rows):
        n_touched = 0
        for e in range(left_start[r], left_start[r + 1]):
            for f in range(
                right_start[left_column[e] + 1] - 1, right_start[left_column[e]] - 1, -1
            ):
                c = right_column[f]
                if upper and c <= first_row + r:
                    break
                product = left_value[e] * right_value[f]
                if product >= threshold:
                    if best[c] == 0.0:
                        touched[n_touched] = c
                        n_touched += 1
                    best[c] = max(best[c], product)
        while count + n_touched > column.size:
            column, value = np.append(column, column), np.append(value, value)  # for room
        if n_touched > n_columns // 16:
            n_touched = 0
            for c in range(n_columns):
                if best[c] > 0.0:
                    touched[n_touched] = c
                    n_touched += 1
        else:
            _sort(touched, n_touched)
        for p in range(n_touched):
            c = touched[p]
            column[count], value[count] = c, best[c]
            best[c] = 0.0
            count += 1
        start[r + 1] = count
    return start, column[:count].copy(), value[:count].copy()
