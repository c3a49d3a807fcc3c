"""`output_shapes="infer"`: the shapes of results are learned from one call on a sample."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from inlay._src.base.misuse import repr_of
from inlay._src.base.types import dtypes, shapes
from inlay._src.base.types.nest import Composite
from inlay._src.base.types.shapes import Dims
from inlay._src.core import context
from inlay._src.core.opdef import Effect
from inlay._src.core.site import caller, of_function
from inlay._src.core.tensor import EagerTensor, SymbolicTensor, Tensor
from inlay._src.host import taped
from inlay._src.host.call_generator import with_generator
from inlay._src.host.executors.event_loop import awaited
from inlay._src.host.inputs import CallInputs, flatten_inputs, input_list
from inlay._src.host.record import CallOptions, HostFunction, Leaf, Mode, Outputs
from inlay._src.host.remote_call import host_call, placed


def learned(func: Any, mode: Mode, outputs: Outputs, options: CallOptions, api: str, inputs: CallInputs) -> Outputs:
    """`outputs` with the shapes that one call on the sample returns.

    A size that the sample shares with an input whose own size is unknown or different is left open: it follows that
    input. All other sizes are declared, and checked on every call.

    Raises:
      ValueError: if there is no sample and none can be made up.
    """
    args = _zeros(inputs.args, options, api) if options.sample is None else input_list(options.sample, api)
    if len(args) != len(inputs.args):
        raise ValueError(f"{api}: sample has {len(args)} values for {len(inputs.args)} inputs")
    sample = flatten_inputs(args, options.kwargs, api)
    if options.sample_shapes is None or options.sample is None:
        options.sample_shapes = _sample_call(func, mode, outputs, options, api, sample)
    open_sizes = _open_sizes(inputs, sample)
    leaves = tuple(
        Leaf(leaf.dtype, _opened(shape, open_sizes, leaf.dims), leaf.path)
        for leaf, shape in zip(outputs.leaves, options.sample_shapes, strict=True)
    )
    return outputs if any(outputs.composites) else replace(outputs, leaves=leaves)


def _sample_call(
    func: Any, mode: Mode, outputs: Outputs, options: CallOptions, api: str, sample: CallInputs
) -> list[tuple[int, ...]]:
    """The shapes that the function returns for the sample."""
    if options.rng is not None:
        sample = with_generator(sample, options.rng, api, number=False)
    if any(isinstance(v, SymbolicTensor) for v in sample.values):
        raise ValueError(f'{api}: output_shapes="infer" calls the function now, and a symbolic tensor has no value yet')
    label = of_function(func)
    where = placed(options.executor, func, Effect.STATEFUL, label, api)
    host = HostFunction(awaited(func), mode, outputs, Effect.STATEFUL, label, caller(), sample.template, executor=where)
    kind = "EagerPyFunc" if mode is Mode.EAGER else "PyFunc"
    call = host_call(host, f"{kind} (the sample call)", kind)
    with context.using(context.EAGER):
        results = taped.call_recorded(call, sample.tensors(api))  # type: ignore[arg-type]
    return [tensor._value.shape for tensor in results]


def _zeros(inputs: Sequence[Any], options: CallOptions, api: str) -> list[Any]:
    """Zeros shaped like the inputs, for a function that may be called at will."""
    if options.stateful:
        raise ValueError(
            f'{api}: output_shapes="infer" calls the function once to learn the shapes. For a stateful function pass '
            "sample=[...], the inputs of that call, because inlay does not call such a function implicitly"
        )
    sample: list[Any] = []
    for i, value in enumerate(inputs):
        if isinstance(value, EagerTensor) or not isinstance(value, (Tensor, Composite)):
            sample.append(value)
        elif isinstance(value, Tensor) and value.shape.is_fully_defined() and value.dtype is not dtypes.string:
            sample.append(np.zeros(tuple(value.shape.as_list()), value.dtype.np))  # type: ignore[arg-type]
        else:
            raise ValueError(
                f'{api}: output_shapes="infer" needs sample=[...]: the shape or value of input {i}, {repr_of(value)}, '
                "is not known"
            )
    return sample


def _open_sizes(inputs: CallInputs, sample: CallInputs) -> set[int]:
    """Sizes of the sample where the actual positional inputs have another, or an unknown one."""
    sizes: set[int] = set()
    for actual, example in zip(_positional_shapes(inputs), _positional_shapes(sample), strict=False):
        if actual is None or example is None or len(actual) != len(example):
            sizes.update(size for size in example or () if size is not None)
        else:
            sizes.update(e for e, a in zip(example, actual, strict=True) if e is not None and e != a)
    return sizes


def _positional_shapes(inputs: CallInputs) -> list[Dims]:
    """The shapes of the flat positional inputs."""
    template = inputs.template
    count = len(inputs.values) if template is None else sum(hole.count for hole in template.structure[0])
    return [
        value.shape._dims if isinstance(value, Tensor) or hasattr(value, "__tf_tensor__") else np.shape(value)
        for value in inputs.values[:count]
    ]


def _opened(shape: tuple[int, ...], open_sizes: set[int], declared: Dims) -> Dims:
    """A declared shape, refined by that of the sample's result with the open sizes left out."""
    return shapes.merge(declared, tuple([None if size in open_sizes else size for size in shape]))
