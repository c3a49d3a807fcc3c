"""Restoring: matching a saved tree with live objects, at once and as further objects appear.

    read the manifest ─▶ walk both trees by names ─▶ check every value against its variable ─▶ assign them all

Objects made later (attributes, optimizer slots) announce themselves through `_waiting_restore` and `_waiting_slot`, and
get their values then, out of the same file. Variables of a graph get theirs when a session is there:
`Status.run_restore_ops`.
"""

from __future__ import annotations

import functools
import weakref
from collections import deque
from collections.abc import Callable, Mapping
from typing import Any

from inlay._src.core import context
from inlay._src.core.tensor import EagerTensor
from inlay._src.core.trackable import Trackable, says_children
from inlay._src.ops.variables.variable import Variable
from inlay._src.training import checkpoint_files
from inlay._src.training.npz_checkpoint import NpzReader
from inlay._src.training.saveable import Saveables, hands_out, saveables_under
from inlay._src.training.tensor_bundle import STATE_NAME, VALUE_NAME
from inlay._src.training.trackable import ListWrapper, PythonState, Tree, _DictWrapper, children_of, is_trackable

Reference = Callable[[], Any]


def _reference(value: Any) -> Reference:
    """A weak reference, or a strong one to a plain list or dict, which has none."""
    try:
        return weakref.ref(value)
    except TypeError:
        return lambda: value


def _keys(node: Mapping[str, Any]) -> dict[str, str]:
    """Name -> key of all that a checkpoint has of an object; an object of a user may use the names of variables."""
    own = {name: node[kind] for kind, name in (("value", VALUE_NAME), ("state", STATE_NAME)) if kind in node}
    return {**node.get("saveables", {}), **own}


class Restoration:
    """One checkpoint being restored into the objects below `root`.

    Restored objects refer to it while they wait for children, so it refers to them weakly: they are freed at once.

    Attributes:
      matched: saved number -> live object.
      used: saved numbers whose values have been given out.
      restored: id -> live object that got its values.
      waiting: values for variables of a graph.
      waiting_saveables: the same for saveable objects: their graph, and what assigns to them in a session.
    """

    prefix: str

    def __init__(self, root: Any, prefix: str) -> None:
        self._root, self.prefix = _reference(root), prefix
        self._file = checkpoint_files.opened(prefix)
        weakref.finalize(self, self._file.__exit__)
        self.path: str = self._file.path
        self.nodes: list[dict[str, Any]] = self._file.manifest.get("objects") or []
        self.names: set[str] = set(self._file.entries)
        self.matched: dict[int, Reference] = {}
        self._bound: dict[int, int] = {}
        self._grown: dict[int, tuple[Any, ListWrapper | _DictWrapper]] = {}
        self.used: set[int] = set()
        self.restored: dict[int, Reference] = {}
        self.waiting: list[tuple[Variable, Any]] = []
        self.waiting_saveables: list[tuple[Any, Any]] = []
        self._todo: list[tuple[int, Any, str]] = []
        self._saveables: list[tuple[int, Any, dict[str, str]]] = []

    def start(self) -> Status:
        """Restores what exists by now."""
        root = self._root()
        if self.nodes:
            self._match(0, root)
            self._match_slots()
        else:
            self._match_by_name(root)
        self._apply()
        return Status(self, root)

    def _match_by_name(self, root: Any) -> None:
        """A checkpoint of `train.Saver`: values are found by the variables' own names."""
        for _, variable in Tree(root).variables():
            name = variable.name.removesuffix(":0")
            if name in self.names:
                self._todo.append((-1, variable, name))

    def _match(self, number: int, value: Any) -> None:
        """Matches a live object and what lies below it, what is nearer first, in the order in which it was saved.

        A live object gets the values of the first saved one that it matches, and a saved one gives them to the first
        live one.
        """
        waiting = deque([(number, value)])
        while waiting:
            number, value = waiting.popleft()
            if self._matching(number) is not None:
                continue
            first = self._bound.get(id(value))
            self.matched[number] = _reference(value)
            if first is not None and self._matching(first) is value:  # its values count
                self.used.add(number)
                continue
            self._bound[id(value)] = number
            node = self.nodes[number]
            if isinstance(value, Variable):
                if "value" in node:
                    self._todo.append((number, value, node["value"]))
                continue
            if "state" in node and hasattr(value, "__inlay_restore__"):
                self._todo.append((number, value, node["state"]))
                self.restored.update((id(part), _reference(part)) for part in children_of(value).values())
                continue
            if hands_out(value) and (keys := _keys(node)):
                self._saveables.append((number, value, keys))
            live = children_of(value, empty=True)
            for name, saved in node["children"].items():
                if name in live:
                    waiting.append((saved, self._growing(value, name, live[name], self.nodes[saved]["children"])))
            self._announce(number, value)

    def _matching(self, number: int) -> Any:
        """The live object of a saved number; None if there is none, or no longer."""
        reference = self.matched.get(number)
        return None if reference is None else reference()

    def has_restored(self, value: Any) -> bool:
        """Whether a live object got its values."""
        reference = self.restored.get(id(value))
        return reference is not None and reference() is value

    def _growing(self, parent: Any, name: str, child: Any, saved: Mapping[str, Any]) -> Any:
        """`child`; a list or dict that lacks some of the saved children is replaced by one that tells of new items."""
        if type(child) not in (list, dict) or set(saved) <= set(children_of(child)):
            return child
        _, growing = self._grown.setdefault(
            id(child), (child, ListWrapper(child) if isinstance(child, list) else _DictWrapper(child))
        )
        if isinstance(parent, list):
            list.__setitem__(parent, int(name), growing)
        elif isinstance(parent, dict):
            dict.__setitem__(parent, next(key for key in parent if str(key) == name), growing)
        else:
            root = getattr(parent, "_root", None)  # of a `Checkpoint`, which has the children of its root
            holder = root if root is not None and vars(root).get(name) is child else parent
            vars(holder)[name] = growing
            if says_children(holder):
                holder._children_by_name()[name] = growing
        return growing

    def _announce(self, number: int, value: Any) -> None:
        """Asks an object to say when it gets a child or a slot."""
        node = self.nodes[number]
        complete = set(node["children"]) <= set(children_of(value))
        growing = isinstance(value, (Trackable, ListWrapper, _DictWrapper)) or hasattr(value, "_checkpoint_children")
        if not complete and growing:
            holders = [value]
            root = getattr(value, "_root", None)
            if isinstance(root, Trackable):
                holders.append(root)
            for holder in holders:
                holder.__dict__["_waiting_restore"] = functools.partial(
                    self._arrived, _reference(value), node, [_reference(each) for each in holders]
                )
        if hasattr(value, "_checkpoint_slots"):
            value.__dict__["_waiting_slot"] = lambda name, variable, slot: self._later(
                self._slot(node, name, variable), slot
            )

    def _slot(self, node: dict[str, Any], name: str, variable: Variable) -> int | None:
        for owner, slot_name, number in node.get("slots", ()):
            if slot_name == name and self._matching(owner) is variable:
                return number  # type: ignore[no-any-return]
        return None

    def _arrived(
        self, reference: Reference, node: Mapping[str, Any], holders: list[Reference], name: str, child: Any
    ) -> None:
        """An object got a child, which may be a list or dict that gets its own later.

        With the last child the object stops announcing them.
        """
        parent = reference()
        if parent is None:  # the `Checkpoint`, whose root is there
            parent = next(holder for each in holders if (holder := each()) is not None)
        number = node["children"].get(name)
        if number is not None:
            child = self._growing(parent, name, child, self.nodes[number]["children"])
        self._later(number, child)
        if set(node["children"]) <= set(children_of(parent)):
            for holder in (each() for each in holders):
                waiting = getattr(holder.__dict__.get("_waiting_restore"), "func", None)
                if waiting == self._arrived and not isinstance(holder, (ListWrapper, _DictWrapper)):
                    del holder.__dict__["_waiting_restore"]

    def _later(self, number: int | None, value: Any) -> None:
        """An object appeared: if the checkpoint has a value for it, it gets it."""
        if number is None or not (is_trackable(value) or isinstance(value, (ListWrapper, _DictWrapper))):
            return
        self._match(number, value)
        self._match_slots()
        self._apply()

    def _match_slots(self) -> None:
        for number, reference in list(self.matched.items()):
            for name, variable, slot in getattr(reference(), "_checkpoint_slots", list)():
                saved_slot = self._slot(self.nodes[number], name, variable)
                if saved_slot is not None and self._matching(saved_slot) is None:
                    self._match(saved_slot, slot)

    def _apply(self) -> None:
        """Gives out values: reads and checks all of them before it assigns the first."""
        todo, self._todo = self._todo, []
        others, self._saveables = self._saveables, []
        if not todo and not others:
            return
        values = [
            checkpoint_files.fitting(self._file, key, value) if isinstance(value, Variable) else self._file.read(key)
            for _, value, key in todo
        ]
        groups = [self._saveables_of(value, keys) for _, value, keys in others]
        assigning = [(each.graph, each.read(self._file)) for each in groups]
        for (number, value, _), (graph, assign) in zip(others, assigning, strict=True):
            self.used.add(number)
            self.restored[id(value)] = _reference(value)
            if graph is None:
                assign(None)
            else:
                self.waiting_saveables.append((graph, assign))
        for (number, value, _), array in zip(todo, values, strict=True):
            self.used.add(number)
            self.restored[id(value)] = _reference(value)
            if not isinstance(value, Variable):
                value.__inlay_restore__(self._state(value, array.item()))
            elif value.graph is not None:
                self.waiting.append((value, array))
            else:
                with context.using(context.State()):
                    value.assign(EagerTensor(array, value.dtype))  # nobody else holds the array: no copy

    def _saveables_of(self, value: Any, keys: dict[str, str]) -> Saveables:
        """The saveable objects of one object: the root's, or of its own if the root is gone."""
        root = self._root()
        return Saveables(lambda: saveables_under(value, keys)) if root is None else root._saveables_of(value, keys)

    def _state(self, value: Any, saved: bytes) -> bytes:
        """The state of an object as it wrote it: `.npz` files have a letter before that of a `PythonState`."""
        earlier = isinstance(self._file, NpzReader) and isinstance(value, PythonState)
        return saved[1:] if earlier else saved

    def unused(self) -> list[str]:
        """The saved values that no live object has taken, by path."""
        keys = [n.get("value") or n.get("state") or ", ".join(n.get("saveables", {}).values()) for n in self.nodes]
        return sorted(k for i, k in enumerate(keys) if k and i not in self.used)


class Status:
    """The status of a restore, with assertions on it.

    Args:
      restoration: None if nothing should be restored.
      root: the restored object.
    """

    def __init__(self, restoration: Restoration | None, root: Any) -> None:
        self._restoration, self._root = restoration, root

    def _unmatched(self) -> list[str]:
        """Live variables that got no value."""
        restoration = self._restoration
        tree = Tree(self._root)
        counter = getattr(self._root, "_save_counter", None)
        live = tree.variables() + [(i, value) for i, value, _ in tree.saveables()]
        missing = [(i, v) for i, v in live if v is not counter]
        return [tree.paths[i] for i, v in missing if restoration is None or not restoration.has_restored(v)]

    def assert_consumed(self) -> Status:
        """AssertionError unless every saved value has found its object, and every live variable its value."""
        restoration = self._restoration
        if restoration is None:
            raise AssertionError("No checkpoint specified (save_path=None); nothing is being restored.")
        unused = restoration.unused()
        if unused:
            raise AssertionError(
                f"Unresolved object in checkpoint {restoration.path}: no live object takes {', '.join(unused)}. If "
                "this is intended, use expect_partial() or assert_existing_objects_matched(). "
                "(inlay explain checkpoint-unmatched)"
            )
        return self.assert_existing_objects_matched()

    def assert_existing_objects_matched(self) -> Status:
        """AssertionError unless every live variable got a value."""
        missing = self._unmatched()
        if missing or self._restoration is None:
            path = "None" if self._restoration is None else self._restoration.path
            raise AssertionError(
                f"Object not assigned a value from checkpoint {path}: {', '.join(missing)} "
                "(inlay explain checkpoint-unmatched)"
            )
        return self

    def assert_nontrivial_match(self) -> Status:
        """AssertionError if nothing matched besides the save counter, though there are values to match."""
        restoration = self._restoration
        matched = restoration is not None and restoration.restored.keys() - {
            id(getattr(self._root, "_save_counter", None))
        }
        if restoration is None or (not matched and (restoration.unused() or self._unmatched())):
            raise AssertionError("Nothing except the root object matched a checkpointed value.")
        return self

    def expect_partial(self) -> Status:
        """Says that a partial match is intended."""
        return self

    def run_restore_ops(self, session: Any = None) -> None:
        """Gives variables of a graph their values in a session (the default one if None)."""
        restoration = self._restoration
        if restoration is not None and restoration.waiting:
            graph: Any = restoration.waiting[0][0].graph
            session = graph.session_for(session, "checkpoint")
            for variable, value in restoration.waiting:
                variable.load(value, session)
        for graph, assign in () if restoration is None else restoration.waiting_saveables:
            assign(graph.session_for(session, "checkpoint"))

    def initialize_or_restore(self, session: Any = None) -> None:
        """Restores as `run_restore_ops`, and initializes the graph variables that got no value."""
        restored = {id(v) for v, _ in self._restoration.waiting} if self._restoration is not None else set()
        rest = [v for _, v in Tree(self._root).variables() if v.graph is not None and id(v) not in restored]
        if rest:
            chosen = session if session is not None else context.DEFAULT_SESSION.get()
            chosen.run([v.initializer for v in rest])
        self.run_restore_ops(session)
