"""`Trackable` and `AutoTrackable`: base classes of objects that say what a checkpoint and a saved model cover of them.

Libraries derive their layers and models from these (`tf.__internal__.tracking`). A subclass overrides
`_trackable_children`, or gives children by name with `_track_trackable`; an `AutoTrackable` gives each attribute that
can be saved. What a restored checkpoint has for a child that comes later waits for it.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any, Concatenate, ParamSpec, TypeVar

from inlay._src.base.export import export
from inlay._src.core.context import device_v1, init_scope
from inlay._src.ops.hash_tables.table import LookupTable
from inlay._src.ops.hash_tables.vocabulary import IdTableWithHashBuckets
from inlay._src.programs.functions.bound_function import BoundFunction
from inlay._src.programs.functions.concrete import ConcreteFunction
from inlay._src.programs.functions.function import Function
from inlay._src.training.trackable import is_trackable

P = ParamSpec("P")
R = TypeVar("R")
S = TypeVar("S", bound="Trackable")


def _is_child(value: Any) -> bool:
    """Whether a value can be a child: a checkpoint covers it, or a saved model alone."""
    return is_trackable(value) or isinstance(value, (LookupTable, IdTableWithHashBuckets))


class Trackable:
    """An object with named children, all of which a checkpoint covers."""

    _self_setattr_tracking: bool = True

    @property
    def _given_children(self) -> dict[str, Any]:
        """The children that were given by name; the dict itself."""
        return vars(self).setdefault("_self_trackable_children", {})  # type: ignore[no-any-return]

    def _track_trackable(self, trackable: Any, name: str, overwrite: bool = False) -> Any:
        """Gives the object a child.

        Args:
          trackable: the child.
          name: its name.
          overwrite: whether the name may have been another child's.

        Returns:
          The child.

        Raises:
          TypeError: if it is nothing that can be saved.
          ValueError: if another child has the name.
        """
        if not _is_child(trackable) and not isinstance(trackable, (list, dict, tuple)):
            raise TypeError(f"Trackable._track_trackable() can only be used to track objects, got {trackable!r}.")
        children = self._given_children
        if children.get(name, trackable) is not trackable and not overwrite:
            raise ValueError(
                f"Called Trackable._track_trackable() with name='{name}', but a Trackable with this name is already "
                "declared as a dependency. Names must be unique (or overwrite=True)."
            )
        children[name] = trackable
        self._handle_deferred_dependencies(name, trackable)
        return trackable

    def _handle_deferred_dependencies(self, name: str, trackable: Any) -> None:
        """Gives a child the value that a restored checkpoint has for it.

        Args:
          name: the child's name.
          trackable: the child.
        """
        waiting = vars(self).get("_waiting_restore")
        if waiting is not None:
            waiting(name, trackable)

    def _no_dependency(self, value: R) -> R:
        """A value that becomes no child when it becomes an attribute; here nothing is done to it."""
        return value

    def _lookup_dependency(self, name: str, cached_dependencies: Mapping[str, Any] | None = None) -> Any:
        """The child of a name; None without one."""
        return (self._trackable_children() if cached_dependencies is None else cached_dependencies).get(name)

    def _trackable_children(self, save_type: str = "checkpoint", **kwargs: Any) -> dict[str, Any]:
        """The children by name.

        Args:
          save_type: "checkpoint" or "savedmodel": what they are asked for.
          **kwargs: accepted.
        """
        return dict(self._given_children)

    def _checkpoint_children(self) -> dict[str, Any]:
        return self._trackable_children()

    def _serialize_to_tensors(self) -> dict[str, Any]:
        """The tensors that a checkpoint keeps of the object itself, by name."""
        raise NotImplementedError(f"{type(self).__name__} has no tensors of its own")

    def _restore_from_tensors(self, restored_tensors: Mapping[str, Any]) -> Any:
        """Takes back what `_serialize_to_tensors` gave."""
        raise NotImplementedError(f"{type(self).__name__} has no tensors of its own")


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
            given = vars(self).get("_self_trackable_children")
            if type(value) in (list, dict, tuple) or (not isinstance(value, type) and _is_child(value)):
                if given is None or given.get(name) is not value:
                    self._track_trackable(value, name, overwrite=True)
            elif given is not None:
                given.pop(name, None)
        super().__setattr__(name, value)

    def __delattr__(self, name: str) -> None:
        self._given_children.pop(name, None)
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
