"""Functions as they are saved: what goes along, what is put beside, what is refused, and that nothing runs unasked."""

from __future__ import annotations

import functools
import pickle
import threading
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

import inlay as tf
from inlay._src.host.bodies import portable
from inlay._src.host.bodies.manifest import NAME, VALUE, BodyManifest, installed
from inlay._src.host.bodies.portable import PortableBody, Stored


def again(function: Callable[..., Any], *variables: Any) -> Any:
    """A function saved and opened."""
    body = portable.packed(function)
    return portable.opened(body, body.digest, variables or body.variables)[0]


class Scale:
    def __init__(self, by: float) -> None:
        self.by = by

    def __call__(self, x: float) -> float:
        return x * self.by

    def method(self, x: float) -> float:
        return x + self.by


def test_functions_of_every_kind_travel() -> None:
    k = 3

    def nested(x: float) -> float:
        def inner(y: float) -> float:
            return y * k

        return inner(x)

    kinds: list[tuple[Callable[..., Any], float]] = [
        (lambda x: x + k, 5.0),
        (nested, 6.0),
        (Scale(3.0), 6.0),
        (Scale(3.0).method, 5.0),
        (functools.partial(nested), 6.0),
        (np.sin, float(np.sin(2.0))),
        (np.linalg.norm, 2.0),
    ]
    assert [again(f)(2.0) for f, _ in kinds] == [expected for _, expected in kinds]


def test_a_function_of_the_programs_own_module_goes_by_value_and_that_of_a_package_by_name() -> None:
    by_value, by_name = portable.packed(Scale.method).manifest, portable.packed(np.linalg.norm).manifest
    assert (by_value.kind, by_name.kind) == (VALUE, NAME)
    assert by_name.names == ("numpy.linalg:norm",) and "numpy" in by_name.packages
    assert portable.packed(Scale.method, by_name=[__name__]).manifest.names == (f"{__name__}:Scale.method",)
    assert installed("json") and installed("numpy.linalg") and not installed(__name__)


def test_the_pickle_of_a_function_of_the_program_names_none_of_its_modules() -> None:
    body = portable.packed(Scale(2.0))
    assert __name__ not in body.manifest.imports
    assert b"Scale" in body.data and body.manifest.kind == VALUE


def test_the_manifest_says_what_a_reader_asks() -> None:
    def function(x: float) -> float:
        import json

        return float(np.sqrt(len(json.dumps(x))))

    said = portable.packed(function).manifest
    assert {"json", "numpy"} <= set(said.imports) and said.packages["numpy"] == np.__version__
    (source,) = said.sources.values()
    assert source.lstrip().startswith("def function") and BodyManifest.from_json(said.to_json()) == said


def test_large_arrays_are_put_beside_once_and_may_be_written_into_there() -> None:
    large = np.arange(50_000, dtype=np.float64)
    folded, strided = np.asfortranarray(large.reshape(500, 100)), large[::2]
    body = portable.packed(lambda i: (large[i], large[i], folded[1, 1], strided[1]))
    assert len(body.data) < 3000
    assert sorted(a.memory.nbytes for a in body.arrays) == [200_000, 400_000, 400_000]
    function = portable.opened(body, body.digest)[0]
    assert function(7) == (7.0, 7.0, 101.0, 2.0)


def test_variables_are_bound_again() -> None:
    v = tf.Variable(2.0)
    body = portable.packed(lambda x: x * v + v)
    assert body.variables == (v,) and body.manifest.variables == 1
    other = tf.Variable(10.0)
    function = portable.opened(body, body.digest, [other])[0]
    assert float(function(tf.constant(3.0))) == 40.0
    other.assign(1.0)
    assert float(function(tf.constant(3.0))) == 4.0
    with pytest.raises(tf.errors.InvalidArgumentError, match="bound to 1 variables, got 0"):
        portable.opened(body, body.digest)


@pytest.mark.parametrize(
    ("value", "said"),
    [
        (threading.Lock(), "is a lock; it locks in this process only"),
        ((i for i in range(2)), "is a generator; its state cannot be copied"),
        (tf.compat.v1.Session(graph=tf.Graph()), "open one in the function"),
    ],
)
def test_what_cannot_travel_is_refused_by_name(value: Any, said: str) -> None:
    with pytest.raises(tf.errors.InvalidArgumentError, match="cannot be saved: closure variable 'value'") as caught:
        portable.packed(lambda: value)
    assert said in str(caught.value) and isinstance(caught.value, TypeError)


def test_an_open_file_is_refused() -> None:
    with open(__file__, encoding="utf-8") as file:
        with pytest.raises(TypeError, match="open the file|open it in the function"):
            portable.packed(lambda: file)


RAN: list[str] = []


class Bomb:
    def __reduce__(self) -> Any:
        return RAN.append, ("ran",)


def bomb(**changed: Any) -> PortableBody:
    said = BodyManifest("harmless", VALUE, (), portable.PYTHON)
    return PortableBody(replace(said, **changed), pickle.dumps((Bomb(),)))


def test_nothing_is_unpickled_that_nothing_allows() -> None:
    body = bomb()
    for trust in (None, [], "0" * 64, "ed25519:" + "2" * 64, "builtins", ["tests", "sha256:" + "1" * 64]):
        with pytest.raises(tf.errors.PermissionDeniedError, match="1 Python function that nothing allows") as caught:
            portable.opened(body, trust)
        assert f"sha256:{body.digest}" in str(caught.value) and "harmless" in str(caught.value)
    assert RAN == []


def test_another_python_is_refused_before_anything_is_read() -> None:
    body = bomb(python="cpython 3.4")
    with pytest.raises(tf.errors.FailedPreconditionError, match=r"cpython 3\.4.*same minor version"):
        portable.opened(body, body.digest)
    assert RAN == []


def test_the_digest_covers_all_that_decides_what_runs() -> None:
    said = BodyManifest("f", VALUE, (), "cpython 3.11")
    body = PortableBody(said, b"data", (Stored.of(b"array"),))
    assert body.digest == PortableBody(replace(said, label="g", sources={"f": "other"}), b"data", body.arrays).digest
    others = [
        PortableBody(replace(said, python="cpython 3.12"), b"data", body.arrays),
        PortableBody(replace(said, declared="{}"), b"data", body.arrays),
        PortableBody(replace(said, kind=NAME), b"data", body.arrays),
        PortableBody(replace(said, names=("a:b",)), b"data", body.arrays),
        PortableBody(replace(said, variables=1), b"data", body.arrays),
        PortableBody(said, b"datb", body.arrays),
        PortableBody(said, b"data", (Stored.of(b"arrax"),)),
        PortableBody(said, b"data"),
        PortableBody(said, b"dataarray"),
    ]
    assert len({body.digest, *(o.digest for o in others)}) == len(others) + 1


def named(*names: str) -> PortableBody:
    return PortableBody(BodyManifest("f", NAME, names, portable.PYTHON), b"")


def test_a_body_by_name_imports_what_is_allowed_and_nothing_else(
    tmp_path: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "evil_module.py").write_text("from tests.unit.bodies.test_portable import RAN; RAN.append('imported')")
    monkeypatch.syspath_prepend(tmp_path)
    body = named("evil_module:f")
    for trust in (None, "numpy", "evil_module.other", "evil_modul", "evil_module:g"):
        with pytest.raises(tf.errors.PermissionDeniedError):
            portable.opened(body, trust)
    assert RAN == []
    assert portable.opened(named("numpy.linalg:norm"), "numpy") == (np.linalg.norm,)
    assert portable.opened(named("numpy.linalg:norm"), "numpy.linalg:norm") == (np.linalg.norm,)


@pytest.mark.parametrize(
    "name", ["numpy:os.system", "numpy.linalg:nothing", "inlay._src.host.bodies.portable:pickle.loads"]
)
def test_a_name_reaches_only_what_its_module_defines(name: str) -> None:
    with pytest.raises(tf.errors.NotFoundError, match="there is none defined in"):
        portable.opened(named(name), ["numpy", "inlay"])


def test_a_module_that_is_not_there_is_told() -> None:
    with pytest.raises(tf.errors.NotFoundError, match="No module named 'no_such_module_here'"):
        portable.opened(named("no_such_module_here:f"), "no_such_module_here")


def test_bytes_that_are_no_body_are_told() -> None:
    for data in (b"", b"\x80\x05", pickle.dumps(1), pickle.dumps(())):
        body = PortableBody(BodyManifest("f", VALUE, (), portable.PYTHON), data)
        with pytest.raises(tf.errors.DataLossError, match="saved function f"):
            portable.opened(body, body.digest)
