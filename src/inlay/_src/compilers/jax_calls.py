"""`inlay.jax`: host functions in JAX's programs, under `jit`, `grad`, `vmap` and the loops of `lax`.

    call(f, result, *args) ─▶ Op ─▶ one binding per shapes and dtypes ─▶ jax.ffi.ffi_call ─▶ entry(arrays) in a program
                                     │                                                        │
                                     └ jax.custom_vjp: order n, whose backward is order n+1 ──┘ `derivatives`

Everything here is JAX's public interface. Where XLA cannot call Python functions by `xla_ffi`, `jax.pure_callback`
calls them.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from operator import itemgetter
from typing import Any

import numpy as np

from inlay._src.base import errors
from inlay._src.base.export import export
from inlay._src.base.interpreter import xla
from inlay._src.base.interpreter.caches import BoundedCache
from inlay._src.base.interpreter.messages import get_logger
from inlay._src.base.misuse import repr_of
from inlay._src.base.types import dtypes
from inlay._src.base.types.shapes import TensorShape, bracketed
from inlay._src.compilers import jax_errors, xla_calls, xla_ffi
from inlay._src.compilers.derivatives import WORD, Array, Order, Primal, owned, write_token
from inlay._src.compilers.host_op import HostOp, NestedFunction, check_vmap, is_spec
from inlay._src.core.opdef import Effect
from inlay._src.core.tensor import EagerTensor
from inlay._src.host.call import ReadAtOnceCall
from inlay._src.host.executors.event_loop import awaited
from inlay._src.host.record import Mode

_BATCHING = {"sequential": "sequential", "batched": "broadcast_all"}
"""`vmap=` -> JAX's name of the method."""


@export("jax.call")
def call(func: Callable[..., Any], result: Any, *args: Any, **options: Any) -> Any:
    """Calls a Python function from JAX code; see `op` for the options and for what the function may do.

    ```python
    import jax, jax.numpy as jnp

    @jax.jit
    def loss(x):
        return tf.jax.call(lambda t: tf.reduce_sum(t * t), jax.ShapeDtypeStruct((), x.dtype), x)

    jax.grad(loss)(jnp.ones(3))  # [2. 2. 2.]
    ```

    Args:
      func: the function.
      result: as in `op`.
      *args: arrays, or nests of arrays, of JAX or NumPy.
      **options: as in `op`.

    Returns:
      JAX arrays nested as `result`. A function that a compiled program calls lives as long as the process.

    Raises:
      As `op`.
    """
    key = func, tuple(sorted(options.items(), key=itemgetter(0)))
    try:
        host_op = _OPS.get(key)
    except TypeError:  # the function or an option has no hash
        return JaxOp(func, result, **options)(*args)
    if host_op is None:
        host_op = _OPS[key] = JaxOp(func, result, **options)
    return host_op.with_result(result)(*args)


_OPS: BoundedCache[Any, JaxOp] = BoundedCache("functions called from JAX", 1024)


@export("jax.op")
def op(func: Callable[..., Any] | None = None, result: Any = None, **options: Any) -> Any:
    """Makes a Python function callable from JAX code; also a decorator.

    The function runs whenever a program that JAX compiled reaches it. Its gradient, of every order, is that of the ops
    of `inlay` that it calls, or `grad`. It costs less than a tenth of `jax.pure_callback`.

    ```python
    import jax, jax.numpy as jnp

    @tf.jax.op(result=lambda x: x)
    def clipped(x):
        return tf.where(x > 0, 2.0 * x, 0.0 * x)

    jax.jit(jax.grad(lambda x: clipped(x).sum()))(jnp.array([1.0, -1.0]))  # [2. 0.]
    ```

    Args:
      func: the function. It takes what `mode` says, and returns arrays or tensors nested as `result`.
      result: the declaration of the result: a nest of objects with `shape` and `dtype`, such as
        `jax.ShapeDtypeStruct`; or a function that receives such objects for the arguments and returns the nest. Every
        call checks them. None calls the function once on zeros, which needs `stateful=False`.
      mode: "eager": the function takes tensors, and its ops are differentiated; "numpy": it takes NumPy arrays, and
        without `grad` it has no gradient.
      grad: the gradient, as in `py_function`: `grad(*inputs, *outputs, *output_grads)`, flat.
      stateful: True keeps calls whose results nobody reads, and never calls the function again for a gradient.
      ordered: True makes the calls of a program in the order of the code, by `jax.experimental.io_callback`, which is
        slower. Such a call is stateful and has no gradient.
      vmap: "sequential" calls the function for each element of a batch; "batched" calls it once, with arguments and
        results that have the axis of the batch first; a function is a rule of `jax.custom_batching.custom_vmap`.
      executor: the place where the function runs, as in `py_function`; XLA's thread is free meanwhile.
      copy: False lends the function the program's own memory, read-only and valid during the call.

    Returns:
      A function of JAX arrays.

    Raises:
      TypeError: for a `result`, an argument or an option that does not fit.
      jax.errors.JaxRuntimeError: in a running program, if the function raises; `jax.host_errors` gives the error.
    """
    if func is None:
        return functools.partial(op, result=result, **options)
    return JaxOp(func, result, **options)


class JaxOp(HostOp):
    """A host function that JAX code calls; see `op`."""

    def __init__(
        self,
        func: Callable[..., Any],
        result: Any = None,
        *,
        mode: str = "eager",
        grad: Callable[..., Any] | None = None,
        stateful: bool = False,
        ordered: bool = False,
        vmap: Any = "sequential",
        executor: Any = None,
        copy: bool = True,
    ) -> None:
        super().__init__("jax.op", func, mode, grad, stateful or ordered, executor, copy)
        check_vmap("jax.op", vmap, _BATCHING, rules=True)
        self._result, self._vmap, self._ordered = result, vmap, ordered
        self._bindings: dict[Any, JaxBinding | OrderedCall] = {}

    def with_result(self, result: Any) -> Callable[..., Any]:
        """The function of JAX arrays with another `result`."""
        return functools.partial(self._called, result)

    def __call__(self, *args: Any) -> Any:
        """The results for JAX arrays."""
        return self._called(self._result, *args)

    def _called(self, result: Any, *args: Any) -> Any:
        tree = xla.jax().tree
        flat, taken = tree.flatten(args)
        arrays = [_as_jax(value, i, self.label) for i, value in enumerate(flat)]
        takes = tuple(_array_of(a, f"argument {i}", self.label) for i, a in enumerate(arrays))
        declared = self._declared(result, taken, takes)
        leaves, returned = tree.flatten(declared, is_leaf=is_spec)
        gives = tuple(_array_of(leaf, f"result {j}", self.label) for j, leaf in enumerate(leaves))
        key = taken, takes, returned, gives
        binding = self._bindings.get(key)
        if binding is None:
            binding = self._bindings[key] = self._binding(*key)
        return tree.unflatten(returned, binding(*arrays))

    def _declared(self, result: Any, taken: Any, takes: Sequence[Array]) -> Any:
        """The nest of shapes and dtypes that the function returns."""
        jax = xla.jax()
        structs = [jax.ShapeDtypeStruct(a.shape, a.dtype.np) for a in takes]
        if result is None:
            return self._learned(taken, takes)
        if callable(result) and not is_spec(result):
            return result(*jax.tree.unflatten(taken, structs))
        return result

    def _learned(self, taken: Any, takes: Sequence[Array]) -> Any:
        """The result of the function for zeros."""
        self.check_may_be_called()
        jax = xla.jax()
        zeros: list[Any] = [np.zeros(a.shape, a.dtype.np) for a in takes]
        if self.mode is Mode.EAGER:
            zeros = [EagerTensor(v if v.ndim else v[()], a.dtype) for v, a in zip(zeros, takes, strict=True)]
        returned = awaited(self.func)(*jax.tree.unflatten(taken, zeros))
        return jax.tree.map(lambda v: jax.ShapeDtypeStruct(np.shape(v), np.asarray(v).dtype), returned)

    def _binding(self, taken: Any, takes: Sequence[Array], returned: Any, gives: Sequence[Array]) -> Any:
        structure, batched = xla.jax().tree.structure, self._vmap == "batched"
        plain = taken == structure((0,) * len(takes)) and returned == structure(0)
        nested = None if plain else NestedFunction(self.func, self.label, taken.unflatten, returned)
        host = self.host_function(gives, nested, checks=not batched)
        order = Primal(host, takes, gives, ReadAtOnceCall)
        if self._ordered:
            return OrderedCall(order)
        rule = None if isinstance(self._vmap, str) else functools.partial(_ruled, self._vmap, taken, returned)
        return JaxBinding(order, _BATCHING.get(self._vmap, "sequential"), rule)


def _ruled(rule: Callable[..., Any], taken: Any, returned: Any, size: int, batched: Any, *arrays: Any) -> Any:
    """A rule for nests as one for flat arrays."""
    results, axes = rule(size, list(taken.unflatten(batched)), *taken.unflatten(arrays))
    flat = tuple(returned.flatten_up_to(results))
    return flat, (axes,) * len(flat) if isinstance(axes, bool) else tuple(returned.flatten_up_to(axes))


def _as_jax(value: Any, place: int, label: str) -> Any:
    try:
        return xla.jnp().asarray(value)
    except TypeError as error:
        raise TypeError(f"argument {place} of {label} is no array: {repr_of(value)}") from error


def _array_of(spec: Any, what: str, label: str) -> Array:
    if not is_spec(spec):
        raise TypeError(f"{what} of {label} has no shape and dtype: {repr_of(spec)}")
    shape = spec.shape.as_list() if isinstance(spec.shape, TensorShape) else spec.shape
    try:
        dtype = np.dtype(spec.dtype.as_numpy_dtype if hasattr(spec.dtype, "as_numpy_dtype") else spec.dtype)
    except TypeError:
        dtype = None  # a dtype of JAX's own, such as that of a key
    if dtype not in xla_ffi.SUPPORTED:
        raise TypeError(f"{what} of {label} is of {spec.dtype}, which no NumPy array has; pass its numbers")
    if xla.jax().dtypes.canonicalize_dtype(dtype) != dtype:
        raise TypeError(f"{what} of {label} is {dtype.name}, and JAX has no 64-bit types here: set jax_enable_x64")
    if None in shape:
        raise TypeError(f"{what} of {label} has shape {bracketed(tuple(shape))}: JAX needs every size")
    return Array(tuple(map(int, shape)), dtypes.FROM_NUMPY[dtype])


# ---------------------------------------------------------------- bindings


class JaxBinding:
    """A function of flat JAX arrays: one order of derivative, whose backward pass is the next.

    Args:
      order: the order.
      method: the method by which JAX batches it.
      rule: a rule of `jax.custom_batching.custom_vmap` that does it instead, or None.
    """

    def __init__(self, order: Order, method: str, rule: Callable[..., Any] | None = None) -> None:
        self._order, self._method, self._rule = order, method, rule
        self._with_token = self._differentiable(functools.partial(self._run, True), lambda outputs: outputs)
        self._function = self._differentiable(functools.partial(self._run, False), lambda outputs: outputs[:-1])

    def _differentiable(self, run: Callable[..., Any], results: Callable[[Any], Any]) -> Callable[..., Any]:
        """A function with its backward pass. The forward pass is the call that keeps its recording.

        That one is differentiable too, by itself: JAX differentiates forward passes where gradients are nested.
        """
        if not self._order.differentiable:
            return run
        function = xla.jax().custom_vjp(run)
        function.defvjp(functools.partial(self._forward, results), self._backward)
        return function  # type: ignore[no-any-return]

    def __call__(self, *arrays: Any) -> Sequence[Any]:
        """The flat results."""
        return self._function(*arrays)  # type: ignore[no-any-return]

    def _forward(self, results: Callable[[Any], Any], *arrays: Any) -> Any:
        host = self._order.host
        if host.mode is Mode.NUMPY and host.grad is None:
            raise TypeError(
                f"{host.label} takes NumPy arrays, through which no gradient flows: give it one with grad=, or take "
                "tensors (mode='eager')"
            )
        outputs = self._with_token(*arrays)
        return results(outputs), (arrays, outputs[-1])

    def _backward(self, residuals: Any, cotangents: Sequence[Any]) -> tuple[Any, ...]:
        arrays, token = residuals
        seeds = [c for c, a in zip(cotangents, self._order.gives, strict=False) if a.dtype.is_trainable]
        grads = iter(self._next(*arrays, token, *seeds))
        asked = set(self._order.differentiable)
        return tuple(next(grads) if i in asked else None for i in range(len(arrays)))

    @functools.cached_property
    def _next(self) -> JaxBinding:
        return JaxBinding(self._order.next(), self._method)

    def _run(self, keep: bool, *arrays: Any) -> tuple[Any, ...]:
        return tuple((self._keeping if keep else self._plain)(*arrays))

    @functools.cached_property
    def _plain(self) -> Callable[..., Any]:
        return self._target(False)

    @functools.cached_property
    def _keeping(self) -> Callable[..., Any]:
        return self._target(True)

    def _target(self, keep: bool) -> Callable[..., Any]:
        """The function whose calls XLA makes; with `keep` it leaves a token as its last result."""
        jax, order = xla.jax(), self._order
        gives = [(a.shape, a.dtype.np) for a in order.gives] + ([((2,), WORD)] if keep else [])
        results = [jax.ShapeDtypeStruct(*array) for array in gives]
        stateful = order.host.effect is Effect.STATEFUL
        if why := xla_ffi.unsupported() or _elsewhere():
            _tell(why)
            target = _by_callback(order, _entry(order, keep), results, self._method, stateful)
        else:
            name = xla_ffi.register(self._handler(keep, [xla_ffi.layout(*array) for array in gives]))
            target = jax.ffi.ffi_call(name, results, vmap_method=self._method, has_side_effect=stateful)
        if self._rule is None or keep:
            return target  # type: ignore[no-any-return]
        ruled = jax.custom_batching.custom_vmap(lambda *arrays: tuple(target(*arrays)))
        ruled.def_vmap(self._rule)
        return ruled  # type: ignore[no-any-return]

    def _handler(self, keep: bool, gives: Sequence[xla_ffi.BufferLayout]) -> xla_ffi.Handler:
        """The handler of the target, for results of these layouts."""
        order = self._order
        takes = [xla_ffi.layout(a.shape, a.dtype.np) for a in order.takes]
        if self._method != "sequential" or any(0 in layout.shape for layout in (*takes, *gives)):
            return xla_ffi.handler(_entry(order, keep))  # the shapes differ, or an empty array has no address
        if keep or order.host.executor is not None or not isinstance(order, Primal):
            return xla_calls.entry_handler(_entry(order, keep), takes, gives)
        return xla_calls.call_handler(order)


class OrderedCall:
    """A function of flat JAX arrays whose calls keep the order of the program; JAX has that for its own callbacks only.

    Args:
      order: the function.
    """

    def __init__(self, order: Order) -> None:
        results = [xla.jax().ShapeDtypeStruct(a.shape, a.dtype.np) for a in order.gives]
        self._call = functools.partial(
            xla.jax().experimental.io_callback, _callback(order, _entry(order, False), results), results, ordered=True
        )

    def __call__(self, *arrays: Any) -> Sequence[Any]:
        """The flat results."""
        return self._call(*arrays)  # type: ignore[no-any-return]


def _by_callback(
    order: Order, entry: xla_ffi.Entry, results: Sequence[Any], method: str, stateful: bool
) -> Callable[..., Any]:
    """The same by `jax.pure_callback`, or `jax.experimental.io_callback` for a stateful function."""
    jax, run = xla.jax(), _callback(order, entry, results)
    if stateful:
        return lambda *arrays: jax.experimental.io_callback(run, results, *arrays)
    return lambda *arrays: jax.pure_callback(run, results, *arrays, vmap_method=method)


def _callback(order: Order, entry: xla_ffi.Entry, results: Sequence[Any]) -> Callable[..., list[np.ndarray]]:
    """An entry as a callback of JAX."""
    ranks = [len(a.shape) for a in order.takes]

    def run(*values: Any) -> list[np.ndarray]:
        arrays = [np.asarray(value) for value in values]
        batch = arrays[0].shape[: arrays[0].ndim - ranks[0]] if arrays else ()
        written = [np.empty((*batch, *r.shape), r.dtype) for r in results]
        running = entry(arrays, written)
        if running is not None:
            running.result()
        return written

    return run


def _elsewhere() -> str:
    """Why programs of this process are not those of a CPU; "" if they are."""
    backend = xla.jax().default_backend()
    return "" if backend == "cpu" else f"the default backend of JAX is {backend}"


@functools.cache
def _tell(why: str) -> None:
    get_logger().warning(
        "XLA cannot call Python functions here, so inlay.jax takes jax.pure_callback, which is ten times slower: %s",
        why,
    )


# ---------------------------------------------------------------- what XLA calls


def _entry(order: Order, keep: bool) -> xla_ffi.Entry:
    """The call of an order by XLA."""
    compute = order.with_token if keep else order.values
    held = order.held
    owns = keep or bool(order.tokens) or (order.host.copy and order.host.mode is Mode.EAGER)
    conjugated = [i for i, (c, a) in enumerate(zip(order.conjugated, order.takes, strict=True)) if c and _complex(a)]
    conjugates = [j for j, (c, a) in enumerate(zip(order.conjugates, order.gives, strict=True)) if c and _complex(a)]

    def computed(arrays: Sequence[Any], results: Sequence[np.ndarray]) -> list[Any]:
        for i in conjugated:
            arrays[i] = np.conjugate(arrays[i])  # type: ignore[index]
        values: list[Any] = compute(arrays)
        if keep:
            write_token(values.pop(), results[-1])
        for j in conjugates:
            values[j] = np.conjugate(values[j])
        return values

    simple = not (keep or conjugated or conjugates)

    def entry(arrays: Sequence[Any], results: Sequence[np.ndarray]) -> None:
        try:
            if owns:  # of arrays of a function of arrays the call makes copies, if it should
                arrays = [*arrays[:held], *map(owned, arrays[held:])]
            values = compute(arrays) if simple else computed(arrays, results)
            for into, value in zip(results, values):  # noqa: B905  # `strict` costs a tenth of the call; a token is over
                if value.shape != into.shape:
                    raise _refused(order, into.shape, value.shape)
                into[...] = value
        except BaseException as error:
            raise jax_errors.marked(error) from None

    if order.host.executor is None:
        return entry
    return lambda arrays, results: _helpers().submit(entry, arrays, results)


def _complex(array: Array) -> bool:
    return array.dtype.is_complex


def _refused(order: Order, wanted: tuple[int, ...], got: tuple[int, ...]) -> Exception:
    return errors.InvalidArgumentError(
        None,
        None,
        f"{order.host.label} returned shape {bracketed(got)}, and the program has room for {bracketed(wanted)}: return "
        "that shape, or correct `result` (vmap='batched' puts the axis of the batch first)",
    )


@functools.cache
def _helpers() -> ThreadPoolExecutor:
    """Threads that wait for executors, so that XLA's need not."""
    return ThreadPoolExecutor(1024, thread_name_prefix="inlay-jax")
