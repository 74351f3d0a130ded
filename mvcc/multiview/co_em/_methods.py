"""The methods by the names that configurations, commands and results call them.

Other packages may offer transfer methods of their own, through entry points of the group
``mvcc.transfers``. They are found by their metadata, and imported only when they are used. So are
mvcc's own: checking or planning an experiment takes names, while their classes bring scikit-learn
and numba along.

Experiments compare two methods more, which are no transfer between views and have no base.
"""

from __future__ import annotations

import re
import sys
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache
from importlib.metadata import EntryPoint, entry_points
from pkgutil import resolve_name
from typing import TYPE_CHECKING, Any

from mvcc._utils.messages import clipped, nearest
from mvcc.exceptions import ConfigError
from mvcc.results import JOINT, K_MEANS

if TYPE_CHECKING:
    from mvcc.multiview.co_em._transfer import TransferMethod

GROUP = "mvcc.transfers"
_NAME = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_-]{0,63}")


@dataclass(frozen=True)
class _Own:
    """A method of mvcc: its class as ``module:Class``, and what plans ask before it is imported."""

    home: str
    takes_threshold: bool = False
    uses_relations: bool = True
    fixed: tuple[tuple[str, Any], ...] = ()  # options that experiments settle for all methods


_BASES = {"pck-means": "mvcc.cluster:PCKMeans", "mpck-means": "mvcc.cluster:MPCKMeans"}
_TRANSFERS = {
    "constraint-propagation": _Own(
        "mvcc.multiview.co_em._transfer:ConstraintPropagation", takes_threshold=True
    ),
    "direct-mapping": _Own("mvcc.multiview.co_em._transfer:DirectMapping"),
    "cluster-membership": _Own("mvcc.multiview.co_em._transfer:ClusterMembership"),
    "single-view": _Own("mvcc.multiview.co_em._transfer:SingleView", uses_relations=False),
}
_WITHOUT_BASE = {
    JOINT: _Own("mvcc.multiview:JointGraphClustering", fixed=(("features", "none"),)),
    K_MEANS: _Own("sklearn.cluster:KMeans", uses_relations=False),
}


@dataclass(frozen=True)
class Origin:
    """The origin of a transfer method of another package."""

    package: str
    version: str
    module: str  # module and class in it, as the entry point names them: ``module:Class``


def make_base(name: str, n_clusters: int, init: str | None = None) -> Any:
    """Return a base algorithm that is not fitted, by default with the paper's start."""
    if name not in _BASES:
        raise ConfigError(f"there is no base algorithm {clipped(repr(name))}{_known(name, _BASES)}")
    return resolve_name(_BASES[name])(n_clusters, init=init or "neighborhoods")


def needs_base(name: str) -> bool:
    """Return whether a method is run with each base algorithm, as transfer methods are."""
    return name not in _WITHOUT_BASE


def make_without_base(name: str, n_clusters: int, *, random_state: int, **options: Any) -> Any:
    """Return the estimator of a method that needs no base, by default of ten starts."""
    method = _WITHOUT_BASE[name]
    options = {"n_init": 10} | options | dict(method.fixed)
    return resolve_name(method.home)(n_clusters, **options, random_state=random_state)


def transfer_names() -> tuple[str, ...]:
    """Return the names of all transfer methods: mvcc's own, then those of other packages."""
    return (*_TRANSFERS, *_offers())


def transfer_class(name: str) -> type[TransferMethod]:
    """Return a transfer method by its name; a ConfigError says why it cannot be used."""
    offer = _offer(name)
    if offer is not None:
        return _loaded(offer)
    if not needs_base(name):
        raise ConfigError(
            f"{name} is not a transfer method: it clusters by itself, without a base."
        )
    return resolve_name(_TRANSFERS[name].home)


def check_method(name: str) -> None:
    """Refuse what is not a method of an experiment; those of mvcc itself are not imported."""
    _facts(name)


def transfer_origin(name: str) -> Origin | None:
    """Return where a method comes from, None for those of mvcc itself; nothing is imported."""
    offer = _offer(name)
    return None if offer is None else _origin(offer)


def uses_relations(name: str) -> bool:
    """Return whether a method uses a mapping at all."""
    return _facts(name).uses_relations


def takes_threshold(name: str) -> bool:
    """Return whether a method has a threshold: Constraint Propagation and its subclasses."""
    return _facts(name).takes_threshold


def transfer_options(name: str) -> tuple[str, ...]:
    """Return the names of a method's parameters that a config may set, without t_V."""
    settled: tuple[str, ...] = ()
    if not needs_base(name):
        method = make_without_base(name, 1, random_state=0)
        settled = ("n_clusters", "random_state", *dict(_WITHOUT_BASE[name].fixed))
    else:
        method = transfer_class(name)()
        if takes_threshold(name):
            settled = ("threshold",)
    return tuple(option for option in method.get_params(deep=False) if option not in settled)


def _facts(name: str) -> _Own:
    """Return what plans ask of a method; only those of other packages are imported for it."""
    offer = _offer(name)
    if offer is None:
        return (_TRANSFERS | _WITHOUT_BASE)[name]
    from mvcc.multiview.co_em._transfer import ConstraintPropagation

    kind = _loaded(offer)
    return _Own(offer.value, issubclass(kind, ConstraintPropagation), kind().uses_relations)


def _offers() -> dict[str, EntryPoint]:
    return _offers_on(tuple(sys.path))


@cache  # every cell of a trial asks, and all installed packages are looked through
def _offers_on(path: tuple[str, ...]) -> dict[str, EntryPoint]:
    """Return what other packages offer, sorted; one name of two packages belongs to neither."""
    try:
        offers = sorted(entry_points(group=GROUP), key=lambda offer: offer.name)
    except Exception as error:  # what a damaged file of any package raises is up to its parser
        raise ConfigError(
            "the installed packages cannot be looked through for transfer methods: a file"
            f" entry_points.txt of one of them is damaged ({_in_words(error)}). Install that"
            " package again, or remove it."
        ) from error
    times = Counter(offer.name for offer in offers)
    times.update([*_TRANSFERS, *_WITHOUT_BASE])
    return {
        offer.name: offer
        for offer in offers
        if times[offer.name] == 1 and _NAME.fullmatch(offer.name)
    }


def _offer(name: str) -> EntryPoint | None:
    """Return the entry point of a name, None for a method of mvcc itself."""
    if name in _TRANSFERS or name in _WITHOUT_BASE:
        return None
    if name not in _offers():
        known = _known(name, (*transfer_names(), *_WITHOUT_BASE))
        raise ConfigError(
            f"there is no transfer method {clipped(repr(name))}{known} One of another package is"
            " known where that package, and no other, offers it in the Python that runs mvcc"
            f" ({clipped(sys.executable, 200)}), as 1 to 64 letters, digits, _ and -."
        )
    return _offers()[name]


def _loaded(offer: EntryPoint) -> type[TransferMethod]:
    """Import a class that an entry point names, and see that it is one to work with."""
    from sklearn.base import clone

    from mvcc.multiview.co_em._transfer import TransferMethod

    origin = _origin(offer)
    whose = f"the transfer method '{offer.name}' of the package {origin.package} {origin.version}"
    try:  # it runs code of others
        kind = offer.load()
        if not issubclass(kind, TransferMethod):
            raise TypeError("it is not a subclass of mvcc.TransferMethod")
        clone(kind())
    except Exception as error:
        raise ConfigError(
            f"{whose} ({offer.value}) cannot be used: {_in_words(error)}. It must be a subclass of"
            " mvcc.TransferMethod that defines infer(), and whose __init__ has a default for every"
            " parameter and stores each as it is under its own name. Correct that package, or"
            " install it again."
        ) from error
    return kind


def _known(name: str, names: Iterable[str]) -> str:
    return f"{nearest(name, names)} Known: {', '.join(names)}."


def _origin(offer: EntryPoint) -> Origin:
    assert offer.dist is not None  # what `entry_points` gives is always of a package
    return Origin(clipped(str(offer.dist.name)), clipped(str(offer.dist.version)), offer.value)


def _in_words(error: Exception) -> str:
    return clipped(f"{type(error).__name__}: {' '.join(str(error).split())}", 300).rstrip(".")
