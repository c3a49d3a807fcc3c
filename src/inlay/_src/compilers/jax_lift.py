"""`inlay.jax.lift`: a traced function as a function of JAX arrays.

    function ─▶ ConcreteFunction ─▶ Plan ─▶ step by step, while JAX traces
                                             kernel       under `jax.numpy`
                                             call         the program in its place
                                             If, Case     `lax.cond`, `lax.switch`
                                             While        `lax.while_loop`
                                             host call    `jax_calls`

A step whose inputs are known while JAX traces runs under NumPy, as in a compiled segment.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from inlay._src.base import errors
from inlay._src.base.export import export
from inlay._src.base.interpreter import xla
from inlay._src.base.interpreter.caches import BoundedCache
from inlay._src.base.misuse import repr_of
from inlay._src.base.types import dtypes, shapes
from inlay._src.base.types.shapes import TensorShape
from inlay._src.base.types.specs import TensorSpec
from inlay._src.compilers.derivatives import Array, Primal
from inlay._src.compilers.jax_calls import JaxBinding
from inlay._src.core.opdef import Effect
from inlay._src.core.tensor import EagerTensor
from inlay._src.engine.plan.build import build
from inlay._src.engine.plan.plan import Step
from inlay._src.engine.plan.step_call import KernelCall, StepCall
from inlay._src.engine.run.executable import Executable
from inlay._src.engine.run.xla_segments import trace_step
from inlay._src.host import declare
from inlay._src.host.call import ReadAtOnceCall
from inlay._src.host.steps import ArrayStep, TensorStep
from inlay._src.programs.control.branches import BranchCall
from inlay._src.programs.control.repeating import WhileCall
from inlay._src.programs.functions.concrete import ConcreteFunction
from inlay._src.programs.program import FunctionCall, Program

_KEPT = frozenset({Effect.WRITES, Effect.STATEFUL, Effect.RANDOM})
"""Effects of kernels that a pure function cannot have."""


@export("jax.lift")
def lift(function: Any) -> Callable[..., Any]:
    """A traced function as a function of JAX arrays, for `jax.jit`, `jax.grad`, `jax.vmap` and the rest.

    Its ops become JAX's, and JAX differentiates them. Its host calls are those of `inlay.jax.op`. Variables have the
    values that they have while JAX traces.

    ```python
    import jax, jax.numpy as jnp

    @tf.function
    def energy(x):
        return tf.reduce_sum(tf.sin(x) ** 2)

    jax.jit(jax.grad(tf.jax.lift(energy)))(jnp.ones(3))
    ```

    Args:
      function: the result of `tf.function`, a concrete function, or a signature of a loaded model.

    Returns:
      A function of nests of arrays that returns a nest of JAX arrays. It traces the function for new shapes and dtypes.

    Raises:
      TypeError: if it is no traced function.
      errors.UnimplementedError: while JAX traces: a step draws random numbers, changes state, makes text or arrays
        whose shape depends on values, or is a host call without a shape.
    """
    if not isinstance(function, ConcreteFunction) and not hasattr(function, "get_concrete_function"):
        raise TypeError(f"jax.lift takes what tf.function returns, or a concrete function; got {repr_of(function)}")

    def lifted(*args: Any, **kwargs: Any) -> Any:
        jax = xla.jax()
        specs = jax.tree.map(_spec, (args, kwargs))
        concrete = (
            function
            if isinstance(function, ConcreteFunction)
            else function.get_concrete_function(*specs[0], **specs[1])
        )
        leaves = jax.tree.leaves((args, kwargs))
        as_array = xla.jnp().asarray if any(map(xla.is_traced, leaves)) else np.asarray
        flat = [as_array(leaf) for leaf in leaves]
        program = concrete.program
        captured = [value._value if isinstance(value, EagerTensor) else value for value in program.captures]
        results = _run_program(program, [*flat, *captured])[: len(program.graph.outputs)]
        return concrete.packed([xla.jnp().asarray(value) for value in results])

    return lifted


def _spec(value: Any) -> TensorSpec:
    array = xla.jnp().asarray(value)
    return TensorSpec(array.shape, dtypes.FROM_NUMPY[np.dtype(array.dtype)])


def _run_program(program: Any, values: Sequence[Any]) -> list[Any]:
    """The results of a program while JAX traces."""
    if isinstance(program, Program):  # its plan without segments, which are compiled by themselves
        fetches: list[Any] = [*program.graph.outputs, *program.also, *program.graph.effectful()]
        executable = Executable(build(program.graph, fetches, program.parameters), program.graph)
    else:
        executable = program.executable
    cells = executable.template.copy()
    for slot, value in zip(executable.feeds, values, strict=True):
        cells[slot] = value
    for step, call in zip(executable.steps, executable.calls, strict=True):
        results = _run_step(step, call, [cells[slot] for slot in step.ins])
        for slot, result in zip(step.outs, results, strict=False):
            if slot != -1:
                cells[slot] = result
    return [cells[slot] for slot in executable.fetches]


def _run_step(step: Step, call: StepCall, values: list[Any]) -> Sequence[Any]:
    try:
        if isinstance(call, FunctionCall):
            return _run_program(call.programs[0], values)
        if isinstance(call, BranchCall):
            return _branch(call, values)
        if isinstance(call, WhileCall):
            return _loop(call, values)
        if isinstance(call, (ArrayStep, TensorStep)):
            return _host_call(step, call, values)
        if not isinstance(call, KernelCall) or step.opdef.effect in _KEPT:
            raise ValueError("it changes state, draws random numbers or runs other programs")
        return trace_step(step, values)
    except errors.UnimplementedError:
        raise
    except (ValueError, TypeError, IndexError, AttributeError, NotImplementedError, RuntimeError) as error:
        raise errors.UnimplementedError(
            None,
            None,
            f"jax.lift cannot take op '{step.name}' ({step.op}), defined at {step.site}, into JAX: {error}\n"
            "  Move it out of the function, or into a py_function with output_shapes.",
        ) from error


def _branch(call: BranchCall, values: Sequence[Any]) -> Sequence[Any]:
    selector, operands = values[0], values[1:]
    branches = [
        lambda at=at: tuple(_run_program(call.programs[at], [operands[i] for i in call.picks[at]]))
        for at in range(len(call.programs))
    ]
    if not xla.is_traced(selector):
        return branches[call.index(np.asarray(selector)[()])]()
    lax, index = xla.lax(), selector.reshape(())
    if index.dtype == bool:
        return lax.cond(index, *branches)  # type: ignore[no-any-return]
    last = len(branches) - 1
    return lax.switch(xla.jnp().where((index < 0) | (index > last), last, index), branches)  # type: ignore[no-any-return]


def _loop(call: WhileCall, values: Sequence[Any]) -> Sequence[Any]:
    jnp, count = xla.jnp(), call.count
    if any(dtype._kind in "rv" for dtype in call.dtypes[:count]):
        raise ValueError("the loop carries a list or a resource; use a tensor and tensor_scatter_nd_update")
    captured = [[values[count + i] for i in picks] for picks in call.picks]
    limit = call.limit

    def goes_on(state: Any) -> Any:
        iteration, variables = state
        holds = jnp.reshape(_run_program(call.programs[0], [*variables, *captured[0]])[0], ())
        return holds if limit is None else holds & (iteration < limit)

    def turn(state: Any) -> Any:
        iteration, variables = state
        results = _run_program(call.programs[1], [*variables, *captured[1]])[:count]
        return iteration + 1, tuple(jnp.asarray(r) for r in results)

    start = tuple(jnp.asarray(v, d.np) for v, d in zip(values, call.dtypes[:count], strict=False))
    return xla.lax().while_loop(goes_on, turn, (jnp.int32(0), start))[1]  # type: ignore[no-any-return]


def _host_call(step: Step, call: ArrayStep | TensorStep, values: Sequence[Any]) -> Sequence[Any]:
    host, arrays = call.call.host, [xla.jnp().asarray(value) for value in values]
    takes = [Array(a.shape, d) for a, d in zip(arrays, step.in_dtypes, strict=True)]
    dims = step.promised
    if host.shape_of is not None:
        dims = tuple(declare.computed(host, [TensorShape(list(a.shape)) for a in arrays]))
    for place, shape in enumerate(dims):
        if shape is None or None in shape:
            raise ValueError(
                f"its result {place} has shape {shapes.bracketed(shape)}, and JAX needs every size: say output_shapes="
            )
    gives = [Array(shape, leaf.dtype) for shape, leaf in zip(dims, host.outputs.leaves, strict=True)]  # type: ignore[arg-type]
    key = host, tuple(takes), tuple(gives)
    binding = _BINDINGS.get(key)
    if binding is None:
        binding = _BINDINGS[key] = JaxBinding(Primal(host, takes, gives, ReadAtOnceCall), "sequential")
    return binding(*arrays)


_BINDINGS: BoundedCache[Any, JaxBinding] = BoundedCache("host calls of lifted functions", 1024)
