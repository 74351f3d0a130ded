"""``python -m mvcc``."""

from mvcc.cli import main

main()
