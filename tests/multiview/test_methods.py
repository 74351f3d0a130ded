"""Methods are found by name, also those of other packages, which are named where they fail."""

import sys

import pytest

from mvcc import ConstraintPropagation, DirectMapping, MPCKMeans, PCKMeans
from mvcc.exceptions import ConfigError
from mvcc.multiview.co_em import _methods as methods_module
from mvcc.multiview.co_em._methods import (
    Origin,
    make_base,
    takes_threshold,
    transfer_class,
    transfer_names,
    transfer_options,
    transfer_origin,
    uses_relations,
)
from mvcc.results import BASES, TRANSFERS
from tests.packages import install

OWN = ("constraint-propagation", "direct-mapping", "cluster-membership", "single-view")
COPY = """\
    from mvcc import DirectMapping

    class Copy(DirectMapping):
        pass
"""


@pytest.fixture
def offer(tmp_path, monkeypatch):
    before = set(sys.modules)
    monkeypatch.syspath_prepend(tmp_path)

    def offer(package, offers, source=COPY):
        install(tmp_path, package, offers, source)
        methods_module._offers_on.cache_clear()

    yield offer
    for name in set(sys.modules) - before:
        if name.endswith("_module"):
            del sys.modules[name]
    methods_module._offers_on.cache_clear()


def refusal(name):
    with pytest.raises(ConfigError) as caught:
        transfer_class(name)
    return str(caught.value)


def test_the_papers_methods_have_the_papers_names():
    assert tuple(BASES) == ("pck-means", "mpck-means")
    assert tuple(TRANSFERS) == transfer_names()[:4] == OWN
    assert transfer_class("direct-mapping") is DirectMapping
    assert transfer_origin("direct-mapping") is None


def test_what_plans_ask_of_our_methods_before_they_are_imported_is_what_their_classes_say():
    for name in OWN:
        kind = transfer_class(name)
        assert takes_threshold(name) == issubclass(kind, ConstraintPropagation)
        assert uses_relations(name) == kind.uses_relations


def test_a_base_is_made_with_its_number_of_clusters():
    assert [type(make_base(name, 3)) for name in BASES] == [PCKMeans, MPCKMeans]
    assert make_base("pck-means", 3).n_clusters == 3
    # committed results have that start
    assert {make_base(name, 3).init for name in BASES} == {"neighborhoods"}
    message = r"no base algorithm 'pk-means'; did you mean 'pck-means'\? Known: pck-means"
    with pytest.raises(ConfigError, match=message):
        make_base("pk-means", 3)


def test_methods_of_other_packages_come_after_ours_and_are_imported_when_used_not_listed(offer):
    offer("zoo", {"zebra": ":Copy", "ape": ":Copy"})
    assert transfer_names() == (*OWN, "ape", "zebra")
    assert transfer_origin("zebra") == Origin("zoo", "1.0", "zoo_module:Copy")
    assert "zoo_module" not in sys.modules
    found = transfer_class("ape")
    assert found is sys.modules["zoo_module"].Copy
    assert issubclass(found, DirectMapping)


def test_thresholds_belong_to_propagation_and_its_subclasses_and_mappings_to_whom_uses_them(offer):
    source = """\
        from mvcc import ConstraintPropagation, SingleView

        class Far(ConstraintPropagation):
            def __init__(self, threshold=0.5, regularization=1e-6, reach=2.0):
                super().__init__(threshold, regularization)
                self.reach = reach

        class Alone(SingleView):
            pass
    """
    offer("zoo", {"far": ":Far", "alone": ":Alone"}, source)
    names = transfer_names()
    assert list(filter(takes_threshold, names)) == ["constraint-propagation", "far"]
    assert [name for name in names if not uses_relations(name)] == ["single-view", "alone"]
    assert transfer_options("far") == ("reach", "regularization")
    assert transfer_options("direct-mapping") == ()


def test_an_unknown_name_is_answered_with_the_nearest_and_all_known_ones(offer):
    offer("zoo", {"exhaustive": ":Copy"})
    message = refusal("exhaustiv")
    assert "no transfer method 'exhaustiv'; did you mean 'exhaustive'?" in message
    assert f"Known: {', '.join(OWN)}, exhaustive, joint, k-means." in message
    assert f"in the Python that runs mvcc ({sys.executable})" in message


def test_a_name_of_ours_is_nobody_elses_and_one_of_two_packages_belongs_to_neither(offer):
    offer("zoo", {"ape": ":Copy", "direct-mapping": ":Copy"})
    offer("park", {"ape": ":Copy"})
    assert transfer_names() == OWN
    assert "that package, and no other, offers it" in refusal("ape")
    assert transfer_class("direct-mapping") is DirectMapping


@pytest.mark.parametrize("name", ["my ape", "-ape", "a/b", "ä", "a" * 65, "[red]ape"])
def test_a_name_that_configs_could_not_hold_is_not_listed_and_refused(offer, name):
    offer("zoo", {name: ":Copy"})
    assert transfer_names() == OWN
    assert "as 1 to 64 letters, digits, _ and -." in refusal(name)


DIRECT = "from mvcc import DirectMapping\n"
INIT = DIRECT + "class Ape(DirectMapping):\n    def __init__(self, {}): self.k = {}"
UNUSABLE = {
    "missing": ("import nothing_of_that_name", "No module named 'nothing_of_that_name'"),
    "syntax": ("def f(:", "SyntaxError"),
    "raises": ("1 / 0", "ZeroDivisionError: division by zero"),
    "no-class": ("other = 1", "AttributeError"),
    "number": ("Ape = 5", "issubclass() arg 1 must be a class"),
    "other": ("class Ape: pass", "it is not a subclass of mvcc.TransferMethod"),
    "instance": (DIRECT + "Ape = DirectMapping()", "issubclass() arg 1 must be a class"),
    "abstract": ("from mvcc import TransferMethod\nclass Ape(TransferMethod): pass", "infer"),
    "needs": (INIT.format("k", "k"), "argument: 'k'. It must be a subclass"),
    "any": (INIT.format("*k", "k"), "whose __init__ has a default for every parameter"),
    "alters": (INIT.format("k=1", "k + 0.5"), "stores each as it is under its own name"),
}


@pytest.mark.parametrize(("source", "words"), UNUSABLE.values(), ids=UNUSABLE)
def test_a_class_that_cannot_be_used_is_named_with_its_package_and_what_to_do(offer, source, words):
    offer("zoo", {"ape": ":Ape"}, source)
    message = refusal("ape")
    assert message.startswith("the transfer method 'ape' of the package zoo 1.0 ")
    assert words in message
    assert "\n" not in message
    assert transfer_class("direct-mapping")


def test_a_damaged_list_of_entry_points_is_an_error_of_its_own(offer, tmp_path):
    offer("zoo", {"ape": ":Copy"})
    (tmp_path / "zoo-1.0.dist-info" / "entry_points.txt").write_text("[mvcc.transfers]\nape\n")
    assert "entry_points.txt of one of them is damaged (TypeError" in refusal("ape")


@pytest.mark.parametrize(
    "value",
    [" no module", ":", ":Copy:more", ":copy", ""],
    ids=["text", "colon", "more", "case", "module"],
)
def test_an_entry_point_that_names_no_class_is_refused(offer, value):
    offer("zoo", {"ape": value})
    assert refusal("ape").startswith("the transfer method 'ape' of the package zoo 1.0 ")
