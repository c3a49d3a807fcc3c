"""Parameters that many public functions share are declared once, by the function that consumes them.

    def averaged(own, weights=None, collections=None, name=None):   # the shared parameters, with types and docstring
        values = own()                                              # runs the formula with its own arguments
        ...

    def mean_squared_error(labels, predictions):                    # the formula
        return (labels - predictions) ** 2

    extended(mean_squared_error, averaged)
      ──▶ mean_squared_error(labels, predictions, weights=None, collections=None, name=None)

`inspect.signature` and `help` show the full signature, and the generated stubs write it out for type checkers.
"""

from __future__ import annotations

import functools
import inspect
import re
import textwrap
from collections.abc import Callable, Collection, Iterable, Mapping
from typing import Any, TypeVar

F = TypeVar("F", bound=Callable[..., Any])
R = TypeVar("R")
C = TypeVar("C", bound=type)

_ENTRY = re.compile(r"^  ([\w*]+(?:,\s+[\w*]+)*):((?:.|\n   )*)", re.MULTILINE)
_SECTION = re.compile(r"^(Args|Returns|Yields|Raises|Attributes):\n", re.MULTILINE)


def extended(
    formula: Callable[..., Any], shared: Callable[..., Any], about: str = "", last: Collection[str] = ()
) -> Callable[..., Any]:
    """A function with the parameters of `formula` followed by those of `shared`, which it calls.

    Both receive a parameter that both declare; it stays where `formula` has it. Keyword-only parameters of
    `formula` are not in the signature: they receive the shared parameter of that name, or what `shared` calls it with.

    The docstring is that of `formula`. Missing descriptions of parameters, of the result or of errors come from `about`
    and the docstring of `shared`.

    Args:
      formula: declares the function's own parameters.
      shared: takes the formula bound to its arguments, a callable without parameters, then the shared parameters.
      about: a docstring of what several formulas have in common.
      last: parameters of `formula` that come after the shared ones.

    Returns:
      The function. Its name and module are those of `formula`.
    """
    own = inspect.signature(formula).parameters
    consumed = inspect.signature(shared)
    common = dict(list(consumed.parameters.items())[1:])
    public = {name: p for name, p in own.items() if p.kind is not p.KEYWORD_ONLY}
    received = [name for name in own if name not in public and name in common]
    placed = [p for name, p in public.items() if name not in last]
    placed += [p for name, p in common.items() if name not in public]
    signature = consumed.replace(parameters=[*placed, *(public[name] for name in last)])

    @functools.wraps(formula)
    def function(*args: Any, **kwargs: Any) -> Any:
        arguments = bound(function, signature, args, kwargs)
        formula_arguments = {name: arguments[name] for name in own if name in arguments}
        for name in received:
            formula_arguments.setdefault(name, common[name].default)
        return shared(
            functools.partial(formula, **formula_arguments),
            **{name: value for name, value in arguments.items() if name in common},
        )

    return declare(function, signature, documented(formula.__doc__, signature.parameters, about, shared.__doc__))


def parameters_of(other: Callable[..., Any], **defaults: Any) -> Callable[[Callable[..., R]], Callable[..., R]]:
    """Decorator: the function has the parameters of another one, with other defaults, and takes them as keywords."""
    common = _with_defaults(inspect.signature(other), defaults)

    def declared(function: Callable[..., R]) -> Callable[..., R]:
        signature = common.replace(return_annotation=inspect.signature(function).return_annotation)

        @functools.wraps(function)
        def call(*args: Any, **kwargs: Any) -> Any:
            return function(**(defaults | bound(function, signature, args, kwargs)))

        return declare(call, signature, documented(function.__doc__, signature.parameters, other.__doc__))

    return declared


def constructor(*without: str, last: Collection[str] = (), **defaults: Any) -> Callable[[C], C]:
    """Class decorator: the parameters of the base class's constructor, with other defaults or without some.

    If the class has a constructor of its own, its `**kwargs` stand for the parameters of the base class's constructor
    that it does not declare itself.

    Args:
      *without: parameters that keep the default of the base class and cannot be passed.
      last: parameters that come after all others, in this order.
      **defaults: other defaults.

    Returns:
      The decorator. It adds what docstrings of base classes say of the parameters.
    """

    def declared(cls: C) -> C:
        own: Any = cls.__init__  # type: ignore[misc]
        inherited: Any = cls.__mro__[1].__init__  # type: ignore[misc]
        signature = inspect.signature(inherited)
        if own is not inherited:
            first = [p for p in inspect.signature(own).parameters.values() if p.kind is not p.VAR_KEYWORD]
            declared_here = {*without, *(p.name for p in first)}
            rest = [p for name, p in signature.parameters.items() if name not in declared_here]
            signature = signature.replace(parameters=[*first, *rest])
        ordered = sorted(signature.parameters.values(), key=lambda p: [*last].index(p.name) if p.name in last else -1)
        signature = _with_defaults(signature.replace(parameters=ordered), defaults, without)

        @functools.wraps(own)
        def __init__(self: Any, *args: Any, **kwargs: Any) -> None:
            arguments = bound(cls, signature, (self, *args), kwargs)
            further = arguments.pop("kwargs", {})
            own(**(defaults | arguments | further))

        cls.__init__ = declare(__init__, signature, own.__doc__ or "")  # type: ignore[misc]
        cls.__doc__ = documented(cls.__doc__, signature.parameters, *(c.__doc__ for c in cls.__mro__[1:-1]))
        return cls

    return declared


def _with_defaults(
    signature: inspect.Signature, defaults: Mapping[str, Any], without: Collection[str] = ()
) -> inspect.Signature:
    listed = [p for p in signature.parameters.values() if p.name not in without]
    return signature.replace(parameters=[p.replace(default=defaults.get(p.name, p.default)) for p in listed])


def bound(
    function: Callable[..., Any], signature: inspect.Signature, args: tuple[Any, ...], kwargs: Mapping[str, Any]
) -> dict[str, Any]:
    """The arguments of a call by the names of their parameters.

    Raises:
      TypeError: if the call does not fit the signature; it names the function.
    """
    try:
        return signature.bind(*args, **kwargs).arguments
    except TypeError as error:
        raise TypeError(f"{function.__name__}() {error}") from None


def declare(function: Any, signature: inspect.Signature, doc: str) -> Any:
    """The function, with a signature and a docstring that its source does not show."""
    function.__signature__, function.__doc__ = signature, doc
    function.__dict__.pop("__wrapped__", None)
    return function


def described(*shared: str | None) -> Callable[[F], F]:
    """Decorator: adds what shared docstrings say of the function's parameters to its own docstring."""

    def complete(function: F) -> F:
        function.__doc__ = documented(function.__doc__, inspect.signature(function).parameters, *shared)
        return function

    return complete


def documented(doc: str | None, parameters: Iterable[str], *shared: str | None) -> str:
    """A docstring with an entry for each parameter that it or one of the shared docstrings describes.

    Args:
      doc: the function's own docstring. Its summary, entries and sections win.
      parameters: the names, in the order of the signature.
      *shared: further docstrings, the first one that describes a parameter or has a section counts.
    """
    own, *others = [_sections(text or "") for text in (doc, *shared)]
    described: dict[str, tuple[tuple[str, ...], str]] = {}
    for sections in (own, *others):
        for names, says in _entries(sections.get("Args", "")):
            fresh = tuple(name for name in names if name not in described)
            described |= {name: (fresh, says) for name in fresh}
    entries: dict[tuple[str, ...], str] = {}
    listed = list(parameters)
    for parameter in listed:
        names, says = next(
            (described[name] for name in (parameter, f"*{parameter}", f"**{parameter}") if name in described), ((), "")
        )
        present = tuple(name for name in names if name.lstrip("*") in listed)
        if present:
            entries[present] = says
    raised: dict[tuple[str, ...], str] = {}
    for sections in (own, *others):
        raised = dict(_entries(sections.get("Raises", ""))) | raised
    sections = {name: text for each in (*reversed(others), own) for name, text in each.items()}
    sections["Args"] = _written(entries.items())
    sections["Raises"] = _written(raised.items())
    text = own[""]
    for name in ("Args", "Returns", "Attributes", "Raises"):
        if sections.get(name):
            text += f"\n\n{name}:\n{sections[name]}"
    return text


def _sections(doc: str) -> dict[str, str]:
    """The sections of a docstring by their titles; the text before them is that of ""."""
    if _SECTION.match(doc):  # `cleandoc` leaves the first line out when it measures the margin
        doc = f"\n{doc}"
    head, *rest = _SECTION.split(inspect.cleandoc(doc))
    return {"": head.rstrip(), **{name: text.rstrip() for name, text in zip(rest[::2], rest[1::2], strict=True)}}


def _entries(section: str) -> list[tuple[tuple[str, ...], str]]:
    """The names and the text of each entry of a section."""
    return [(tuple(re.split(r",\s+", names)), says.rstrip()) for names, says in _ENTRY.findall(section)]


def _written(entries: Collection[tuple[tuple[str, ...], str]]) -> str:
    heads = [textwrap.fill(f"  {', '.join(names)}:", 118, subsequent_indent="    ") for names, _ in entries]
    return "\n".join(head + says for head, (_, says) in zip(heads, entries, strict=True))
