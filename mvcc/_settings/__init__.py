"""Configurations as YAML files: read with the line of every value, checked, all mistakes reported at once."""

from mvcc._settings._problems import KeyPath, Problems, shown
from mvcc._settings._section import Section, read_settings, validated
from mvcc._settings._values import allowed, distinct, increasing, list_of, one_of, one_or_list_of, refuse
from mvcc._settings._yaml import put, read_yaml

__all__ = [
    "KeyPath",
    "Problems",
    "Section",
    "allowed",
    "distinct",
    "increasing",
    "list_of",
    "one_of",
    "one_or_list_of",
    "put",
    "read_settings",
    "read_yaml",
    "refuse",
    "shown",
    "validated",
]
