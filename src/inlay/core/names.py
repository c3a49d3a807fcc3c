"""The names of one graph: unique, compared without case, as on TensorFlow's wire."""

from __future__ import annotations

import re

_NAME = re.compile(r"[A-Za-z0-9_.\\-][A-Za-z0-9_.\\/>-]*")
_ROOT_NAME = re.compile(r"[A-Za-z0-9.][A-Za-z0-9_.\\/>-]*")


class Names:
    """Names in use: lower-case name -> the suffix to try next. The graph's lock guards it."""

    __slots__ = ("_allowed", "_used")

    def __init__(self) -> None:
        self._used: dict[str, int] = {}
        self._allowed: tuple[set[str], set[str]] = set(), set()  # names that were looked at: at the root, in scopes

    def claim(self, name: str, scope: str) -> str:
        """`scope` + `name`, made unique; "name/" re-opens a scope. What is no name is refused in TensorFlow's words."""
        if not isinstance(name, str):
            raise TypeError(f"expected string or bytes-like object, got {type(name).__name__!r}")
        if name.endswith("/"):
            return self.take(name[:-1])
        allowed = self._allowed[bool(scope)]
        if name not in allowed:
            pattern = _NAME if scope else _ROOT_NAME
            if name not in self._used and not pattern.fullmatch(name):
                kind = "scope name" if scope else "root scope name"
                raise ValueError(
                    f"'{name}' is not a valid {kind}. A {kind} has to match the following pattern: {pattern.pattern}"
                )
            allowed.add(name)
        return self.take(scope + name)

    def take(self, name: str) -> str:
        """`name`, made unique by a suffix, and marked as used."""
        key, used = name.lower(), self._used
        count = used.get(key)
        if count is None:
            used[key] = 1
            return name
        while (taken := f"{key}_{count}") in used:
            count += 1
        used[key], used[taken] = count + 1, 1
        return f"{name}_{count}"

    def _suffix(self, key: str) -> int:
        """The number that makes a name unique; 0 if it is without one."""
        count = self._used.get(key, 0)
        while count and f"{key}_{count}" in self._used:
            count += 1
        return count

    def note(self, name: str) -> None:
        """Marks `name` as used."""
        self._used.setdefault(name.lower(), 1)

    def free(self, name: str) -> str:
        """What `take` would return, without taking it."""
        count = self._suffix(name.lower())
        return f"{name}_{count}" if count else name
