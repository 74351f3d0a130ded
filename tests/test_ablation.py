"""The study of what each step and constant is worth changes what it says, and nothing stays."""

import pytest

from mvcc import JointGraphClustering
from mvcc.embedding import _across_views, _any_graph, _joint_graph
from scripts import ablation


def test_a_constant_is_changed_wherever_it_was_imported_and_put_back():
    where = (_across_views, _any_graph, _joint_graph)
    with ablation.Variant({"LANDMARK_SHARE": 0.125}).applied():
        assert {module.LANDMARK_SHARE for module in where} == {0.125}
    assert {module.LANDMARK_SHARE for module in where} == {0.5}
    with pytest.raises(ValueError, match="RIDGES is no constant, or several"):
        ablation.modules_with("RIDGES")


@pytest.mark.parametrize("name", ablation.VARIANTS)
def test_every_variant_can_be_applied(name):
    with ablation.VARIANTS[name].applied():
        pass


def test_the_values_as_coded_are_those_of_the_method():
    options = JointGraphClustering().get_params()
    for name, own in ablation.OPTIONS.items():
        assert own.coded == options[name]
    for name, own in ablation.CONSTANTS.items():
        assert own.coded == getattr(ablation.modules_with(name)[0], name)
