"""The errors of mvcc: every one says what is wrong, where, and what to do about it."""

from __future__ import annotations


class MvccError(Exception):
    """Base class of all errors that mvcc raises on purpose."""


class InvalidInputError(MvccError, ValueError):
    """An argument, a constraint list, a mapping or a view that cannot be used."""


class ConstraintConflictError(InvalidInputError):
    """Constraints that contradict each other: a cannot-link inside a chain of must-links."""


class ConfigError(MvccError, ValueError):
    """A config of an experiment or a clustering with unknown keys or impossible values."""


class DataError(MvccError, ValueError):
    """A table that cannot be clustered; a file that is missing, damaged or cannot be fetched."""


class UnknownDatasetError(DataError, InvalidInputError):
    """A data set name that the registry does not know."""


class StoreError(MvccError):
    """A folder of results or a model that does not fit, or cannot be read or written."""


class WorkerError(MvccError):
    """Workers that the system kills again and again, that do not fit, or that cannot be reached."""


class PropagationWarning(UserWarning):
    """Data that look unfit for Constraint Propagation.

    Clusters that are not globular, or that overlap (§6.4).
    """
