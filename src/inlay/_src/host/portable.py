"""Host functions as they are saved: the record as data, and its Python objects in one body.

    packed(host)  ─▶  PortableBody: manifest.declared says mode, outputs, options as JSON; where a Python object belongs
                      (the function, its gradient, a rule of shapes, a template of arguments, a structure of results)
                      it has the number of a part of the pickle
    opened(body, trust, variables)  ─▶  HostFunction

A function that has no other Python object is saved by import name if it can be.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from inlay._src.base import errors
from inlay._src.base.files.damage import guarded
from inlay._src.base.types import dtypes
from inlay._src.base.types.structured import as_data, from_data
from inlay._src.core.executor import Executor
from inlay._src.core.opdef import Effect
from inlay._src.core.site import Site, of_function, without_folder
from inlay._src.host.bodies import portable
from inlay._src.host.bodies.portable import PortableBody
from inlay._src.host.executors.event_loop import Awaited, EventLoop, awaited, loop_of
from inlay._src.host.executors.selection import resolve_executor, shared_name
from inlay._src.host.record import HostFunction, Leaf, Mode, Outputs, ResultForm

_VERSION = 1


def packed(host: Any, by_name: Sequence[str] = ()) -> PortableBody:
    """A host function as it is saved, or another object of a graph that Python functions are part of.

    Args:
      host: the record of the function, or the object.
      by_name: see `bodies.portable.packed`.

    Raises:
      InvalidArgumentError, TypeError: if it refers to something that cannot travel.
    """
    if not isinstance(host, HostFunction):
        return portable.packed((host,), without_folder(of_function(host)), by_name=by_name)
    function = host.fn.function if isinstance(host.fn, Awaited) else host.fn
    parts: list[Any] = [function]

    def part(value: Any) -> int | None:
        if value is None:
            return None
        parts.append(value)
        return len(parts) - 1

    outputs, executor, label = host.outputs, host.executor, without_folder(host.label)
    shared = "event_loop" if isinstance(executor, EventLoop) else shared_name(executor)
    said = {
        "version": _VERSION,
        "mode": host.mode.value,
        "effect": host.effect.name,
        "label": label,
        "site": list(host.site.without_folder()),
        "copy": host.copy,
        "form": outputs.form.value,
        "leaves": [[leaf.dtype.name, _dims(leaf.dims), leaf.path] for leaf in outputs.leaves],
        "arrays": outputs.arrays,
        "structure": as_data(outputs.structure, lambda leaf: ["part", part(leaf)]),
        "composites": part(outputs.composites if any(outputs.composites) else None),
        "template": part(host.template),
        "grad": part(host.grad),
        "shape_of": part(host.shape_of),
        "executor": shared,
        "timeout": executor.timeout if isinstance(executor, EventLoop) else None,
        "executor_part": part(executor if shared is None else None),
        "awaited": isinstance(host.fn, Awaited),
    }
    return portable.packed(tuple(parts), label, json.dumps(said), by_name)


def _dims(dims: Any) -> list[int | None] | None:
    return None if dims is None else list(dims)


def opened(body: PortableBody, trust: Any, variables: Sequence[Any] = ()) -> Any:
    """The object that `packed` serialized; see `bodies.portable.opened`.

    Raises:
      DataLossError: if the declaration makes no sense, besides what `bodies.portable.opened` raises.
    """
    if not body.manifest.declared:
        return portable.opened(body, trust, variables)[0]
    said = declared(body)
    parts = portable.opened(body, trust, variables)

    def part(name: str) -> Any:
        at = said[name]
        return None if at is None else parts[at]

    with guarded(_declaration(body)):
        function = awaited(parts[0]) if said["awaited"] else parts[0]
        executor = _executor(said, part("executor_part"))
        leaves = tuple(
            Leaf(dtypes.as_dtype(kind), None if dims is None else tuple(dims), path)
            for kind, dims, path in said["leaves"]
        )
        form = ResultForm(said["form"])
        structure = from_data(said["structure"], lambda leaf: parts[leaf[1]])
        outputs = Outputs(form, leaves, structure, part("composites") or (), said["arrays"])
        host = HostFunction(
            function, Mode(said["mode"]), outputs, Effect[said["effect"]], said["label"], Site(*said["site"]),
            part("template"), part("grad"), said["copy"], part("shape_of"), executor,
        )  # fmt: skip
        host.source = "\n\n".join(body.manifest.sources.values())
        return host


def _executor(said: dict[str, Any], part: Any) -> Executor | None:
    """The executor that was said."""
    if said["executor"] == "event_loop":
        return loop_of(EventLoop(said["timeout"]))
    return resolve_executor(said["executor"], "a saved function") if said["executor"] is not None else part


def declared(body: PortableBody) -> dict[str, Any]:
    """The declaration of the host function in a body's manifest; the body is not opened.

    Raises:
      DataLossError: if that is no declaration.
      UnimplementedError: if a later version wrote it.
    """
    with guarded(_declaration(body)):
        said = json.loads(body.manifest.declared)
        if said["version"] > _VERSION:
            raise errors.UnimplementedError(
                None, None, f"{body.label} was declared by version {said['version']}, this one reads up to {_VERSION}"
            )
        return dict(said)


def _declaration(body: PortableBody) -> str:
    return f"The declaration of the saved function {body.label}"
