"""What all pages have: a state that may be stale, and pictures that are known by numbers."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any, ClassVar


class Stale(Exception):
    """Something was said since the page was told the state; here is the present one."""

    def __init__(self, state: dict[str, Any]) -> None:
        super().__init__("something was said since.")
        self.state = state


class Page(ABC):
    """What a page shows and may send: a method for each of its requests."""

    command: ClassVar[str]  # whose page it is
    gets: ClassVar[tuple[str, ...]]  # requests that ask for something by an id
    posts: ClassVar[tuple[str, ...]]  # those that say something

    def __init__(self) -> None:
        self._images: dict[str, str] = {}  # by number, what the pages were told

    @property
    @abstractmethod
    def version(self) -> int:
        """The number of things that were said."""

    @abstractmethod
    def now(self) -> dict[str, Any]:
        """Return all that the page shows."""

    def image(self, number: str) -> str:
        """Return the path of a picture that a page was told of; empty for other numbers."""
        return self._images.get(number, "")

    def refuse_stale(self, said: dict[str, Any]) -> None:
        """Refuse what a page says that does not know the present state."""
        if said["version"] != self.version:
            raise Stale(self.now())

    def with_numbers(self, value: Any) -> Any:
        """Return a value with a number in the place of every path of a picture."""
        if isinstance(value, dict):
            return {
                key: self._numbers(own) if key == "images" else self.with_numbers(own)
                for key, own in value.items()
            }
        is_list = isinstance(value, (list, tuple))
        return [self.with_numbers(own) for own in value] if is_list else value

    def _numbers(self, paths: list[Any]) -> list[str]:
        known = {path: number for number, path in self._images.items()}
        for path in map(str, paths):
            self._images[known.setdefault(path, str(len(known)))] = path
        return [known[str(path)] for path in paths]
