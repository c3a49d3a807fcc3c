"""`AutoTrackable` and `TrackableResource`: objects that say what a checkpoint and a saved model cover of them.

Libraries derive their layers and models from these (`tf.__internal__.tracking`). A subclass overrides
`_trackable_children`, or gives children by name with `_track_trackable`; an `AutoTrackable` gives each attribute that
can be saved. A restored checkpoint keeps the values of children that come later.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, Concatenate, ParamSpec, TypeVar

from inlay._src.base.export import export
from inlay._src.core.context import device_v1, init_scope
from inlay._src.core.trackable import Trackable
from inlay._src.ops.hash_tables.table import LookupTable
from inlay._src.ops.hash_tables.vocabulary import IdTableWithHashBuckets
from inlay._src.programs.functions.bound_function import BoundFunction
from inlay._src.programs.functions.concrete import ConcreteFunction
from inlay._src.programs.functions.function import Function
from inlay._src.training.trackable import is_trackable

P = ParamSpec("P")
R = TypeVar("R")
S = TypeVar("S", bound="Trackable")


class _ResourceClass(type):
    """The class of `TrackableResource`, of which tables are instances."""

    def __instancecheck__(cls, instance: Any) -> bool:
        return super().__instancecheck__(instance) or (
            cls is TrackableResource and isinstance(instance, (LookupTable, IdTableWithHashBuckets))
        )


@export("saved_model.experimental.TrackableResource", "compat.v1.saved_model.experimental.TrackableResource")
class TrackableResource(Trackable, metaclass=_ResourceClass):
    """A base class of objects with a state outside of Python, which a resource tensor stands for; tables are such.

    Subclasses define `_create_resource`, which makes the resource, and `_initialize`, which gives it its state.

    Args:
      device: the device that the resource is made on; "" is the one in force.
    """

    def __init__(self, device: str = "") -> None:
        self._resource_device, self._resource_handle = device, None

    def _create_resource(self) -> Any:
        """Makes the resource.

        Returns:
          Its handle.
        """
        raise NotImplementedError("TrackableResource._create_resource not implemented.")

    def _initialize(self) -> None:
        """Gives the resource its state."""

    @property
    def resource_handle(self) -> Any:
        """The handle of the resource, which is made when it is asked for."""
        if self._resource_handle is None:
            with init_scope(), device_v1(self._resource_device or None):
                self._resource_handle = self._create_resource()
        return self._resource_handle


class AutoTrackable(Trackable):
    """A `Trackable` each of whose attributes is a child, if it can be saved."""

    def __setattr__(self, name: str, value: Any) -> None:
        if self._self_setattr_tracking:
            children = self._children_by_name()
            if _is_child(value):
                arrived = children.get(name) is not value
                children[name] = value
                super().__setattr__(name, value)
                if arrived:
                    self._handle_deferred_dependencies(name, value)  # which may put a list that waits in its place
                return
            children.pop(name, None)
        super().__setattr__(name, value)

    def __delattr__(self, name: str) -> None:
        self._children_by_name().pop(name, None)
        super().__delattr__(name)

    def _trackable_children(self, save_type: str = "checkpoint", **kwargs: Any) -> dict[str, Any]:
        children = super()._trackable_children(save_type, **kwargs)
        if save_type == "savedmodel":
            functions = (Function, BoundFunction, ConcreteFunction)
            for name in dir(self):
                try:
                    value = getattr(self, name, None)
                except Exception:  # a property that needs what is not there yet
                    continue
                if isinstance(value, functions):
                    children[name] = value
        return children


def _is_child(value: Any) -> bool:
    """Whether an attribute becomes a child: an object, or a container that may hold some."""
    if type(value) in (list, dict, tuple):
        return True
    return not isinstance(value, type) and (isinstance(value, Trackable) or is_trackable(value))


@contextmanager
def _untracked(obj: Trackable) -> Iterator[None]:
    before = obj._self_setattr_tracking
    object.__setattr__(obj, "_self_setattr_tracking", False)
    try:
        yield
    finally:
        object.__setattr__(obj, "_self_setattr_tracking", before)


def no_automatic_dependency_tracking(method: Callable[Concatenate[S, P], R]) -> Callable[Concatenate[S, P], R]:
    """A decorator of methods: attributes that are set meanwhile become no children.

    Args:
      method: a method of an `AutoTrackable`.
    """

    @functools.wraps(method)
    def decorated(self: S, *args: P.args, **kwargs: P.kwargs) -> R:
        with _untracked(self):
            return method(self, *args, **kwargs)

    return decorated
