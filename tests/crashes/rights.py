"""A process that has no more rights than others on files."""

import ctypes
import os
from collections.abc import Iterator
from contextlib import contextmanager

_VERSION = 0x20080522  # of the structures below (capset(2))
_DAC_OVERRIDE = 1 << 1  # "bypass file write permission checks" (capabilities(7))


class _Header(ctypes.Structure):
    _fields_ = (("version", ctypes.c_uint32), ("pid", ctypes.c_int))


class _Sets(ctypes.Structure):
    _fields_ = (
        ("effective", ctypes.c_uint32),
        ("permitted", ctypes.c_uint32),
        ("inheritable", ctypes.c_uint32),
    )


@contextmanager
def rights_of_everybody() -> Iterator[None]:
    """Let an administrator write only where others may; the right to read stays."""
    if os.geteuid() != 0:
        yield
        return
    header, sets = _Header(_VERSION, 0), (_Sets * 2)()
    _call("capget", header, sets)
    before = sets[0].effective
    sets[0].effective = before & ~_DAC_OVERRIDE
    _call("capset", header, sets)
    try:
        yield
    finally:
        sets[0].effective = before
        _call("capset", header, sets)


def _call(name: str, header: _Header, sets: ctypes.Array[_Sets]) -> None:
    if getattr(ctypes.CDLL(None, use_errno=True), name)(ctypes.byref(header), sets):
        raise OSError(ctypes.get_errno(), name)
