"""Results of methods that the paper does not have change nothing in what is said of its claims."""

from __future__ import annotations

import pandas as pd
import pytest

from mvcc.reporting.claims import to_json
from mvcc.reporting.claims._scorecard import evaluate


@pytest.mark.slow
def test_no_claim_is_about_them(world, testify):
    mapped = world[world["method"] == "direct-mapping"]
    others = [
        mapped.assign(method=name, f_measure=f) for name, f in (("zebra", 0.999), ("ape", 0.001))
    ]
    assert to_json(evaluate(testify(pd.concat([world, *others], ignore_index=True)))) == to_json(
        evaluate(testify(world))
    )
