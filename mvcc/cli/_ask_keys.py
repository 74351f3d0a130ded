"""Keys and lines that a person types."""

from __future__ import annotations

import os
import select
import sys
from typing import Self

_ESC = b"\x1b"
_SECONDS = 0.05  # within which the rest of a key arrives


class Finished(Exception):
    """The person wants no more questions."""


class Lines:
    """Standard input, where every key is a line."""

    after_prompt = "\n"

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        pass

    def key(self) -> str:
        """Return the next key."""
        return self.line()

    def line(self) -> str:
        """Return the next line; empty where Esc ended it."""
        sys.stdout.flush()
        line = sys.stdin.readline()
        if not line:
            raise Finished
        return line.strip()


class Keyboard(Lines):
    """A terminal, whose keys work without Enter.

    Keys that are typed ahead are kept, and Esc is a key of its own at once. click.getchar and
    readchar discard the former and wait for another key after the latter.
    """

    after_prompt = ""

    def __enter__(self) -> Self:
        import termios

        self._fd = sys.stdin.fileno()
        self._before = termios.tcgetattr(self._fd)
        self._by_key()
        return self

    def __exit__(self, *error: object) -> None:
        import termios

        termios.tcsetattr(self._fd, termios.TCSADRAIN, self._before)

    def key(self) -> str:
        sys.stdout.flush()
        key = self._byte()
        if key == _ESC:
            self._rest_of_key()
        return key.decode("ascii", "replace")

    def line(self) -> str:
        self._by_line()
        typed, byte = b"", b""
        try:
            while byte not in (b"\n", _ESC):
                typed += byte
                byte = self._byte()
        finally:
            self._by_key()
        if byte == _ESC:
            self._rest_of_key()
            print()  # what is shown next is not beside the name
            return ""
        return typed.decode(errors="replace").strip()

    def _rest_of_key(self) -> None:
        """Take the rest of a key, such as an arrow, that begins as Esc does."""
        if select.select([self._fd], [], [], _SECONDS)[0] and self._byte() in (b"[", b"O"):
            while not b"@" <= self._byte() <= b"~":
                pass

    def _byte(self) -> bytes:
        byte = os.read(self._fd, 1)
        if byte in (b"", b"\x04"):  # Ctrl-D
            raise Finished
        return byte

    def _by_key(self) -> None:
        import termios
        import tty

        tty.setcbreak(self._fd, termios.TCSADRAIN)

    def _by_line(self) -> None:
        import termios

        *flags, characters = self._before
        characters = [*characters]
        characters[termios.VEOL] = _ESC  # a second key that ends a line
        termios.tcsetattr(self._fd, termios.TCSADRAIN, [*flags, characters])
