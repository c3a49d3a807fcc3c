"""`Trackable`: the base class of objects that say what checkpoints and saved models cover of them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar

R = TypeVar("R")


class _NamedChildren:
    """The children of an object. It is no dict, in which libraries that walk through attributes would look for more.

    Attributes:
      by_name: name -> child.
    """

    __slots__ = ("by_name",)

    def __init__(self) -> None:
        self.by_name: dict[str, Any] = {}


class Trackable:
    """An object with named children.

    Attributes:
      _in_checkpoints: whether a checkpoint covers it; a saved model covers every one.
    """

    _in_checkpoints: bool = True
    _self_setattr_tracking: bool = True

    def _children_by_name(self) -> dict[str, Any]:
        """The children that were given by name; the dict itself."""
        children: _NamedChildren = vars(self).setdefault("_self_trackable_children", _NamedChildren())
        return children.by_name

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
        is_child = isinstance(trackable, (Trackable, list, dict, tuple)) or acts_as_variable(trackable)
        if not is_child and not hasattr(trackable, "_checkpoint_children"):
            raise TypeError(
                "Trackable._track_trackable() can only be used to track Trackable objects, got "
                f"{type(trackable).__name__}."
            )
        children = self._children_by_name()
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
          save_type: "checkpoint" or "savedmodel", the purpose.
          **kwargs: accepted.
        """
        return dict(self._children_by_name())

    def _serialize_to_tensors(self) -> dict[str, Any]:
        """The tensors that a checkpoint keeps of the object itself, by name."""
        raise NotImplementedError(f"{type(self).__name__} has no tensors of its own")

    def _restore_from_tensors(self, restored_tensors: Mapping[str, Any]) -> Any:
        """Takes back what `_serialize_to_tensors` gave."""
        raise NotImplementedError(f"{type(self).__name__} has no tensors of its own")


def acts_as_variable(value: Any) -> bool:
    """Whether an object of another library holds a variable, whose `handle` it gives: `keras.Variable`."""
    return getattr(type(value), "_should_act_as_resource_variable", False) is True


def says_children(value: Any) -> bool:
    """Whether an object gives its children itself, where those of others are found in its attributes."""
    return isinstance(value, Trackable) and (
        type(value)._trackable_children is not Trackable._trackable_children
        or "_self_trackable_children" in getattr(value, "__dict__", ())
    )
