"""Every module has tests, and `scripts/tests_of.py` tells which."""

from __future__ import annotations

import ast

import pytest

from scripts import tests_of
from tests.architecture.sources import ROOT, modules


def source_modules() -> list[str]:
    return [m.name for m in modules().values() if m.name.startswith("inlay._src.") and not m.is_package]


def test_every_module_is_exercised_by_a_test() -> None:
    distances = {name: tests_of.tests_of(name) for name in source_modules()}
    assert len(distances) > 500
    far = {name: distance for name, (distance, files) in distances.items() if not files or distance > tests_of.FARTHEST}
    assert far == {}, "write a test that calls a public name of the module"
    assert all((ROOT / file).is_file() for _, files in distances.values() for file in files)


def test_listed_modules_and_cases_exist() -> None:
    assert set(tests_of.REACHED) <= set(source_modules())
    assert [
        test for test in (*tests_of.REACHED.values(), *tests_of.CASES.values()) if not (ROOT / test).is_file()
    ] == []
    assert [pattern for pattern in tests_of.CASES if not list(ROOT.glob(pattern))] == []


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("import inlay as tf\ntf.math.add(1, 2)", "math.add"),
        ("import inlay as tf\nv1 = tf.compat.v1\nv1.layers.dense(x, 3)", "compat.v1.layers.dense"),
        ("import inlay as tf\na, b = tf.nn, tf.io\nb.gfile.exists(p)", "io.gfile.exists"),
        ("from inlay.compat import v1\nv1.placeholder(t)", "compat.v1.placeholder"),
        ("from inlay._src.core import graph", "inlay._src.core.graph"),
    ],
)
def test_names_are_read_through_aliases(text: str, name: str) -> None:
    assert name in set(tests_of.mentions(ast.parse(text)))


def test_cases_name_functions_and_op_types_in_texts() -> None:
    text = '@calls("add math.sin:narrow")\ndef f(): ...\nE = """\ntf.abs(x)\n"""\nD = {\n    "Cube": 1\n}'
    assert {"add", "math.sin", "abs", "Cube"} <= set(tests_of.mentions_of_cases(text))


def test_the_script_prints_the_tests_of_a_module(capsys: pytest.CaptureFixture[str]) -> None:
    tests_of.main([str(ROOT / "src/inlay/_src/core/site.py")])
    assert "tests/unit/core/test_site.py" in capsys.readouterr().out.split()
    with pytest.raises(SystemExit, match=r"no module of the package: .*absent\.py"):
        tests_of.main([str(ROOT / "src/inlay/_src/absent.py")])
