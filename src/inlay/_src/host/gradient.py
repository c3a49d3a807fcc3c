"""`grad=`: the user's own gradient of a host function.

    grad(*inputs, *outputs, *output_grads, **kwargs)

Inputs, outputs and keyword arguments come as the function takes and returns them (composites whole, outputs in flat
order), one output gradient per output: None where an output has no gradient (integers, strings). It returns one
gradient per positional input, None where there is none; if keyword arguments hold tensors, a dict of their gradients
may follow. It computes with ordinary ops on eager or symbolic tensors, so it can be differentiated in turn.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from inlay._src.base import errors
from inlay._src.base.misuse import repr_of
from inlay._src.base.types import nest
from inlay._src.base.types.nest import Composite, StructureError, leaves_of
from inlay._src.base.types.template import Hole, Template, has_holes
from inlay._src.core.eager.convert import convert_to_tensor
from inlay._src.core.site import warn
from inlay._src.host.call_generator import without_generator
from inlay._src.host.record import HostFunction
from inlay._src.ops.array import zeros_like


class RefusedGradient(ValueError):
    """A gradient returned values that do not fit its function."""


def user_gradient(host: HostFunction, inputs: Sequence[Any], outputs: Sequence[Any], grads: Sequence[Any]) -> list[Any]:
    """One cotangent or None per flat input, from the user's gradient; `grads` are those of the flat outputs, or None.

    Raises:
      RefusedGradient: if the gradient does not return one value per input, or one of a wrong shape or structure.
    """
    assert host.grad is not None
    filled = [
        (zeros_like(o) if g is None else g) if o.dtype.is_trainable else None
        for o, g in zip(outputs, grads, strict=True)
    ]
    whole = host.outputs.items(outputs)
    template = without_generator(host.template) or Template((tuple(map(Hole, range(len(inputs)))), {}))
    args, kwargs = template.fill(inputs)
    result = host.grad(*args, *whole, *_grouped(whole, filled), **kwargs)
    by_position, by_name = _split(host, template, result)
    out: list[Any] = [None] * len(inputs)
    for i, (hole, grad) in enumerate(zip(template.structure[0], by_position, strict=True)):
        _place(host, f"input {i}", hole, grad, inputs, out)
    for name, grad in by_name.items():
        if grad is not None:
            _place_nest(host, name, template.structure[1][name], grad, inputs, out)
    return out


def _grouped(whole: Sequence[Any], filled: Sequence[Any]) -> list[Any]:
    """One gradient per output: those of a composite's components as a composite."""
    rest, out = list(filled), []
    for item in whole:
        count = len(item._components()) if isinstance(item, Composite) else 1
        out.append(item._rebuild(rest[:count]) if isinstance(item, Composite) else rest[0])
        del rest[:count]
    return out


def _split(host: HostFunction, template: Template, result: Any) -> tuple[list[Any], dict[str, Any]]:
    """The result of `grad` as gradients by position and by name."""
    grads = list(result) if isinstance(result, (list, tuple)) else [result]
    positional, keyword = template.structure
    count, named = len(positional), {name for name, part in keyword.items() if has_holes(part)}
    by_name: dict[str, Any] = {}
    if named and len(grads) == count + 1 and isinstance(grads[-1], Mapping):
        by_name = dict(grads.pop())
    if len(grads) != count:
        extra = f", then if you like a dict of gradients of {', '.join(sorted(named))}" if named else ""
        raise RefusedGradient(
            f"grad of {host.label} returned {len(grads)} values for {count} inputs; return one per "
            f"input, None where there is no gradient{extra}"
        )
    for name in by_name:
        if name not in named:
            raise RefusedGradient(
                f"grad of {host.label} returned a gradient of {name!r}; keyword arguments that hold tensors are "
                f"{sorted(named)}"
            )
    return grads, by_name


def _place_nest(host: HostFunction, name: str, part: Any, grad: Any, inputs: Sequence[Any], out: list[Any]) -> None:
    try:
        grads = leaves_of(part, grad)
    except StructureError as error:
        raise RefusedGradient(
            f"grad of {host.label}: the gradient of {name!r} does not match its value: {error}"
        ) from None
    for hole, one in zip(nest.flatten(part), grads, strict=True):
        if isinstance(hole, Hole):
            _place(host, f"keyword argument {name!r}", hole, one, inputs, out)


def _place(host: HostFunction, what: str, hole: Hole, grad: Any, inputs: Sequence[Any], out: list[Any]) -> None:
    """Puts one gradient where its input's components stand, checked."""
    if grad is None:
        return
    indices = range(hole.index, hole.index + hole.count)
    if isinstance(grad, Composite) and not hasattr(grad, "__tf_tensor__"):
        parts = list(grad._components())
        if hole.composite is None or len(parts) != hole.count:
            raise RefusedGradient(f"grad of {host.label} returned {repr_of(grad)} for {what}, which is a tensor")
    else:
        parts = [grad if inputs[i].dtype.is_trainable else None for i in indices]
    for i, part in zip(indices, parts, strict=True):
        if part is None or not inputs[i].dtype.is_trainable:
            continue
        try:
            tensor = convert_to_tensor(part, inputs[i].dtype)
        except (ValueError, TypeError) as error:
            raise RefusedGradient(f"grad of {host.label} returned {repr_of(part)} for {what}: {error}") from error
        if not tensor.shape.is_compatible_with(inputs[i].shape):
            raise RefusedGradient(
                f"grad of {host.label} returned shape {tensor.shape} for {what}, which has shape {inputs[i].shape}"
            )
        out[i] = tensor


def warn_lost(label: str) -> None:
    """Warns that a body read the values of its inputs, so that no op connects its results to them."""
    warn(
        f"the gradient of {label} is zero: its body left the framework (for instance through .numpy()), so nothing "
        "connects its outputs to its inputs. Use eager ops in the body, give the function a gradient with grad=, or "
        "return tf.stop_gradient(...) of an input if zero is meant. (inlay explain lost-gradient)",
        errors.LostGradientWarning,
    )
