"""The public names, signatures and docstrings are a contract with those who call them."""

from __future__ import annotations

import inspect
import re
import subprocess
import sys
from ast import literal_eval
from pathlib import Path

import pytest
from numpydoc.docscrape import NumpyDocString
from numpydoc.validate import validate

import mvcc

SIGNATURES = """\
PCKMeans(n_clusters=8, *, init='auto', n_init='auto', max_iter=300, tol=1e-06, random_state=None)
MPCKMeans(n_clusters=8, *, metric='diagonal', shared_metric=False, init='auto', n_init='auto', \
max_iter=300, tol=1e-06, random_state=None)
MultiViewConstrainedClustering(base, transfer=None, *, closure='full', max_iter=20, tol=1e-06, \
random_state=None)
JointGraphClustering(n_clusters=8, *, n_neighbors=10, n_components=None, n_init=10, \
constraint_weight=0.5, view_weights=None, features='auto', graph='auto', on_conflict='error', \
random_state=None)
JointSpectralFeatures(n_components=None, *, n_neighbors=10, n_view_components=10, \
features='auto', random_state=None)
Questions(views, mappings=None, *, n_neighbors=10, random_state=0)
PairMetric(*, unit_rows=False)
AutoFeatures(rule='auto')
AutoScaler()
ConstraintPropagation(threshold=0.75, regularization=1e-06)
DirectMapping()
ClusterMembership()
SingleView()
propagate_constraints(X, labels, constraints, threshold, *, candidates=None, metrics=None, \
regularization=1e-06)
suspicious_matches(views, mappings, labels)
match_candidates(views, mappings, *, n_candidates=5)
candidate_hits(views, mappings, *, most=5, n_folds=5)
close_views(constraints, mappings)
spectral_features(X, n_components, *, sigma=1.0)
SpectralFeatures(n_components=2, *, sigma=1.0)
pairwise_f_measure(y_true, y_pred)
weighted_precision(constraints, y_true, kind=None)
Constraints(pairs, must_link, weights=None)
"""


def bare(signature):
    plain = [p.replace(annotation=inspect.Parameter.empty) for p in signature.parameters.values()]
    return str(signature.replace(parameters=plain, return_annotation=inspect.Signature.empty))


@pytest.mark.parametrize("signature", SIGNATURES.splitlines())
def test_signatures_are_as_promised(signature):
    name = signature.partition("(")[0]
    assert name + bare(inspect.signature(getattr(mvcc, name))) == signature


def test_every_public_name_is_there_and_documented():
    for name in mvcc.__all__:
        assert name in dir(mvcc)
        assert name == "__version__" or inspect.getdoc(getattr(mvcc, name)), name
    with pytest.raises(AttributeError, match="nonsense"):
        _ = mvcc.nonsense


# parameters without documentation, unknown sections, a wrong order of sections, and the like
CHECKED = {"GL01", "GL05", "GL06", "GL07", "GL08", "PR01", "PR02", "PR03", "PR10", "RT03", "SS01"}


MODULES = {"datasets", "exceptions", "experiments", "multiview", "propagation", "tables"}
NAMES = sorted({*mvcc.__all__} - MODULES - {"__version__", "Dataset"})


def test_modules_are_there_without_an_import_of_their_own():
    code = f"import mvcc; print([getattr(mvcc, name).__name__ for name in {sorted(MODULES)}])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == str([f"mvcc.{name}" for name in sorted(MODULES)])


@pytest.mark.parametrize("name", NAMES)
def test_docstrings_follow_numpydoc(name):
    problems = [one for one in validate(f"mvcc.{name}")["errors"] if one[0] in CHECKED - {"GL01"}]
    assert not problems
    codes = {"PR02", "GL08"}  # unknown parameters, or no docstring
    if hasattr(getattr(mvcc, name), "fit") or name.endswith("KFold"):
        codes |= {"PR01", "RT01"}  # nor parameters or results without documentation
    for method, function in inspect.getmembers(getattr(mvcc, name), inspect.isfunction):
        if not method.startswith("_") and function.__module__.startswith("mvcc."):
            errors = validate(f"mvcc.{name}.{method}")["errors"]
            assert not [error for error in errors if error[0] in codes], method


@pytest.mark.parametrize("name", NAMES)
def test_defaults_in_docstrings_are_those_of_the_signatures(name):
    public = getattr(mvcc, name)
    methods = [function for _, function in inspect.getmembers(public, inspect.isroutine)]
    own = [one for one in methods if (getattr(one, "__module__", "") or "").startswith("mvcc.")]
    for function in (public, *own):
        parameters = inspect.signature(function).parameters
        for names, kind, _ in NumpyDocString(inspect.getdoc(function) or "")["Parameters"]:
            _, is_said, said = kind.partition("default=")
            for one in names.split(", ") if kind not in ("", "None", "ignored") else ():
                default = literal_eval(said) if is_said else inspect.Parameter.empty
                assert parameters[one].default == default, f"{function.__qualname__}: {one}"


def test_names_beyond_the_paper_cite_their_sources_as_the_page_says():
    page = (Path(__file__).parents[1] / "docs" / "api.md").read_text("utf-8")
    names = re.findall(r"`(\w+)`", page.partition("cites its own sources:")[2].partition("#")[0])
    assert len(names) > 7
    for name in names:
        assert "\nReferences\n" in inspect.getdoc(getattr(mvcc, name)), name


def test_importing_mvcc_is_light():
    code = (
        "import sys, mvcc; print(sorted({'numpy', 'numba', 'sklearn', 'pandas', 'scipy'} &"
        " set(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
