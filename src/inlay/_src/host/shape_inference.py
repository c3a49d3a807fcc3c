"""The keyword-only choices of a call, and `output_shapes="infer"`: shapes learned from one call on a sample."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from inlay._src.base.types import dtypes, shapes
from inlay._src.base.types.nest import Composite
from inlay._src.base.types.shapes import Dims
from inlay._src.core import context
from inlay._src.core.opdef import Effect
from inlay._src.core.site import caller, of_function
from inlay._src.core.tensor import EagerTensor, SymbolicTensor, Tensor
from inlay._src.host import declare, taped
from inlay._src.host.call_generator import with_generator
from inlay._src.host.executors.event_loop import awaited
from inlay._src.host.record import HostFunction, Leaf, Mode, Outputs
from inlay._src.host.remote_call import host_call, placed


@dataclass(slots=True)
class Options:
    """The keyword-only choices of a call of the family."""

    kwargs: Mapping[str, Any] | None = None
    output_shapes: Any = None
    sample: Sequence[Any] | None = None
    stateful: bool = True
    grad: Callable[..., Any] | None = None
    copy: bool = True
    executor: Any = None
    rng: Any = None
    learned: list[tuple[int, ...]] | None = field(default=None, init=False)  # what the call on the sample returned

    def unusual(self) -> tuple[Any, ...] | None:
        """What `eager.run` wants to know of the choices; None if they are as usual."""
        if self.kwargs is None and self.output_shapes is None and self.grad is None and self.copy:
            return None
        return self.kwargs, self.output_shapes, self.grad, self.copy, False


def learned(func: Any, mode: Mode, outputs: Outputs, options: Options, api: str, inputs: Sequence[Any]) -> Outputs:
    """`outputs` with the shapes that one call on the sample returns.

    A size that the sample shares with an input whose own size is not known (or is another one) is left open: it
    follows that input. All others are promised, and checked on every call.

    Raises:
      ValueError: if there is no sample and none can be made up.
    """
    sample = _made_up(inputs, options, api) if options.sample is None else declare.input_list(options.sample, api)
    if len(sample) != len(inputs):
        raise ValueError(f"{api}: sample has {len(sample)} values for {len(inputs)} inputs")
    if options.learned is None or options.sample is None:
        options.learned = _sample_call(func, mode, outputs, options, api, sample)
    open_sizes = _open_sizes(inputs, sample)
    leaves = tuple(
        Leaf(leaf.dtype, _opened(found, open_sizes, leaf.dims), leaf.path)
        for leaf, found in zip(outputs.leaves, options.learned, strict=True)
    )
    return outputs if any(outputs.composites) else replace(outputs, leaves=leaves)


def _sample_call(
    func: Any, mode: Mode, outputs: Outputs, options: Options, api: str, sample: Sequence[Any]
) -> list[tuple[int, ...]]:
    """The shapes that the function returns for the sample."""
    flat, template = declare.flatten_inputs(sample, options.kwargs)
    if options.rng is not None:
        flat, template = with_generator(flat, template, options.rng, api, number=False)
    if any(isinstance(v, SymbolicTensor) for v in flat):
        raise ValueError(f'{api}: output_shapes="infer" calls the function now, and a symbolic tensor has no value yet')
    label = of_function(func)
    where = placed(options.executor, func, Effect.STATEFUL, label, api)
    host = HostFunction(awaited(func), mode, outputs, Effect.STATEFUL, label, caller(), template, executor=where)
    kind = "EagerPyFunc" if mode is Mode.EAGER else "PyFunc"
    call = host_call(host, f"{kind} (the sample call)", kind)
    with context.using(context.EAGER):
        found = taped.call_recorded(call, declare.tensors_of(flat, api))  # type: ignore[arg-type]
    return [tensor._value.shape for tensor in found]


def _made_up(inputs: Sequence[Any], options: Options, api: str) -> list[Any]:
    """Zeros shaped like the inputs, for a function that may be called at will."""
    if options.stateful:
        raise ValueError(
            f'{api}: output_shapes="infer" learns the shapes from one call of the function, and a stateful function is '
            "never called behind your back; give sample=[...], the inputs for that call"
        )
    made: list[Any] = []
    for i, value in enumerate(inputs):
        if isinstance(value, EagerTensor) or not isinstance(value, (Tensor, Composite)):
            made.append(value)
        elif isinstance(value, Tensor) and value.shape.is_fully_defined() and value.dtype is not dtypes.string:
            made.append(np.zeros(tuple(value.shape.as_list()), value.dtype.np))  # type: ignore[arg-type]
        else:
            raise ValueError(
                f'{api}: output_shapes="infer" needs sample=[...]: the shape or value of input {i}, {value!r}, is '
                "not known"
            )
    return made


def _open_sizes(inputs: Sequence[Any], sample: Sequence[Any]) -> set[int]:
    """Sizes of the sample where the real inputs have another, or an unknown one."""
    sizes: set[int] = set()
    for real, one in zip(_parts(inputs), _parts(sample), strict=False):
        have = np.shape(one) if not isinstance(one, Tensor) else tuple(one.shape.as_list())
        want = real.shape._dims if isinstance(real, Tensor) or hasattr(real, "__tf_tensor__") else np.shape(real)
        if want is None or len(want) != len(have):
            sizes.update(d for d in have if d is not None)
        else:
            sizes.update(h for h, w in zip(have, want, strict=True) if h is not None and h != w)
    return sizes


def _parts(inputs: Sequence[Any]) -> list[Any]:
    """The inputs with composites taken apart."""
    return [part for v in inputs for part in (v._components() if isinstance(v, Composite) else (v,))]


def _opened(found: tuple[int, ...], open_sizes: set[int], declared: Dims) -> Dims:
    return shapes.merge(declared, tuple(None if d in open_sizes else d for d in found))
