"""`Trust`: the saved functions that may run.

Reading a function's pickle runs code, and so does importing its module. Both are done only for functions that the
caller named:

    sha256:DIGEST        the function, or the whole model, whose bytes have this digest
    ed25519:KEY          whatever the holder of this public key signed
    package.module       functions that are saved by import name, from this module or package
    package.module:name  one of them

The annotations of a manifest (source, imports) prove nothing: the digest is that of the bytes that would run.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import Any

from inlay._src.base import errors
from inlay._src.base.interpreter.terminal import escaped

_DIGEST = re.compile(r"(?:sha256:)?([0-9a-f]{64})")
_KEY = re.compile(r"ed25519:([0-9a-f]{64})")
_NAME = re.compile(r"[^\W\d]\w*(\.[^\W\d]\w*)*(:[^\W\d]\w*(\.[^\W\d]\w*)*)?")
_MOST_LINES = 40


_PRIME, _SIGN = 2**255 - 19, 1 << 255
_ORDER_EIGHT = 0x7A03AC9277FDC74EC6CC392CFA53202A0F67100D760B3CBA4FD84D3D706A17C7
_WEAK = frozenset((0, 1, _PRIME - 1, _ORDER_EIGHT, _PRIME - _ORDER_EIGHT))
"""The y coordinates of the points of Ed25519's curve whose order divides eight (RFC 8032, section 8.9)."""


def is_weak(key: str) -> bool:
    """Whether a public Ed25519 key is a point of small order: anyone makes a signature by it, of anything.

    Args:
      key: its hexadecimal digits.
    """
    try:
        number = int.from_bytes(bytes.fromhex(key), "little")
    except ValueError:
        return False
    return (number & ~_SIGN) % _PRIME in _WEAK


def covers(entry: str, name: str) -> bool:
    """Whether an entry of an allow-list allows an import name, or a module.

    Args:
      entry: `package`, `package.module` or `package.module:function`.
      name: `package.module` or `package.module:function`.
    """
    module = name.partition(":")[0]
    return entry == name or (":" not in entry and (module == entry or module.startswith(f"{entry}.")))


class Trust:
    """The functions that may run.

    Args:
      digests: of bodies and of whole models, 64 hexadecimal digits each.
      keys: public Ed25519 keys, 64 hexadecimal digits each.
      names: entries of an allow-list of import names.
    """

    __slots__ = ("digests", "keys", "names")

    def __init__(self, digests: Iterable[str] = (), keys: Iterable[str] = (), names: Iterable[str] = ()) -> None:
        self.digests, self.keys, self.names = frozenset(digests), frozenset(keys), tuple(names)

    @staticmethod
    def of(value: Any) -> Trust:
        """The meaning of `trust=`.

        Args:
          value: None for nothing; a text as the module's docstring lists them, or a list of such.

        Raises:
          TypeError, ValueError: for anything else.
        """
        if isinstance(value, Trust):
            return value
        entries = [] if value is None else [value] if isinstance(value, str) else value
        if not isinstance(entries, (list, tuple, set, frozenset)) or not all(isinstance(e, str) for e in entries):
            raise TypeError(f"trust must be a text or a list of texts, got {value!r}. {_WAYS}")
        digests, keys, names = [], [], []
        for entry in entries:
            if (digest := _DIGEST.fullmatch(entry)) is not None:
                digests.append(digest[1])
            elif (key := _KEY.fullmatch(entry)) is not None:
                if is_weak(key[1]):
                    raise ValueError(f"trust has {entry!r}, a point of small order: anyone can sign anything for it")
                keys.append(key[1])
            elif _NAME.fullmatch(entry) is not None:
                names.append(entry)
            else:
                raise ValueError(f"trust has {entry!r}, which is not a valid value. {_WAYS}")
        return Trust(digests, keys, names)

    def with_digests(self, digests: Iterable[str]) -> Trust:
        """The same, and these digests."""
        return Trust(self.digests | set(digests), self.keys, self.names)

    def allows(self, body: Any) -> bool:
        """Whether a body may run."""
        if body.digest in self.digests:
            return True
        names = body.manifest.names
        return body.manifest.kind == "name" and all(any(covers(e, name) for e in self.names) for name in names)

    def check(self, bodies: Sequence[Any], where: str = "") -> None:
        """Refuses bodies that may not run.

        Args:
          bodies: the bodies.
          where: the name of their container, for the message.

        Raises:
          PermissionDeniedError: if there is one; the message lists all such, and the ways to allow them.
        """
        refused = {body.digest: body for body in bodies if not self.allows(body)}
        if not refused:
            return
        count = "1 Python function" if len(refused) == 1 else f"{len(refused)} Python functions"
        descriptions = [described(i + 1, body) for i, body in enumerate(refused.values())]
        raise errors.PermissionDeniedError(
            None,
            None,
            f"{where or 'What is loaded'} holds {count} that nothing allows to run, so nothing of it was run.\n"
            + "\n".join(descriptions)
            + f"\n{_WAYS} (inlay explain untrusted-function)",
        )


class Everything(Trust):
    """Lets everything run: for pickles, which nothing protects.

    Args:
      variables: the variables that the functions of the pickle are bound to.
    """

    __slots__ = ("variables",)

    def __init__(self, variables: Sequence[Any] = ()) -> None:
        self.digests, self.keys, self.names, self.variables = frozenset(), frozenset(), (), variables

    def allows(self, body: Any) -> bool:
        """Yes."""
        return True


_WAYS = (
    "Allow what you trust with trust=, a text or a list of texts:\n"
    '  "sha256:DIGEST"        a function, or the whole model, with exactly these bytes\n'
    '  "ed25519:KEY"          all that the holder of this public key signed (inlay sign)\n'
    '  "package.module"       functions that are saved by import name, from there; "package.module:name" is one'
)


def described(number: int, body: Any) -> str:
    """A body for someone who decides whether it may run."""
    said = body.manifest
    lines = [f"  {number}. {printable(said.label)}", f"     digest   sha256:{body.digest}"]
    if said.kind == "name":
        lines.append(f"     saved    by name: {', '.join(map(printable, said.names))}")
    else:
        lines.append(f"     saved    by value, {printable(said.python)}, {body.nbytes:,} bytes")
    packages = ", ".join(f"{name} {version}" for name, version in said.packages.items())
    lines.append(f"     imports  {printable(', '.join(said.imports)) or 'nothing'}")
    if packages:
        lines.append(f"     with     {printable(packages)}")
    for name, text in said.sources.items():
        lines.append(f"     source of {printable(name)}, as the file has it; it proves nothing:")
        shown = text.splitlines()
        lines += [f"       | {printable(line)}" for line in shown[:_MOST_LINES]]
        if len(shown) > _MOST_LINES:
            lines.append(f"       | ... {len(shown) - _MOST_LINES} more lines")
    return "\n".join(lines)


def printable(text: str) -> str:
    """A name from a file on one line: see `interpreter.terminal.escaped`."""
    return escaped(text[:2000], lines=False)
