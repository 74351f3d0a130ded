"""The model that is written can be loaded anywhere and gives new rows their clusters, numbered as
in the tables.
"""

import json
import subprocess
import sys

import numpy as np
import pandas as pd
import pytest
from sklearn.metrics import adjusted_rand_score

from mvcc import load_model
from mvcc.exceptions import InvalidInputError
from tests.tables.problems import by_co_em, cluster, read_csv, with_values, write_problem


@pytest.fixture(scope="module", params=["auto", "spectral", "pca", "none"])
def saved(request, tmp_path_factory):
    folder = tmp_path_factory.mktemp(request.param)
    # without constraints a row is always nearest to its own cluster
    options = write_problem(folder, n=40, judged=())
    if request.param == "auto":
        options = with_values(options, features="auto")
    else:
        options = by_co_em(options, features=request.param, base="pck-means")
    cluster(options, folder / "out")
    return folder


def test_rows_that_were_clustered_get_their_clusters_again(saved):
    model = load_model(saved / "out")
    assert model.names == ["view0", "view1"]
    for name in model.names:
        expected = [int(row["cluster"]) for row in read_csv(saved / "out" / name / "labels.csv")]
        table = pd.read_csv(saved / f"{name}.csv")
        assert model.predict(table, view=name).tolist() == expected
        assert model.predict(table[["z", "kind", "y", "id", "x"]], view=name).tolist() == expected
        assert model.predict(table[["x", "y", "z"]].to_numpy(), view=name).tolist() == expected
        assert (
            model.predict(table[["x", "y", "z"]].to_numpy()[:1], view=name).tolist() == expected[:1]
        )


@pytest.mark.slow
@pytest.mark.parametrize("saved", ["auto", "spectral"], indirect=True)
def test_a_fresh_process_loads_it(saved):
    program = """if True:
        import json, pandas as pd, mvcc
        print(json.dumps(mvcc.load_model("out").predict(pd.read_csv("view1.csv"), view="view1").tolist()))
    """
    done = subprocess.run(
        [sys.executable, "-c", program], cwd=saved, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout) == [
        int(row["cluster"]) for row in read_csv(saved / "out/view1/labels.csv")
    ]


@pytest.mark.parametrize(
    ("X", "view", "message"),
    [
        (np.zeros((2, 3)), "view2", r"there is no view 'view2'; did you mean 'view\d'\?"),
        (np.zeros((2, 3)), 0, r"there is no view 0"),
        (np.zeros((2, 2)), "view0", r"X has 2 columns; view0 was clustered by 3"),
        (np.full((2, 3), np.nan), "view0", r"X"),
        (pd.DataFrame({"x": [1.0], "z": [2.0]}), "view0", r"X has no column 'y'"),
        (pd.DataFrame({"x": ["a"], "y": ["b"], "z": ["c"]}), "view0", r"X"),
        (None, "view0", r"X"),
    ],
    ids=range(7),
)
def test_rows_that_do_not_fit_are_refused(saved, X, view, message):
    with pytest.raises(InvalidInputError, match=message):
        load_model(saved / "out").predict(X, view=view)


@pytest.mark.parametrize("base", ["pck-means", "mpck-means", None])
def test_new_rows_get_clusters_as_true_as_those_that_were_clustered(tmp_path, base):
    options = write_problem(tmp_path, n=90, n_judged=20)
    cluster(options if base is None else by_co_em(options, base=base), tmp_path / "out")
    model = load_model(tmp_path / "out")
    rng = np.random.default_rng(0)
    for name in model.names:
        table = pd.read_csv(tmp_path / f"{name}.csv")
        of_rows = [int(row["cluster"]) for row in read_csv(tmp_path / "out" / name / "labels.csv")]
        centers = table.groupby("kind")[["x", "y", "z"]].mean()
        kinds = rng.integers(len(centers), size=200)
        new = pd.DataFrame(
            centers.to_numpy()[kinds] + rng.normal(size=(200, 3)), columns=["x", "y", "z"]
        )
        of_new = adjusted_rand_score(kinds, model.predict(new, view=name))
        assert of_new > max(0.8, adjusted_rand_score(table["kind"], of_rows) - 0.1)


def test_a_row_far_from_all_gets_the_cluster_of_the_nearest_under_spectral_features(tmp_path):
    cluster(by_co_em(write_problem(tmp_path, judged=()), base="pck-means"), tmp_path / "out")
    model = load_model(tmp_path / "out")
    table = pd.read_csv(tmp_path / "view0.csv")
    most = table["x"].argmax()
    expected = int(read_csv(tmp_path / "out/view0/labels.csv")[most]["cluster"])
    far = table.loc[[most], ["x", "y", "z"]] + [1e6, 0, 0]
    assert model.predict(far, view="view0").tolist() == [expected]


def test_spectral_features_of_eigenvalues_near_0_say_what_to_change(tmp_path):
    options = by_co_em(write_problem(tmp_path), n_components=12)
    pd.read_csv(tmp_path / "view0.csv").drop(columns=["y", "z"]).to_csv(
        tmp_path / "view0.csv", index=False
    )
    cluster(options, tmp_path / "out")
    model = load_model(tmp_path / "out")
    message = r"eigenvalue .* too near to 0 .* n_components of at most \d+"
    with pytest.raises(InvalidInputError, match=message):
        model.predict(np.zeros((2, 1)), view="view0")
    assert model.predict(np.zeros((2, 3)), view="view1").shape == (2,)
