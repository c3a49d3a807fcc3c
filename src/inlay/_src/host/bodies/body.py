"""The body of a function that an executor sends: its pickle, identified by its digest.

Pickling takes hundreds of microseconds, so a body is cached for as long as the function lives, together with the
references of the function: its code, defaults, closure variables and globals, those of other functions in the pickle,
and the attributes of objects in it. If one of these references changes, the function is pickled again. A change inside
a captured object (an item of a list, an element of an array) has no effect once the function was sent: pass such an
object as an argument.
"""

from __future__ import annotations

import hashlib
import io
import pickle
import types
from collections.abc import Callable
from typing import Any, NamedTuple

from inlay._src.base import errors
from inlay._src.base.interpreter.caches import BoundedCache, IdentityCache
from inlay._src.core.site import warn
from inlay._src.host.bodies.pickling import ABSENT, blamed, contents, global_names, pickler_class


class Body(NamedTuple):
    """The serialized payload of a function.

    Attributes:
      digest: SHA-256 of the bytes, hexadecimal.
      data: the pickled function.
      label: its name, for messages.
    """

    digest: str
    data: bytes
    label: str


def body_of(function: Callable[..., Any]) -> Body:
    """A function's body.

    Args:
      function: the function. A wrapper that is another object for each call has a method `body_key()`, which gives the
        wrapped function and a hashable key of all else that the body depends on.

    Raises:
      InvalidArgumentError, TypeError: if it refers to something that cannot travel.
    """
    body = cached_body(function)
    if body is not None:
        return body
    owner, form = _key_of(function)
    variants = _BODIES.of(owner) or {}
    file = io.BytesIO()
    pickler = pickler_class()(file)
    label = getattr(function, "label", None) or getattr(function, "__qualname__", None) or repr(function)
    try:
        pickler.dump(function)
    except Exception as error:
        why = blamed(function, error, pickler_class())
        text = f"{label} cannot be sent to another process: {why} (inlay explain cannot-send)"
        raise errors.refused(errors.InvalidArgumentError, TypeError, text) from error
    if pickler.generators:
        kinds = ", ".join(sorted({type(g).__name__ for g in pickler.generators}))
        warn(
            f"{label} refers to a generator of random numbers ({kinds}), of which every worker gets a copy in the same "
            "state, so workers draw equal numbers. Take the generator as an argument: rng=seed passes one to each "
            "call (inlay explain copied-generator)",
            RuntimeWarning,
        )
    data = file.getvalue()
    body = Body(hashlib.sha256(data).hexdigest(), data, label)
    try:
        _BODIES.keep(owner, {**variants, form: (body, _Seen(owner, pickler.functions, pickler.objects))})
    except TypeError:  # it cannot be referred to weakly, so the entry would never be removed
        pass
    return body


def cached_body(function: Callable[..., Any]) -> Body | None:
    """The body of a function that was pickled before and has not changed since, else None. It runs nothing of it."""
    owner, form = _key_of(function)
    variants = _BODIES.of(owner)
    cached = None if variants is None else variants.get(form)
    return cached[0] if cached is not None and cached[1].holds(owner) else None


def _key_of(function: Callable[..., Any]) -> tuple[Any, Any]:
    """The key of a body: see `body_of`."""
    key = getattr(function, "body_key", None)
    return (function, None) if key is None else key()


# ---------------------------------------------------------------- references


class _Seen:
    """The references of the functions in a body, when they were pickled.

    Args:
      owner: the function whose body it is; this object does not refer to it.
      functions: all functions that are pickled by value.
      objects: the instances that are pickled.
    """

    __slots__ = ("_attributes", "_cells", "_functions", "_names")

    def __init__(self, owner: Any, functions: list[types.FunctionType], objects: list[Any]) -> None:
        self._functions = [
            (
                None if f is owner else f,
                f.__code__,
                f.__defaults__,
                f.__kwdefaults__,
                tuple((f.__kwdefaults__ or {}).values()),
            )
            for f in functions
        ]
        cells = [cell for f in functions for cell in f.__closure__ or ()]
        self._cells = [(cell, value) for cell in cells if (value := contents(cell)) is not owner]
        self._names = [
            (f.__globals__, name, value)
            for f in functions
            for name in sorted(global_names(f.__code__))
            if (value := f.__globals__.get(name, ABSENT)) is not owner
        ]
        self._attributes = [(vars(o), tuple(vars(o).values())) for o in objects if o is not owner]
        if any(o is owner for o in objects):
            self._attributes.append((None, tuple(vars(owner).values())))

    def holds(self, owner: Any) -> bool:
        """Whether no reference has changed."""
        for function, code, defaults, by_name, values in self._functions:
            f = owner if function is None else function
            if f.__code__ is not code or f.__defaults__ is not defaults or f.__kwdefaults__ is not by_name:
                return False
            if by_name and not _same(by_name, values):
                return False
        for cell, value in self._cells:
            if contents(cell) is not value:
                return False
        for space, name, value in self._names:
            if space.get(name, ABSENT) is not value:
                return False
        return all(_same(vars(owner) if d is None else d, values) for d, values in self._attributes)


def _same(entries: dict[str, Any], values: tuple[Any, ...]) -> bool:
    """Whether a dictionary has these very values, in this order."""
    return len(entries) == len(values) and all(a is b for a, b in zip(entries.values(), values, strict=False))


_BODIES: IdentityCache[dict[Any, tuple[Body, _Seen]]] = IdentityCache("bodies of functions", 1024)


# ---------------------------------------------------------------- unpickling

_FUNCTIONS: BoundedCache[str, Any] = BoundedCache("functions that came from elsewhere", 256)


def function_of(body: Body) -> Callable[..., Any]:
    """The function of a body: the same object for the same digest."""
    function = _FUNCTIONS.get(body.digest)
    if function is None:
        function = _FUNCTIONS[body.digest] = pickle.loads(body.data)
    return function  # type: ignore[no-any-return]
