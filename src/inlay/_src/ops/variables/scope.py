"""`variable_scope` and `get_variable`: variables by name, made once and shared on request.

    Graph ── collections[("__variable_store",)] ─▶ Store: full name ─▶ Variable; scope ─▶ number of times it was opened
          └─ collections[("__varscope",)] ───────▶ the root VariableScope
    a context variable holds (graph, the innermost VariableScope)

Eager variables are not kept by name: `get_variable` makes a new one each time, as in TensorFlow.
"""

from __future__ import annotations

import contextvars
import enum
import functools
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from typing import Any

from inlay._src.base.export import export
from inlay._src.base.misuse import repr_of
from inlay._src.base.types import dtypes
from inlay._src.base.types.dtypes import DType
from inlay._src.core import context
from inlay._src.core.context import name_scope
from inlay._src.core.graph import global_graph
from inlay._src.ops.variables.collections import GraphKeys
from inlay._src.ops.variables.store import dtype_of, make_or_share, no_name_scope, store_of
from inlay._src.ops.variables.variable import Variable, VariableAggregation, VariableSynchronization


class _ReuseMode(enum.Enum):
    """`AUTO_REUSE`: share a variable if it exists, else make it."""

    AUTO_REUSE = 1


AUTO_REUSE = export("AUTO_REUSE")(_ReuseMode.AUTO_REUSE)
_OPTIONS = ("initializer", "regularizer", "caching_device", "partitioner", "custom_getter", "dtype", "constraint")


@export("VariableScope")
class VariableScope:
    """Defaults for `get_variable` and the prefix of its names.

    Attributes:
      name: the prefix, without a trailing slash.
      original_name_scope: the name scope that was opened with it.
      reuse: False, True or AUTO_REUSE.
      initializer, regularizer, dtype, constraint, custom_getter, caching_device, partitioner: the defaults.
    """

    name: str
    original_name_scope: str
    reuse: Any
    initializer: Any
    regularizer: Any
    dtype: DType
    custom_getter: Any
    caching_device: Any
    partitioner: Any
    constraint: Any
    use_resource: Any

    def __init__(
        self,
        reuse: Any,
        name: str = "",
        initializer: Any = None,
        regularizer: Any = None,
        caching_device: Any = None,
        partitioner: Any = None,
        custom_getter: Any = None,
        name_scope: str = "",
        dtype: Any = dtypes.float32,
        use_resource: Any = None,
        constraint: Any = None,
    ) -> None:
        if not isinstance(name, str):
            raise TypeError(f"The name of a variable scope must be a string, got {repr_of(name)}")
        self.name, self.reuse, self.original_name_scope = name, reuse, name_scope
        self.initializer, self.regularizer, self.dtype = initializer, regularizer, dtypes.as_dtype(dtype)
        self.caching_device, self.partitioner, self.custom_getter = caching_device, partitioner, custom_getter
        self.constraint, self.use_resource = constraint, use_resource

    def reuse_variables(self) -> None:
        """From here on variables of this scope are shared, not made."""
        self.reuse = True

    def set_initializer(self, initializer: Any) -> None:
        """Changes the default initializer."""
        self.initializer = initializer

    def set_regularizer(self, regularizer: Any) -> None:
        """Changes the default regularizer."""
        self.regularizer = regularizer

    def set_dtype(self, dtype: Any) -> None:
        """Changes the default type."""
        self.dtype = dtypes.as_dtype(dtype)

    def set_custom_getter(self, custom_getter: Any) -> None:
        """Changes what makes variables."""
        self.custom_getter = custom_getter

    def set_caching_device(self, caching_device: Any) -> None:
        """Changes where values lie when they are read."""
        self.caching_device = caching_device

    def set_partitioner(self, partitioner: Any) -> None:
        """Changes what says into how many parts variables are cut."""
        self.partitioner = partitioner

    def get_collection(self, name: str) -> list[Any]:
        """The items of a collection that belong to this scope."""
        graph = context.keeper()
        return [] if graph is None else graph.get_collection(name, f"{self.name}/" if self.name else None)

    def global_variables(self) -> list[Variable]:
        """The global variables of this scope."""
        return self.get_collection(GraphKeys.GLOBAL_VARIABLES)

    def trainable_variables(self) -> list[Variable]:
        """The trainable variables of this scope."""
        return self.get_collection(GraphKeys.TRAINABLE_VARIABLES)

    def local_variables(self) -> list[Variable]:
        """The local variables of this scope."""
        return self.get_collection(GraphKeys.LOCAL_VARIABLES)

    def get_variable(self, name: str, shape: Any = None, dtype: Any = None, **options: Any) -> Variable:
        """`get_variable` in this scope."""
        return _get(self, name, shape, dtype, options)


_CURRENT: contextvars.ContextVar[tuple[Any, VariableScope] | None] = contextvars.ContextVar(
    "inlay_variable_scope", default=None
)


@export("get_variable_scope")
def get_variable_scope() -> VariableScope:
    """The innermost variable scope of the current graph; eagerly the outermost one is that of the default graph."""
    graph, current = context.keeper(), _CURRENT.get()
    if current is not None and current[0] is graph:
        return current[1]
    outermost = (graph or global_graph())._collections.setdefault(("__varscope",), [])
    if not outermost:
        outermost.append(VariableScope(False))
    return outermost[0]  # type: ignore[no-any-return]


@export("variable_scope")
class variable_scope:
    """Names of variables made by `get_variable` in the block start with `name/`; so do names of other nodes.

    Args:
      name_or_scope: the name, or a `VariableScope` to enter again from anywhere.
      default_name: the name if `name_or_scope` is None, made unique.
      values: ignored; a 1.x argument.
      initializer, regularizer, caching_device, partitioner, custom_getter, dtype, constraint: new defaults.
      reuse: True shares variables that exist and refuses others, AUTO_REUSE makes those that do not exist, None
        inherits.
      use_resource: ignored.
      auxiliary_name_scope: whether a name scope is opened too.

    Raises:
      ValueError: for a reuse mode that makes no sense here.
      TypeError: if `name_or_scope` is neither.
    """

    def __init__(
        self,
        name_or_scope: Any,
        default_name: str | None = None,
        values: Any = None,
        initializer: Any = None,
        regularizer: Any = None,
        caching_device: Any = None,
        partitioner: Any = None,
        custom_getter: Any = None,
        reuse: Any = None,
        dtype: Any = None,
        use_resource: Any = None,
        constraint: Any = None,
        auxiliary_name_scope: bool = True,
    ) -> None:
        if default_name is None and name_or_scope is None:
            raise TypeError("If default_name is None then name_or_scope is required")
        if name_or_scope is None and reuse is not None and reuse is not False:
            raise ValueError("reuse=True cannot be used without a name_or_scope")
        if reuse not in (None, True, False, AUTO_REUSE):
            raise ValueError("The reuse parameter must be True or False or None.")
        if not isinstance(auxiliary_name_scope, bool):
            raise TypeError(f"The auxiliary_name_scope must be `True` or `False`, while get {auxiliary_name_scope!r}.")
        if not isinstance(name_or_scope, (str, VariableScope, type(None))):
            raise TypeError(f"VariableScope: name_or_scope must be a string or VariableScope, got {name_or_scope!r}")
        self._given, self._default, self._reuse = name_or_scope, default_name, reuse
        self._changes = dict(
            zip(
                _OPTIONS,
                (initializer, regularizer, caching_device, partitioner, custom_getter, dtype, constraint),
                strict=True,
            )
        )
        self._names_too = auxiliary_name_scope
        self._open: list[Any] = []

    def __enter__(self) -> VariableScope:
        manager = self._entered()
        scope = manager.__enter__()
        self._open.append((manager, scope))
        return scope

    def __exit__(self, *error: Any) -> None:
        manager, scope = self._open[-1]
        if get_variable_scope() is not scope:
            raise RuntimeError("Improper nesting of variable_scope.")
        self._open.pop()
        manager.__exit__(*error)

    def __call__(self, function: Callable[..., Any]) -> Callable[..., Any]:
        """Runs a function in the scope, as a decorator."""

        @functools.wraps(function)
        def inside(*args: Any, **kwargs: Any) -> Any:
            with self:
                return function(*args, **kwargs)

        return inside

    @contextmanager
    def _entered(self) -> Iterator[VariableScope]:
        graph, outer = context.keeper(), get_variable_scope()
        store = store_of(graph)
        target: Any = self._given
        again = isinstance(target, VariableScope)
        with ExitStack() as stack:
            if again:
                base, full = target, target.name
                label = full.rpartition("/")[2]
            else:
                base = outer
                label = self._given if self._given is not None else store.unique(self._default or "", outer.name)
                full = f"{outer.name}/{label}" if outer.name else label
            names = (self._default if target is None else label) or None  # a default name is unique among each kind
            opened = ""
            if self._names_too and names:
                opened = stack.enter_context(name_scope(names))
            elif not self._names_too:
                opened = context.current().scope
            scope = self._inner(base, full, base.original_name_scope if again else opened)
            before = dict(store.opened)
            store.opened[full] = store.opened.get(full, 0) + 1
            token = _CURRENT.set((graph, scope))
            try:
                yield scope
            finally:
                _CURRENT.reset(token)
                store.close_inside(full)
                if again:
                    store.opened.clear()
                    store.opened.update(before)

    def _inner(self, base: VariableScope, full: str, names: str) -> VariableScope:
        settings = {o: getattr(base, o) if v is None else v for o, v in self._changes.items()}
        inner, outer = self._changes["custom_getter"], base.custom_getter
        if inner is not None and outer is not None:
            settings["custom_getter"] = _chained(outer, inner)
        return VariableScope(self._reuse or base.reuse, full, name_scope=names, **settings)


def _chained(outer: Callable[..., Any], inner: Callable[..., Any]) -> Callable[..., Any]:
    def getter(make: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
        return inner(lambda *a, **k: outer(make, *a, **k), *args, **kwargs)

    return getter


@export("variable_op_scope")
@contextmanager
def variable_op_scope(values: Any, name_or_scope: Any, default_name: str | None = None, **kwargs: Any) -> Iterator[Any]:
    """`variable_scope` with its arguments in the order of early 1.x."""
    with variable_scope(name_or_scope, default_name, values, **kwargs) as scope:
        yield scope


@export("get_variable")
def get_variable(
    name: str,
    shape: Any = None,
    dtype: Any = None,
    initializer: Any = None,
    regularizer: Any = None,
    trainable: bool | None = None,
    collections: Any = None,
    caching_device: Any = None,
    partitioner: Any = None,
    validate_shape: bool = True,
    use_resource: Any = None,
    custom_getter: Any = None,
    constraint: Any = None,
    synchronization: Any = VariableSynchronization.AUTO,
    aggregation: Any = VariableAggregation.NONE,
) -> Variable | Any:
    """The variable called `name` in the current variable scope: a new one, or one shared with earlier calls.

    Args:
      name: the name inside the scope.
      shape: its shape; may be left out if `initializer` is a value.
      dtype: its type; None takes the scope's.
      initializer: an initializer, its class, a function without arguments, or a value; None takes the scope's, else
        `glorot_uniform` for floating types and zeros for integers and bool.
      regularizer: a function of the variable whose result joins `GraphKeys.REGULARIZATION_LOSSES`.
      trainable: whether it joins `trainable_variables()`.
      collections: graph collections to join instead of `GraphKeys.GLOBAL_VARIABLES`.
      caching_device: where its values lie when they are read; see `Variable`.
      use_resource: accepted and ignored.
      partitioner: says into how many parts along each dimension the variable is cut, for instance
        `fixed_size_partitioner(2)`.
      validate_shape: whether its shape must be known.
      custom_getter: a function that makes the variable; its first argument is the usual way to make it.
      constraint, synchronization, aggregation: as for `Variable`.

    Returns:
      A `Variable`, or with a partitioner a `PartitionedVariable`.

    Raises:
      ValueError: if it exists and the scope does not share, or shares and it does not exist, or shape or type differ.
    """
    options = {
        "initializer": initializer,
        "regularizer": regularizer,
        "trainable": trainable,
        "collections": collections,
        "caching_device": caching_device,
        "partitioner": partitioner,
        "validate_shape": validate_shape,
        "use_resource": use_resource,
        "custom_getter": custom_getter,
        "constraint": constraint,
        "synchronization": synchronization,
        "aggregation": aggregation,
    }
    return _get(get_variable_scope(), name, shape, dtype, options)


@export("no_regularizer")
def no_regularizer(_: Any) -> None:
    """A regularizer that costs nothing, in place of the scope's."""
    return None


@export("get_local_variable")
def get_local_variable(name: str, *args: Any, **kwargs: Any) -> Variable:
    """`get_variable` for a local variable: in `GraphKeys.LOCAL_VARIABLES`, not trainable, not saved."""
    kwargs["collections"] = [*(kwargs.get("collections") or ()), GraphKeys.LOCAL_VARIABLES]
    kwargs["trainable"] = False
    return get_variable(name, *args, **kwargs)


def _get(scope: VariableScope, name: str, shape: Any, dtype: Any, options: dict[str, Any]) -> Any:
    """Fills in the scope's defaults, then asks the custom getter, if any, or makes or shares."""
    full = "/".join(filter(None, (scope.name, name)))
    merged = dict(options)
    for option in ("initializer", "regularizer", "constraint", "caching_device", "partitioner"):
        if merged.get(option) is None:
            merged[option] = getattr(scope, option)
    reuse = merged.pop("reuse", None)
    merged["reuse"] = False if context.keeper() is None else scope.reuse if reuse is None else reuse
    kind = dtype_of(dtype, merged["initializer"], scope.dtype)
    getter, outer = merged.pop("custom_getter", None), scope.custom_getter
    for one in (getter, outer):
        if one is not None and not callable(one):
            raise ValueError(f"Given custom_getter is not callable: {one}")
    if getter is not None and outer is not None:
        getter = _chained(outer, getter)
    getter = getter or outer
    with no_name_scope():
        if getter is None:
            return make_or_share(full, shape, kind, **merged)
        return getter(make_or_share, name=full, shape=shape, dtype=kind, **merged)
