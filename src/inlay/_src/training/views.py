"""Trees of objects and of saved checkpoints, node by node, to match one with the other."""

from __future__ import annotations

import weakref
from collections import deque
from typing import Any

from inlay._src.base.export import export
from inlay._src.core.trackable import says_children
from inlay._src.training import checkpoint_files
from inlay._src.training.trackable import children_of, is_trackable


@export("train.TrackableView")
class TrackableView:
    """The objects below a root, by the names that a checkpoint gives them.

    Args:
      root: a trackable object, or a weak reference to one; it is referred to weakly.
    """

    def __init__(self, root: Any) -> None:
        self._root = root if isinstance(root, weakref.ref) else weakref.ref(root)

    @classmethod
    def children(cls, obj: Any, save_type: str = "checkpoint", **kwargs: Any) -> dict[str, Any]:
        """The objects right below one, by name.

        Args:
          obj: a trackable object.
          save_type: "checkpoint" or "savedmodel": the purpose, for an object that names its children itself.
          **kwargs: passed to such an object.
        """
        if says_children(obj):
            return dict(obj._trackable_children(save_type, **kwargs))
        return children_of(obj, empty=True)

    @property
    def root(self) -> Any:
        """The root."""
        return self._root()

    def descendants(self) -> list[Any]:
        """The root and all objects below it, those nearer to it first."""
        listed = [self.root]
        seen = {id(self.root)}
        for value in listed:  # grows while it is walked
            for child in self.children(value).values():
                if id(child) not in seen:
                    seen.add(id(child))
                    listed.append(child)
        return listed


@export("train.CheckpointView")
class CheckpointView:
    """The objects of a checkpoint of `tf.train.Checkpoint`, by number; the root is number 0.

    Args:
      save_path: the checkpoint's path without suffix.

    Raises:
      ValueError: if the checkpoint holds no tree of objects, as those of 1.x.
    """

    def __init__(self, save_path: Any) -> None:
        with checkpoint_files.opened(save_path) as reader:
            nodes = reader.manifest.get("objects")
        if not nodes:
            raise ValueError(
                f'The specified checkpoint "{save_path}" does not appear to be object-based (saved with '
                "tf.train.Checkpoint): it holds values by name alone."
            )
        self._nodes: list[dict[str, Any]] = nodes

    def children(self, node_id: int) -> dict[str, int]:
        """The numbers of the objects right below one, by name.

        Args:
          node_id: the number of an object.
        """
        return dict(self._nodes[node_id]["children"])

    def descendants(self) -> list[int]:
        """The numbers of the root and of all objects below it, those nearer to it first."""
        listed = [0]
        for number in listed:  # grows while it is walked
            listed += [child for child in dict.fromkeys(self.children(number).values()) if child not in listed]
        return listed

    def match(self, obj: Any) -> dict[int, Any]:
        """The objects below a root that the checkpoint has a value or children for.

        Args:
          obj: the root, a trackable object.

        Returns:
          Number in the checkpoint -> object.

        Raises:
          ValueError: if `obj` is not trackable.
        """
        if not is_trackable(obj):
            raise ValueError(f"Expected a Trackable, got {obj} of type {type(obj)}.")
        matched = {0: obj}
        waiting = deque([0])
        while waiting:
            number = waiting.popleft()
            live = TrackableView.children(matched[number])
            for name, child in self.children(number).items():
                if child not in matched and name in live:
                    matched[child] = live[name]
                    waiting.append(child)
        return matched

    def diff(self, obj: Any) -> tuple[dict[int, Any], list[int], list[Any]]:
        """The differences between the checkpoint and the objects below a root.

        Args:
          obj: the root, a trackable object.

        Returns:
          `match(obj)`, the numbers that are in the checkpoint alone, and the objects that it does not have.

        Raises:
          ValueError: if `obj` is not trackable.
        """
        matched = self.match(obj)
        here = {id(value) for value in matched.values()}
        saved = [number for number in self.descendants() if number not in matched]
        return matched, saved, [value for value in TrackableView(obj).descendants() if id(value) not in here]
