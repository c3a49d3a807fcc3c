"""`Optimizer`: gradients of a loss, and their application to variables. Subclasses say what one update is."""

from __future__ import annotations

import functools
from collections.abc import Sequence
from typing import Any

from inlay._src.base.export import export
from inlay._src.base.types import dtypes
from inlay._src.core import context
from inlay._src.core.context import init_scope, name_scope
from inlay._src.core.eager.convert import convert_to_tensor
from inlay._src.core.operation import Operation
from inlay._src.core.tensor import Tensor
from inlay._src.core.trackable import Trackable
from inlay._src.engine.autodiff.gradient_tape import GradientTape
from inlay._src.engine.autodiff.graph_gradients import gradients_v1
from inlay._src.ops import array, control, math, segments, sorting
from inlay._src.ops.composite.indexed_slices import IndexedSlices
from inlay._src.ops.variables.collections import GraphKeys, trainable_variables
from inlay._src.ops.variables.spec import stands_for_argument, traced_with
from inlay._src.ops.variables.variable import Variable


@export("train.Optimizer")
class Optimizer(Trackable):
    """Base class of optimizers.

    A subclass defines `_apply_dense(grad, var)` or `_resource_apply_dense(grad, handle)`, and where needed
    `_apply_sparse(grad, var)`, `_create_slots(var_list)`, `_prepare()` and `_finish(update_ops, name_scope)`; or it
    overrides `compute_gradients` and `apply_gradients`. Of two methods with one purpose the nearest class's is called.

    Args:
      use_locking: ignored; updates never tear.
      name: names the operations and slots.

    Raises:
      ValueError: if there is no name.
    """

    GATE_NONE, GATE_OP, GATE_GRAPH = range(3)

    def __init__(self, use_locking: bool, name: str) -> None:
        if not name:
            raise ValueError("Must specify the optimizer name")
        self._use_locking, self._name = use_locking, name
        self._slots: dict[str, dict[Any, tuple[Variable, Variable]]] = {}  # slot name -> key -> (variable, its slot)
        self._own: dict[tuple[str, int], Variable] = {}  # variables that belong to no other one, per graph

    def get_name(self) -> str:
        """The name."""
        return self._name

    # ---- gradients

    def minimize(
        self,
        loss: Any,
        global_step: Variable | None = None,
        var_list: Sequence[Variable] | None = None,
        gate_gradients: int = GATE_OP,
        aggregation_method: Any = None,
        colocate_gradients_with_ops: bool = False,
        name: str | None = None,
        grad_loss: Any = None,
    ) -> Operation | None:
        """`compute_gradients`, then `apply_gradients`.

        Args:
          loss: a tensor; while executing eagerly a function without arguments that returns one.
          global_step: a variable to add 1 to after the update.
          var_list: the variables to change; None means all trainable ones (eagerly: those that the loss read).
          gate_gradients, aggregation_method: accepted and ignored.
          colocate_gradients_with_ops: whether the gradient of an op of the graph is placed where the op is.
          name: the operation's name.
          grad_loss: the cotangent of the loss.

        Returns:
          The operation that updates; None while executing eagerly.

        Raises:
          ValueError: if no variable has a gradient.
        """
        pairs = self.compute_gradients(
            loss,
            var_list=var_list,
            gate_gradients=gate_gradients,
            aggregation_method=aggregation_method,
            colocate_gradients_with_ops=colocate_gradients_with_ops,
            grad_loss=grad_loss,
        )
        with_gradient = [v for g, v in pairs if g is not None]
        if not with_gradient:
            raise ValueError(
                "No gradients provided for any variable, check your graph for ops that do not support gradients, "
                f"between variables {[v.name for _, v in pairs]} and loss {loss}. "
                "(inlay explain no-gradient)"
            )
        return self.apply_gradients(pairs, global_step=global_step, name=name)

    def compute_gradients(
        self,
        loss: Any,
        var_list: Any = None,
        gate_gradients: int = GATE_OP,
        aggregation_method: Any = None,
        colocate_gradients_with_ops: bool = False,
        grad_loss: Any = None,
    ) -> list[tuple[Any, Variable]]:
        """The gradient of `loss` with respect to each variable.

        Args: as for `minimize`.

        Returns:
          (gradient or None, variable) pairs.

        Raises:
          RuntimeError: while executing eagerly, if `loss` is no function.
          ValueError: if there are no variables.
          TypeError: if `var_list` holds something else.
        """
        if callable(loss):
            with GradientTape() as tape:
                if var_list is not None:
                    tape.watch(list(var_list))
                value = loss()
            chosen = list(tape.watched_variables()) if var_list is None else _listed(var_list)
            grads = tape.gradient(value, chosen, grad_loss)
            return list(zip(grads, chosen, strict=True))
        if context.executing_eagerly() and not hasattr(loss, "op"):
            raise RuntimeError(
                "`loss` passed to Optimizer.compute_gradients should be a function when eager execution is enabled. "
                "(inlay explain eager-loss)"
            )
        chosen = trainable_variables() if var_list is None else _listed(var_list)
        if not chosen:
            raise ValueError("No variables to optimize. (inlay explain no-variables)")
        grads = gradients_v1(loss, chosen, grad_loss, colocate_gradients_with_ops=colocate_gradients_with_ops)
        return list(zip(grads, chosen, strict=True))

    # ---- updates

    def apply_gradients(
        self, grads_and_vars: Any, global_step: Variable | None = None, name: str | None = None
    ) -> Operation | None:
        """Updates variables by their gradients.

        Args:
          grads_and_vars: (gradient or None, variable) pairs.
          global_step: a variable to add 1 to after the update.
          name: the operation's name.

        Returns:
          The operation that updates; None while executing eagerly.

        Raises:
          ValueError: if there are no pairs, or none has a gradient.
        """
        pairs = pairs_of(grads_and_vars)
        if not pairs:
            raise ValueError("No variables provided.")
        for grad, variable in pairs:
            if not isinstance(variable, Variable):
                if isinstance(variable, Tensor):
                    raise NotImplementedError(f"Trying to update a Tensor: {variable!r}")
                raise TypeError(f"Variable must be a tf.Variable: {variable!r} (its gradient is {grad!r})")
        live = [(g, v) for g, v in pairs if g is not None]
        if not live:
            raise ValueError(
                f"No gradients provided for any variable: {[v.name for _, v in pairs]}. (inlay explain no-gradient)"
            )
        with init_scope(), name_scope(""):  # slots are called after their variables alone
            self._create_slots([v for _, v in live])
        with name_scope(name, self._name) as scope:
            self._prepare()
            updates = self._update_all(live)
            if global_step is None:
                done = self._finish([u for u in updates if u is not None], scope)
            else:
                finished = self._finish([u for u in updates if u is not None], "update")
                with control.control_dependencies([] if finished is None else [finished]):
                    done = global_step.assign_add(1, name=scope or None, read_value=False)
        graph = context.current().graph
        if graph is not None and done is not None:
            operations = graph.get_collection_ref(GraphKeys.TRAIN_OP)
            if all(item is not done for item in operations):
                operations.append(done)
        return done

    def _update_all(self, pairs: Sequence[tuple[Any, Variable]]) -> list[Any]:
        """Updates variables by their gradients; the operations, or None."""
        return [self._update(grad, variable) for grad, variable in pairs]

    def _update(self, grad: Any, variable: Variable) -> Any:
        label = variable.name.removesuffix(":0").replace("/", "_")
        with name_scope(f"update_{label}"):
            gradient = grad if isinstance(grad, IndexedSlices) else convert_to_tensor(grad)
            if gradient.dtype is not variable.dtype:
                raise ValueError(
                    f"the gradient of {variable.name} has dtype {gradient.dtype.name}, the variable "
                    f"{variable.dtype.name}"
                )
            if isinstance(gradient, IndexedSlices):
                if variable.constraint is not None:
                    raise RuntimeError("Cannot use a constraint function on a sparse variable.")
                return self._update_rows(gradient, variable)
            done = getattr(self, self._nearest("_resource_apply_dense", "_apply_dense"))(gradient, variable)
            if variable.constraint is None:
                return done
            with control.control_dependencies([] if done is None else [done]):
                return variable.assign(variable.constraint(variable._read()), read_value=False)

    def _nearest(self, *methods: str) -> str:
        """The method that the nearest class defines; the first one if it defines several."""
        return next(m for of in type(self).__mro__ for m in methods if m in vars(of))

    def _update_rows(self, grad: IndexedSlices, variable: Variable) -> Any:
        chosen = self._nearest(
            "_resource_apply_sparse_duplicate_indices", "_resource_apply_sparse",
            "_apply_sparse_duplicate_indices", "_apply_sparse",
        )  # fmt: skip
        if chosen.startswith("_apply"):
            return self._apply_sparse_duplicate_indices(grad, variable)
        return self._resource_apply_sparse_duplicate_indices(grad.values, variable, grad.indices)

    def _resource_apply_dense(self, grad: Any, handle: Variable) -> Any:
        """Updates one variable by a dense gradient."""
        return self._apply_dense(grad, handle)

    def _resource_apply_sparse_duplicate_indices(self, grad: Any, handle: Variable, indices: Any) -> Any:
        """Updates rows of one variable; those that are named twice are added up first."""
        return self._resource_apply_sparse(*_added_up(grad, handle, indices))

    def _resource_apply_sparse(self, grad: Any, handle: Variable, indices: Any) -> Any:
        """Updates rows of one variable, each named once; by a dense gradient unless a subclass knows better."""
        return self._resource_apply_dense(as_whole(grad, handle, indices), handle)

    def _apply_dense(self, grad: Any, var: Variable) -> Any:
        raise NotImplementedError(f"{type(self).__name__} defines no _apply_dense(grad, var)")

    def _apply_sparse_duplicate_indices(self, grad: IndexedSlices, var: Variable) -> Any:
        """`_apply_sparse` of rows named once: those that are named twice are added up first."""
        values, _, rows = _added_up(grad.values, var, grad.indices)
        return self._apply_sparse(IndexedSlices(values, rows, grad.dense_shape), var)

    def _apply_sparse(self, grad: IndexedSlices, var: Variable) -> Any:
        return self._resource_apply_sparse(grad.values, var, grad.indices)

    def _create_slots(self, var_list: Sequence[Variable]) -> None:
        """Makes the slots that `var_list` needs; nothing by default."""

    def _prepare(self) -> None:
        """Makes tensors of the hyperparameters; nothing by default."""

    def _finish(self, update_ops: Sequence[Any], name_scope: str) -> Any:
        """The operation that completes the update."""
        return control.group(*update_ops, name=name_scope or None)

    # ---- slots

    def get_slot(self, var: Variable, name: str) -> Variable | None:
        """The slot of a variable, or None."""
        entry = self._slots.get(name, {}).get(slot_key(var))
        return None if entry is None else entry[1]

    def get_slot_names(self) -> list[str]:
        """The names of slots, sorted."""
        return sorted(self._slots)

    def variables(self) -> list[Variable]:
        """The optimizer's own variables of the current graph: slots, powers of betas."""
        home = context.home()
        own = [*self._own.values(), *(slot for by_id in self._slots.values() for _, slot in by_id.values())]
        return sorted((v for v in own if v.graph is home), key=lambda v: v.name)

    def _get_or_make_slot(self, var: Variable, val: Any, slot_name: str, op_name: str) -> Variable:
        """The slot `slot_name` of `var`, made from `val` (a value or a function of none) on first use."""
        by_id = self._slots.setdefault(slot_name, {})
        entry = by_id.get(slot_key(var))
        if entry is None:
            label = f"{var.name.removesuffix(':0')}/{op_name}"
            slot = Variable(val, trainable=False, name=label)
            entry = by_id[slot_key(var)] = traced_with(var), slot
            waiting = self.__dict__.get("_waiting_slot")
            if waiting is not None:  # a checkpoint was restored that has values for slots made later
                waiting(slot_name, var, slot)
        return entry[1]

    def _get_or_make_slot_with_initializer(
        self, var: Variable, initializer: Any, shape: Any, dtype: Any, slot_name: str, op_name: str
    ) -> Variable:
        return self._get_or_make_slot(var, functools.partial(initializer, shape, dtype), slot_name, op_name)

    def _zeros_slot(self, var: Variable, slot_name: str, op_name: str) -> Variable:
        return self._get_or_make_slot(var, lambda: array.zeros(slot_shape(var), var.dtype), slot_name, op_name)

    def _create_non_slot_variable(self, initial_value: Any, name: str, colocate_with: Any = None) -> Variable:
        """A variable that belongs to no other one (Adam's powers of betas), made once per graph."""
        key = (name, id(context.home()))
        if key not in self._own:
            variable = Variable(initial_value, trainable=False, name=name)
            self._own[key] = variable
            waiting = self.__dict__.get("_waiting_restore")
            if waiting is not None:
                waiting(name, variable)
        return self._own[key]

    def _get_non_slot_variable(self, name: str, graph: Any = None) -> Variable | None:
        """The variable that `_create_non_slot_variable` created in the current graph, or None."""
        return self._own.get((name, id(context.home())))

    def _checkpoint_children(self) -> dict[str, Any]:
        """The variables that a checkpoint saves besides slots, by name."""
        home = id(context.home())
        return {name: v for (name, graph), v in self._own.items() if graph == home}

    def _checkpoint_slots(self) -> list[tuple[str, Variable, Variable]]:
        """(slot name, variable, slot)."""
        return [(n, var, slot) for n, by_id in sorted(self._slots.items()) for var, slot in by_id.values()]


def _added_up(grad: Any, var: Variable, indices: Any) -> tuple[Any, Variable, Any]:
    """Rows of a gradient, each named once; the variable; the numbers of the rows."""
    rows, ids = sorting.unique(indices)
    return segments.unsorted_segment_sum(grad, ids, array.shape(rows)[0]), var, rows


def _listed(var_list: Any) -> list[Any]:
    """The sources of gradients: variables, and also tensors, which cannot be updated."""
    chosen = list(var_list) if isinstance(var_list, (list, tuple)) else [var_list]
    for variable in chosen:
        if not isinstance(variable, (Variable, Tensor)):
            raise TypeError(f"Argument is not a tf.Variable: {variable!r}")
    return chosen


def slot_key(var: Variable) -> Any:
    """The key of a variable's slots: its identity, or the name of an argument that is described by its spec alone."""
    if not stands_for_argument(var):
        return id(var)
    traced = traced_with(var)
    return var.name if traced is var else id(traced)


def slot_shape(var: Variable) -> Any:
    """The shape of a variable's slots: a list, or a tensor where it is known only when the variable has a value."""
    return var.shape.as_list() if var.shape.is_fully_defined() else array.shape(var.initialized_value())


def pairs_of(grads_and_vars: Any) -> list[tuple[Any, Any]]:
    """The (gradient or None, variable) pairs of an argument.

    Raises:
      TypeError: if it holds something else.
    """
    pairs = list(grads_and_vars)
    for pair in pairs:
        if not isinstance(pair, (list, tuple)) or len(pair) != 2:
            raise TypeError(f"Expected pairs of a gradient and a variable, not {pair!r}")
    return pairs


def as_whole(grad: Any, var: Variable, indices: Any) -> Any:
    """Rows of a gradient as a dense one."""
    return convert_to_tensor(IndexedSlices(grad, indices, array.shape(var._read())))


def hyperparameter(value: Any, name: str) -> Any:
    """A hyperparameter as a tensor; functions are called."""
    return convert_to_tensor(value() if callable(value) else value, name=name)


def as_type_of(value: Any, var: Variable) -> Any:
    """A hyperparameter's tensor in a variable's type; float32 beside narrower ones, which could not hold 0.999."""
    wanted = var._dtype
    if wanted is dtypes.float16 or wanted is dtypes.bfloat16:
        wanted = dtypes.float32
    return value if value._dtype is wanted else math.cast(value, wanted)
