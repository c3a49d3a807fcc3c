"""Functions that only call another one with its arguments in another order or under other names, as 1.x has them."""

from __future__ import annotations

import ast
import inspect
import re
import sys
from collections.abc import Callable
from typing import Any

from inlay._src.base.tracebacks import boundary, leave


def another_form(
    function: Callable[..., Any], parameters: str, called: str | None = None, /, **other_names: str | None
) -> Any:
    """A function with parameters of its own that calls `function` with keywords.

    Its docstring and types are those of `function`, with the arguments in its own order and under its own names.

    Args:
      function: the function that it calls.
      parameters: its parameters, as source. They mean those of `function` that are called so.
      called: its name; that of `function` if None.
      **other_names: the parameters that mean one that is called otherwise, or None for one that is not used. Where two
        mean one, that of its own name counts if it is not None.
    """
    name = called or function.__name__
    declared: Any = ast.parse(f"def {name}({parameters}): ...").body[0]
    own = [a.arg for a in declared.args.args]
    sources = {p: [p] for p in own if p not in other_names}
    for other, meant in other_names.items():
        if meant is not None:
            sources.setdefault(meant, []).append(other)
    words = [f"{p}={' if {0} is not None else '.join(names).format(names[0])}" for p, names in sources.items()]
    around = sys._getframe(1).f_globals
    named = [n.id for n in ast.walk(declared.args) if isinstance(n, ast.Name)]  # in the defaults
    space = {"__name__": around["__name__"], "_function": function, "_leave": leave}
    space |= {n: around[n] for n in named if n in around}
    call = f"try: return _function({', '.join(words)})\n except Exception as _error:\n  _leave(_error)\n  raise"
    exec(compile(f"def {name}({parameters}):\n {call}", f"{__file__} ({name})", "exec"), space)
    form: Any = boundary(space[name])
    form.__doc__ = _documentation(inspect.cleandoc(function.__doc__ or ""), own, other_names)
    signature = inspect.signature(function)
    declared_there = signature.parameters
    annotations = {p: declared_there[m].annotation for p in own if (m := other_names.get(p, p)) in declared_there}
    form.__annotations__ = {
        name: says
        for name, says in {**annotations, "return": _result(function, signature)}.items()
        if says is not inspect.Parameter.empty
    }
    return form


def _result(function: Callable[..., Any], signature: inspect.Signature) -> Any:
    """The annotation of the result: that of the function, or what its op gives."""
    op = getattr(function, "opdef", None)
    if op is None:
        return signature.return_annotation
    return "Tensor" if len(op.outs) == 1 and not op.variadic_out else "list[Tensor]"


def _documentation(text: str, own: list[str], other_names: dict[str, str | None]) -> str:
    """A docstring whose section of arguments says those of the form."""
    before, title, after = text.partition("\n\nArgs:\n")
    listed, gap, rest = after.partition("\n\n")
    entries: dict[tuple[str, ...], str] = {}
    for names, says in re.findall(r"^  ([\w, *]+):((?:.|\n   )*)", listed, re.MULTILINE):
        meant = names.split(", ")
        parameters = tuple(p for p in own if other_names.get(p, p) in meant)
        if parameters:
            entries[parameters] = says
    entries |= {(p,): " accepted and ignored." for p, meant in other_names.items() if meant is None}
    lines = [
        f"  {', '.join(names)}:{says}" for names, says in sorted(entries.items(), key=lambda e: own.index(e[0][0]))
    ]
    return before + (title + "\n".join(lines) if lines else "") + gap + rest
