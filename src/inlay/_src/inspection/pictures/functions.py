"""Python functions in pictures: their source as far as Python can read it, and what was declared about them."""

from __future__ import annotations

import inspect
import textwrap
from typing import Any

from inlay._src.core.opdef import Effect
from inlay._src.core.site import as_written
from inlay._src.host.record import HostFunction
from inlay._src.inspection.pictures.scene import Item, described, text


def source_of(function: Any) -> str:
    """The source of a callable as its author wrote it; "" if there is none, as for built-in functions."""
    inner = inspect.unwrap(as_written(function)) if callable(function) else function
    inner = getattr(inner, "func", inner)
    try:
        return text(textwrap.dedent(inspect.getsource(inner)).rstrip(), lines=True)
    except (OSError, TypeError, SyntaxError):
        return ""


def describe_host(item: Item, host: HostFunction) -> None:
    """Adds to an item what is declared about the function that it calls, and the source."""
    item.kind, item.op = "host", text(f"{host.name.rpartition('<locals>.')[2]}()")
    item.source = text(textwrap.dedent(host.source), lines=True) or source_of(host.fn)
    item.say("function", host.label)
    item.say("receives", "eager tensors" if host.mode.value == "eager" else "NumPy arrays")
    item.say("declared results", ", ".join(described(leaf.dtype, leaf.dims) for leaf in host.outputs.leaves))
    pure = host.effect is Effect.PURE
    item.say("stateful", "no: equal calls are merged, constant ones folded" if pure else "yes: every call runs")
    item.say("executor", "inline: in the thread of the run" if host.executor is None else repr(host.executor))
    if host.grad is not None:
        item.say("gradient", source_of(host.grad) or repr(host.grad))
    if not host.copy:
        item.say("copy", "no: the function receives read-only views")
