"""Store the outputs of golden jobs anew.

    python -m tests.golden [--to FOLDER] [job ...]

Look at what has changed with ``git diff tests/golden`` before you commit it.
"""

from __future__ import annotations

import argparse
import os
import shutil
import tempfile
from pathlib import Path

# which of equally near landmarks of a separate group are taken depends on the last bits, and these
# on the kernels of OpenBLAS and NumPy
os.environ["OPENBLAS_CORETYPE"] = "Haswell"
os.environ["NPY_DISABLE_CPU_FEATURES"] = "X86_V4 AVX512_ICL AVX512_SPR"

from tests.golden.jobs import COMMANDS, HERE, outputs_of


def store(job: str, target: Path) -> None:
    """Run a job, and write its outputs into a folder, in place of all that is there."""
    with tempfile.TemporaryDirectory() as folder:
        outputs = outputs_of(job, Path(folder))
    shutil.rmtree(target, ignore_errors=True)
    for name, text in outputs.items():
        (target / name).parent.mkdir(parents=True, exist_ok=True)
        (target / name).write_bytes(text.encode())


def main() -> None:
    parser = argparse.ArgumentParser(description="Store the outputs of golden jobs anew.")
    parser.add_argument(
        "--to", type=Path, default=HERE, help="a folder other than that of the stored outputs"
    )
    parser.add_argument(
        "jobs", nargs="*", metavar="job", help=f"all when left out: {', '.join(COMMANDS)}"
    )
    options = parser.parse_args()
    for job in options.jobs or COMMANDS:
        store(job, options.to / job / "stored")


if __name__ == "__main__":
    main()
