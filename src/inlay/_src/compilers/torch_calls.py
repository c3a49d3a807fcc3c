"""`inlay.torch`: host functions in programs of PyTorch, under `torch.compile`, autograd and `torch.func`.

op(f)(*args) ─▶ TorchOp ─▶ TorchBinding per structure and dtypes ─▶ tensors          `torch_bindings`
                    └────▶ ResultRule: result= ─▶ shapes of the results
"""

from __future__ import annotations

import functools
import importlib
import sys
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from inlay._src.base.export import export
from inlay._src.base.interpreter.forking import new_lock
from inlay._src.base.misuse import repr_of
from inlay._src.base.types import dtypes
from inlay._src.base.types.shapes import TensorShape, bracketed
from inlay._src.compilers.derivatives import Array, Primal
from inlay._src.compilers.host_op import HostOp, NestedFunction, check_vmap, is_spec
from inlay._src.compilers.torch_bindings import TorchBinding, dtype_of, torch_dtypes, torch_module
from inlay._src.core.tensor import EagerTensor
from inlay._src.host.executors.event_loop import awaited
from inlay._src.host.record import Mode

_VMAP = ("sequential", "batched")


@export("torch.op")
def op(func: Callable[..., Any] | None = None, result: Any = None, **options: Any) -> Any:
    """Makes a Python function callable from PyTorch code; also a decorator.

    The function is an op of `torch.library`, so `torch.compile` calls it without a graph break. Its gradient, of every
    order, is that of the ops of `inlay` that it calls, or `grad`.

    ```py
    @inlay.torch.op(result=lambda x: x)
    def clipped(x):
        return tf.where(x > 0, 2.0 * x, 0.0 * x)

    x = torch.tensor([1.0, -1.0], requires_grad=True)
    torch.compile(clipped, fullgraph=True)(x).sum().backward()
    x.grad  # [2. 0.]
    ```

    Args:
      func: the function. It takes what `mode` says, and returns arrays or tensors nested as `result`.
      result: the declaration of the result: a nest of objects with `shape` and `dtype`, such as
        `torch.empty(2, device="meta")`; or a function that receives such tensors for the arguments and returns the
        nest, whose structure and dtypes must not depend on shapes. Every call checks them. None calls the function on
        zeros, once for new dtypes and whenever a compiler asks for new shapes, which needs `stateful=False`.
      mode: "eager": the function takes tensors, and its ops are differentiated; "numpy": it takes NumPy arrays, and
        without `grad` it has no gradient.
      grad: the gradient, as in `py_function`: `grad(*inputs, *outputs, *output_grads)`, flat.
      stateful: True keeps calls whose results nobody reads, and never calls the function again for a gradient.
      vmap: "sequential" calls the function for each element of a batch; "batched" calls it once, with arguments and
        results that have the axis of the batch first.
      executor: the place where the function runs, as in `py_function`.
      copy: False lends the function the memory of contiguous tensors on the CPU.

    Returns:
      A function of PyTorch tensors, or of nests of them. Its method `overload(*args)` returns the op that such a call
      runs, for `torch.library.opcheck`.

    Raises:
      ImportError: if PyTorch is not installed.
      TypeError: for a `result`, an argument or an option that does not fit, and for the gradient of a function that
        has none.
      errors.OpError: if the function raises. The error is an instance of the original class too.
    """
    return functools.partial(op, result=result, **options) if func is None else TorchOp(func, result, **options)


class TorchOp(HostOp):
    """A host function that PyTorch code calls; see `op`."""

    def __init__(
        self,
        func: Callable[..., Any],
        result: Any = None,
        *,
        mode: str = "eager",
        grad: Callable[..., Any] | None = None,
        stateful: bool = False,
        vmap: str = "sequential",
        executor: Any = None,
        copy: bool = True,
    ) -> None:
        super().__init__("torch.op", func, mode, grad, stateful, executor, copy)
        check_vmap("torch.op", vmap, _VMAP, rules=False)
        torch = torch_module()
        self.result, self._vmap = result, vmap
        self._bindings: dict[Any, tuple[TorchBinding, Any]] = {}
        self._flat: dict[Any, TorchBinding] = {}  # of calls with tensors alone whose result is one tensor
        self._lock = new_lock()
        self._tensor, self._compiling = torch.Tensor, torch.compiler.is_dynamo_compiling
        self._traced: Callable[..., Any] | None = None
        self._prepare = self._preparation()

    def __call__(self, *args: Any) -> Any:
        """The results for PyTorch tensors."""
        if self._compiling():
            self._prepare()
            return self._traced(*args)  # type: ignore[misc]
        tensor = self._tensor
        kinds = []
        for value in args:
            if not isinstance(value, tensor):
                return self._nested(args)
            kinds.append(value.dtype)
        binding = self._flat.get(tuple(kinds))
        return self._nested(args) if binding is None else binding(*args)[0]

    def overload(self, *args: Any) -> Any:
        """The op of `torch.library` that a call with these arguments runs.

        Args:
          *args: the arguments of the call.

        Returns:
          A `torch._ops.OpOverload`. It takes the tensors among the arguments, flat, and returns flat tensors. Its
          gradient calls the function again, while that of a call does not.

        Raises:
          TypeError: as the call.
        """
        return self._bound(args)[1].plain

    def __deepcopy__(self, memo: Any) -> TorchOp:
        """Itself: copies of modules share it as they share functions."""
        return self

    def __repr__(self) -> str:
        return f"<inlay.torch.op {self.label}>"

    def _preparation(self) -> Callable[[], bool]:
        """A function that the compiler calls while it traces a call, and whose result it takes for a constant.

        It tells the compiler to put the call into its graph as it is, and to trace with fake tensors what happens
        inside. To tell it earlier would take the import of the compiler, which lasts seconds.
        """

        def entry(*args: Any) -> Any:
            return self._nested(args)

        def prepare() -> bool:
            if self._traced is None:
                dynamo = sys.modules["torch._dynamo"]
                mark = getattr(dynamo, "nonstrict_trace", None) or dynamo.allow_in_graph  # PyTorch 2.7 has the former
                self._traced = mark(entry)
            return True

        prepare._dynamo_marked_constant = True  # type: ignore[attr-defined]  # as `assume_constant_result` marks it
        return prepare

    def _nested(self, args: tuple[Any, ...]) -> Any:
        tensors, binding, returned = self._bound(args)
        return _tree().tree_unflatten(list(binding(*tensors)), returned)

    def _bound(self, args: tuple[Any, ...]) -> tuple[list[Any], TorchBinding, Any]:
        """The tensors among the arguments, the binding that takes them, and the structure of its results."""
        flat, taken = _tree().tree_flatten(args)
        tensors = [self._as_tensor(value, i) for i, value in enumerate(flat)]
        key = taken, tuple([t.dtype for t in tensors])
        entry = self._bindings.get(key)
        if entry is None:
            rule = ResultRule(
                self, taken, [dtype_of(t.dtype, f"argument {i}", self.label) for i, t in enumerate(tensors)]
            )
            returned, gives = rule([t.shape for t in tensors])
            with self._lock:
                entry = self._bindings.get(key)
                if entry is None:
                    entry = self._bindings[key] = self._binding(rule, gives, returned), returned
                    if taken == _tree().tree_flatten((0,) * len(tensors))[1] and returned.is_leaf():
                        self._flat[key[1]] = entry[0]
        return tensors, *entry

    def _as_tensor(self, value: Any, place: int) -> Any:
        if not isinstance(value, self._tensor):
            try:
                value = torch_module().as_tensor(value)
            except (TypeError, ValueError, RuntimeError) as error:
                raise TypeError(f"argument {place} of {self.label} is no tensor: {repr_of(value)}") from error
        if value.layout is not torch_module().strided:
            raise TypeError(
                f"argument {place} of {self.label} has the layout {value.layout}, which no NumPy array has: "
                "pass its to_dense()"
            )
        return value

    def _binding(self, rule: ResultRule, gives: Sequence[Array], returned: Any) -> TorchBinding:
        plain = rule.taken == _tree().tree_flatten((0,) * len(rule.takes))[1] and returned.is_leaf()
        unflatten = functools.partial(_tree().tree_unflatten, treespec=rule.taken)
        nested = None if plain else NestedFunction(self.func, self.label, unflatten, returned)
        host = self.host_function(gives, nested, checks=False)  # a call checks shapes by its rule, which is faster
        order = Primal(host, [Array((), dtype) for dtype in rule.takes], [Array((), a.dtype) for a in gives])
        return TorchBinding(order, self._vmap, rule.shapes_like(returned, gives), self.result is not None)


# ---------------------------------------------------------------- shapes and dtypes


class ResultRule:
    """The shapes and dtypes of results from the shapes of arguments, whose structure and dtypes are fixed.

    Args:
      op: the function.
      taken, takes: the structure and the dtypes of the arguments.
    """

    def __init__(self, op: TorchOp, taken: Any, takes: Sequence[dtypes.DType]) -> None:
        self._op, self.taken, self.takes = op, taken, takes

    def __call__(self, shapes: Sequence[Sequence[Any]]) -> tuple[Any, list[Array]]:
        """The structure of the results, and their shapes and dtypes."""
        op, tree, torch = self._op, _tree(), torch_module()
        result, label = op.result, op.label
        if result is None:
            result = self._learned(shapes)
        elif callable(result) and not is_spec(result):
            metas = [torch.empty(s, dtype=torch_dtypes()[t].torch, device="meta") for s, t in self._each(shapes)]
            result = result(*tree.tree_unflatten(metas, self.taken))
        leaves, returned = tree.tree_flatten(result, is_leaf=is_spec)
        return returned, [_array_of(leaf, f"result {j}", label) for j, leaf in enumerate(leaves)]

    def shapes_like(self, returned: Any, gives: Sequence[Array]) -> Callable[[Sequence[Any]], list[Any]]:
        """The rule for shapes alone, which refuses results of other structures and dtypes than these."""
        fixed = [a.dtype for a in gives]

        def shapes_of(shapes: Sequence[Any]) -> list[Any]:
            structure, arrays = self(shapes)
            if structure != returned or [a.dtype for a in arrays] != fixed:
                raise TypeError(
                    f"torch.op: `result` of {self._op.label} says {structure} of {[a.dtype.name for a in arrays]} for "
                    f"the shapes {[tuple(s) for s in shapes]}, and {returned} of {[d.name for d in fixed]} for others: "
                    "structure and dtypes must not depend on shapes"
                )
            return [a.shape for a in arrays]

        return shapes_of

    def _each(self, shapes: Sequence[Any]) -> list[tuple[tuple[Any, ...], dtypes.DType]]:
        return [(tuple(s), t) for s, t in zip(shapes, self.takes, strict=True)]

    def _learned(self, shapes: Sequence[Any]) -> Any:
        """The result of the function for zeros."""
        op, tree = self._op, _tree()
        op.check_may_be_called()
        zeros: list[Any] = [np.zeros(tuple(map(int, s)), t.np) for s, t in self._each(shapes)]
        if op.mode is Mode.EAGER:
            zeros = [
                EagerTensor(value if value.ndim else value[()], t) for value, t in zip(zeros, self.takes, strict=True)
            ]
        returned = awaited(op.func)(*tree.tree_unflatten(zeros, self.taken))
        return tree.tree_map(lambda v: v if is_spec(v) else np.asarray(v), returned)


def _array_of(spec: Any, what: str, label: str) -> Array:
    if not is_spec(spec):
        raise TypeError(f"{what} of {label} has no shape and dtype: {repr_of(spec)}")
    shape: Any = spec.shape.as_list() if isinstance(spec.shape, TensorShape) else spec.shape
    if None in shape:
        raise TypeError(f"{what} of {label} has shape {bracketed(tuple(shape))}: PyTorch needs every size")
    return Array(tuple(shape), dtype_of(spec.dtype, what, label))


@functools.cache
def _tree() -> Any:
    return importlib.import_module("torch.utils._pytree")
