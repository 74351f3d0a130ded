"""What may differ from machine to machine in the output of a golden job, replaced by a marker."""

from __future__ import annotations

import re

DIGITS = 10  # of a number; further ones depend on the processor and on versions of libraries
SMALLEST = 1e-12  # smaller numbers are rounding errors

_REPLACED = [(re.compile(pattern, re.DOTALL), marker) for pattern, marker in [
    (r"· compiling kernels \(once\)\n|compiling kernels \(once\)\n", ""),
    (r"<style>.*?</style>", "<style></style>"),
    (r"<script>.*?</script>", "<script></script>"),
    (r"'sha256-[\w+/=]+'|&#39;sha256-[\w+/=]+&#39;", "<checksum>"),
    (r"\b[0-9a-f]{64}\b", "<checksum>"),
    (r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\+00:00|Z)", "<time>"),
    (r"<details><summary>Versions and machine</summary>.*?</details>", "<environment>"),
    (r"tcp://127\.0\.0\.1:\d+", "ADDRESS"),
    (r'("seconds": )[\d.]+', r"\1<seconds>"),
    (r"took [\d.]+ s", "took <seconds>"),
    (r'("(?:versions|machine)": )\{[^}]*\}', r"\1<environment>"),
    (r"after [\d.,]+ s\.", "after <seconds>."),
    (r"\.\d+\.part\b", ".<process>.part"),
]]  # fmt: skip
_NUMBER = re.compile(r"-?\d+\.\d+(e[+-]?\d+)?")
_BEFORE_KEY = re.compile(r',(?= ?"[^"]*":)')


def normalized(text: str) -> str:
    """Return an output as it is stored: the same everywhere, with a line for each key of JSON."""
    for pattern, marker in _REPLACED:
        text = pattern.sub(marker, text)
    text = _NUMBER.sub(lambda found: _rounded(found[0]), text)
    return _BEFORE_KEY.sub(",\n", text)


def _rounded(number: str) -> str:
    if abs(float(number)) < SMALLEST:
        return "0.0"
    rounded = f"{float(number):.{DIGITS}g}"
    return rounded if len(rounded) < len(number) else number
