"""The names of one graph: unique, compared without case, as on TensorFlow's wire."""

from __future__ import annotations

import re

_NAME = re.compile(r"[A-Za-z0-9_.\\-][A-Za-z0-9_.\\/>-]*")
_ROOT_NAME = re.compile(r"[A-Za-z0-9.][A-Za-z0-9_.\\/>-]*")


def as_name(name: str | bytes | None, of: str) -> str | None:
    """A user's name as text.

    Args:
      name: the name.
      of: the named thing, for the error.

    Raises:
      TypeError: if it is no text.
    """
    if name is None or isinstance(name, str):
        return name
    if not isinstance(name, bytes):
        raise TypeError(f"The name of {of} must be a string or None, got {type(name).__name__}.")
    return name.decode()


class Names:
    """Names in use: lower-case name -> the suffix to try next. The graph's lock guards it.

    A name that was made unique by a suffix has no entry of its own: the next suffix of its base name implies that all
    smaller ones are in use. Most names of a large graph are of this kind.
    """

    __slots__ = ("_allowed", "_used")

    def __init__(self) -> None:
        self._used: dict[str, int] = {}
        self._allowed: tuple[set[str], set[str]] = set(), set()  # names that were looked at: at the root, in scopes

    def claim(self, name: str, scope: str) -> str:
        """`scope` + `name`, made unique; "name/" re-opens a scope. An invalid name is refused in TensorFlow's words."""
        if not isinstance(name, str):
            raise TypeError(f"expected string or bytes-like object, got {type(name).__name__!r}")
        allowed = self._allowed[scope != ""]
        if name not in allowed:
            if name.endswith("/"):
                return self.take(name[:-1])
            pattern = _NAME if scope else _ROOT_NAME
            if not self._next(name) and not pattern.fullmatch(name):
                kind = "scope name" if scope else "root scope name"
                raise ValueError(
                    f"'{name}' is not a valid {kind}. A {kind} has to match the following pattern: {pattern.pattern}"
                )
            allowed.add(name)
        return self.take(scope + name)

    def take(self, name: str) -> str:
        """`name`, made unique by a suffix, and marked as used."""
        key, used = name.lower(), self._used
        count = used.get(key) or self._next(key)
        if not count:
            used[name if key == name else key] = 1
            return name
        while f"{key}_{count}" in used:
            count += 1
        used[key] = count + 1
        return f"{name}_{count}"

    def _next(self, key: str) -> int:
        """The suffix to try next where a name is in use, else 0."""
        count = self._used.get(key, 0)
        if not count and key[-1:].isdecimal():
            base, between, suffix = key.rpartition("_")
            following = self._used.get(base, 0) if between else 0
            if following > 1 and suffix.isdecimal() and suffix.isascii() and suffix[0] != "0" and len(suffix) < 10:
                return int(int(suffix) < following)
        return count

    def note(self, name: str) -> None:
        """Marks `name` as used."""
        key = name.lower()
        if not self._next(key):
            self._used[name if key == name else key] = 1

    def free(self, name: str) -> str:
        """The result of `take`, without taking the name."""
        key = name.lower()
        count = self._next(key)
        while count and f"{key}_{count}" in self._used:
            count += 1
        return f"{name}_{count}" if count else name
