"""Files beside the module that asks for them."""

from __future__ import annotations

from pathlib import Path
from types import ModuleType

import pytest

import inlay as tf

loader = tf.compat.v1.resource_loader
HERE = Path(__file__).resolve()


def test_paths_start_at_the_folder_of_the_calling_module() -> None:
    assert loader.get_data_files_path() == str(HERE.parent)
    assert loader.get_path_to_datafile("words.txt") == str(HERE.parent / "words.txt")
    assert loader.readahead_file_path("some/words.txt") == "some/words.txt"


def test_another_module_reads_its_own_files(tmp_path: Path) -> None:
    (tmp_path / "words.bin").write_bytes(b"\x00one\n")
    source = tmp_path / "program.py"
    source.write_text("import inlay as tf\nread = lambda name: tf.compat.v1.resource_loader.load_resource(name)\n")
    program = ModuleType("program")
    exec(compile(source.read_text(), str(source), "exec"), program.__dict__)
    assert program.read("words.bin") == b"\x00one\n"
    with pytest.raises(OSError, match="absent.bin"):
        program.read("absent.bin")
    assert loader.load_resource(HERE.name) == HERE.read_bytes()
