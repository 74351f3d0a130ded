"""Ask Gurobi, which PCCC needs, for a model of the size that PCCC sets up here, under the license
that pip installs.

PCCC assigns rows to clusters by an integer program with one binary variable per row and cluster
considered. It is not a package and is not run here; this is only the smallest such program: every
row in exactly one cluster.
"""

from __future__ import annotations

import gurobipy
from trying import N_CLUSTERS, probe


def assignment(n_rows, n_clusters):
    """Solve the assignment of rows to clusters, without any constraint between rows."""
    model = gurobipy.Model()
    model.setParam("OutputFlag", 0)
    assigned = model.addVars(n_rows, n_clusters, vtype=gurobipy.GRB.BINARY, obj=1.0)
    model.addConstrs(assigned.sum(row, "*") == 1 for row in range(n_rows))
    model.optimize()


if __name__ == "__main__":
    print("gurobipy", ".".join(map(str, gurobipy.gurobi.version())))
    sizes = [900, 1100, 300, 200]
    probe(
        {
            f"{rows} rows, {N_CLUSTERS} clusters": lambda rows=rows: assignment(rows, N_CLUSTERS)
            for rows in sizes
        }
    )
