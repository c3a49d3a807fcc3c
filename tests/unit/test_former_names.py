"""Modules and classes are found by the names that pickles and saved bodies of earlier trees have."""

import importlib
import subprocess
import sys

import pytest

from inlay._src.base.former_names import FORMER, MOVED, RENAMED, present_name

BEFORE_ROOMS = {room: entry for entry, room in FORMER.items()}


def names_of(module: str) -> list[str]:
    """The names that pickles have of a module below `_src`: that one, and the one from before the move."""
    rooms = [room for room in BEFORE_ROOMS if module == room or module.startswith(f"{room}.")]
    room = max(rooms, key=len)
    return [f"inlay._src.{module}", f"inlay.{BEFORE_ROOMS[room]}{module[len(room) :]}"]


@pytest.mark.parametrize(
    ("former", "present"),
    [(name, path) for module, path in MOVED.items() if module not in RENAMED for name in names_of(module)],
)
def test_a_module_is_found_by_its_former_name(former: str, present: str) -> None:
    assert importlib.import_module(former) is importlib.import_module(f"inlay._src.{present}")


@pytest.mark.parametrize(
    ("module", "name", "present"),
    [(m, name, path) for key, names in RENAMED.items() for name, path in names.items() for m in names_of(key)],
)
def test_a_name_is_found_in_the_former_module(module: str, name: str, present: str) -> None:
    home, _, own = present.rpartition(".")
    assert getattr(importlib.import_module(module), name) is getattr(importlib.import_module(f"inlay._src.{home}"), own)


@pytest.mark.parametrize("module", [names_of(key)[1] for key in RENAMED])
def test_the_other_names_of_a_former_module_are_those_of_the_present_one(module: str) -> None:
    present = importlib.import_module(str(present_name(module)))
    assert importlib.import_module(module).__getattr__("annotations") is present.annotations


def test_a_module_with_renamed_classes_has_no_other_names() -> None:
    module = importlib.import_module("inlay._src.data.batching")
    with pytest.raises(AttributeError, match=r"module 'inlay\._src\.data\.batching' has no attribute 'absent'"):
        getattr(module, "absent")  # noqa: B009
    assert not hasattr(module, "__wrapped__") and module.__spec__ is not None


def test_a_module_that_never_was_is_not_found() -> None:
    for name in ("inlay._src.data.absent", "inlay.absent", "inlay._src.absent.batching"):
        with pytest.raises(ModuleNotFoundError):
            importlib.import_module(name)


def test_a_pickle_finds_a_renamed_class_in_a_process_that_has_loaded_nothing() -> None:
    code = "import pickle; print(pickle.loads(b'cinlay._src.data.batching\\nBatch\\n.').__name__)"
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert run.stdout == "BatchNode\n"
