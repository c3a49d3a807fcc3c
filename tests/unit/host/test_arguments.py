"""Errors at the call, the forms of `Tout`, the callables accepted, the decorator form."""

from __future__ import annotations

import functools
from typing import Any

import numpy as np
import pytest

import inlay as tf

FAMILY = [tf.py_function, tf.numpy_function, tf.compat.v1.py_func]
NAMES = ["py_function", "numpy_function", "py_func"]
APIS = pytest.mark.parametrize("api", FAMILY, ids=NAMES)


class eager:
    def __enter__(self) -> None: ...

    def __exit__(self, *_: object) -> None: ...


def in_graph() -> Any:
    return tf.Graph().as_default()


MODES = pytest.mark.parametrize("mode", [eager, in_graph], ids=["eager", "graph"])


def one(*_: Any) -> Any:
    return np.float32(1)


@MODES
@pytest.mark.parametrize("api", FAMILY[:2], ids=NAMES[:2])
def test_missing_arguments(api: Any, mode: Any) -> None:
    name = "py_function" if api is tf.py_function else "numpy_function"
    with mode():
        for call in (
            lambda: api(one, []),
            lambda: api(one, [], None),
            lambda: api(one),
            lambda: api(),
            lambda: api(None),
        ):
            with pytest.raises(TypeError, match="Missing required argument: 'Tout'") as caught:
                call()
            assert f"@tf.{name}(Tout=tf.float32)" in str(caught.value)
        with pytest.raises(TypeError, match="Missing argument `inp`"):
            api(one, Tout=tf.float32)
        with pytest.raises(TypeError, match=f"Don't set the `inp` argument when using tf.{name} as a decorator"):
            api(None, [1.0], tf.float32)


@MODES
def test_missing_arguments_of_py_func(mode: Any) -> None:
    with mode():
        for call in (lambda: tf.py_func(one), lambda: tf.py_func(one, []), lambda: tf.py_func()):
            with pytest.raises(TypeError, match="Missing required positional argument"):
                call()
        with pytest.raises(TypeError, match="Cannot convert the argument `type_value`: None to a TensorFlow DType"):
            tf.py_func(one, [], None)


@MODES
@APIS
def test_what_is_no_function(api: Any, mode: Any) -> None:
    def generator() -> Any:
        yield 1.0

    with mode():
        with pytest.raises(ValueError, match="Expected func to be callable. Received func=3 of type <class 'int'>."):
            api(3, [], tf.float32)
        with pytest.raises(ValueError, match="generator is a generator function|is a generator function") as caught:
            api(generator, [], tf.float32)
        assert "generator" in str(caught.value) and __file__ in str(caught.value)


@MODES
@APIS
def test_what_is_no_list_of_inputs(api: Any, mode: Any) -> None:
    with mode():
        with pytest.raises(TypeError, match="'float' object is not iterable"):
            api(one, 1.0, tf.float32)
        for bad in ({"a": 1.0}, {1.0}, frozenset([1.0])):
            with pytest.raises(TypeError, match="inp"):
                api(one, bad, tf.float32)
    with tf.Graph().as_default():
        x = tf.constant([1.0])
        with pytest.raises(tf.errors.OperatorNotAllowedInGraphError, match=r"Iterating over a symbolic.*write \[x\]"):
            api(one, x, tf.float32)


@MODES
@APIS
def test_what_is_a_list_of_inputs(api: Any, mode: Any) -> None:
    seen: list[int] = []

    def count(*args: Any) -> Any:
        seen.append(len(args))
        return np.float32(len(args))

    with mode():
        made = [
            api(count, inp, tf.float32)
            for inp in ([], (), (1.0, 2.0), (float(i) for i in range(3)), np.arange(4.0), range(5), iter([1.0]))
        ]
        if mode is in_graph:
            with tf.compat.v1.Session() as session:
                session.run(made)
    assert seen == [0, 0, 2, 3, 4, 5, 1]
    assert float(api(count, tf.constant([1.0, 2.0]), tf.float32)) == 2.0


@MODES
@APIS
@pytest.mark.parametrize(
    ("func", "inputs", "says"),
    [
        (lambda a, b: a, [1.0], "missing 1 required positional argument: 'b'"),
        (lambda a: a, [1.0, 2.0], "takes 1 positional arguments? but 2 were given"),
        (
            lambda: 1.0,
            [1.0],
            "takes 0 positional arguments but 1 was given|takes 0 positional arguments but 1 were given",
        ),
    ],
)
def test_a_function_that_cannot_take_the_inputs_is_refused_at_the_call(
    func: Any, inputs: Any, says: str, api: Any, mode: Any
) -> None:
    with mode(), pytest.raises(TypeError, match=says) as caught:
        api(func, inputs, tf.float32)
    assert isinstance(caught.value, tf.errors.InvalidArgumentError)


class K:
    @tf.py_function(Tout=tf.float32)
    def decorated(self, x: Any) -> Any:
        return x * self.factor

    factor = 3.0

    def bound(self, x: Any) -> Any:
        return np.float32(x) * np.float32(2)

    @classmethod
    def of_class(cls, x: Any) -> Any:
        return np.float32(x) * np.float32(2)

    @staticmethod
    def static(x: Any) -> Any:
        return np.float32(x) * np.float32(2)

    def __call__(self, x: Any) -> Any:
        return np.float32(x) * np.float32(2)


def times(x: Any, by: Any) -> Any:
    return np.float32(x) * np.float32(by)


CALLABLES = {
    "lambda": lambda x: np.float32(x) * np.float32(2),
    "bound": K().bound,
    "class": K.of_class,
    "static": K.static,
    "object": K(),
    "partial": functools.partial(times, by=2),
    "partial by position": functools.partial(times, 2),
    "default": lambda x, by=2: np.float32(x) * np.float32(by),
    "varargs": lambda *a, **k: np.float32(a[0]) * np.float32(2),
}


@MODES
@APIS
@pytest.mark.parametrize("kind", list(CALLABLES))
def test_callables(kind: str, api: Any, mode: Any) -> None:
    with mode():
        y = api(CALLABLES[kind], [4.0], tf.float32)
        if mode is in_graph:
            with tf.compat.v1.Session() as session:
                assert session.run(y) == 8.0
        else:
            assert float(y) == 8.0


def test_ufuncs_builtins_and_ops_are_functions_too() -> None:
    assert float(tf.numpy_function(np.square, [np.float32(3)], tf.float32)) == 9.0
    assert float(tf.py_function(tf.square, [3.0], tf.float32)) == 9.0
    assert float(tf.py_function(float, [3.0], tf.float32)) == 3.0
    assert float(tf.numpy_function(float, [3.0], tf.float64)) == 3.0
    inner = tf.py_function(Tout=tf.float32)(lambda x: x + 1.0)
    assert float(tf.py_function(inner, [3.0], tf.float32)) == 4.0


# ---------------------------------------------------------------- Tout


@MODES
@APIS
@pytest.mark.parametrize("tout", ["float32", np.float32, float, np.dtype("f4"), 1, tf.float32])
def test_spellings_of_one_dtype(tout: Any, api: Any, mode: Any) -> None:
    with mode():
        assert api(one, [], tout).dtype is tf.float32
        assert [t.dtype for t in api(lambda: (one(), one()), [], [tout, tout])] == [tf.float32] * 2


@MODES
@APIS
@pytest.mark.parametrize("bogus", ["bogus", int, {tf.float32}, 3.5, ["float32", "bogus"]])
def test_what_is_no_dtype(bogus: Any, api: Any, mode: Any) -> None:
    with mode(), pytest.raises(TypeError, match="Cannot convert the argument `type_value`: .* to a TensorFlow DType"):
        api(one, [], bogus)


@MODES
@APIS
@pytest.mark.parametrize("tout", [{}, [{}], [()], [[]], {"a": []}], ids=str)
def test_a_nest_without_a_dtype_is_refused_before_the_call(tout: Any, api: Any, mode: Any) -> None:
    """FINDINGS F: `Tout=[{}]` was refused after the call."""
    with mode(), pytest.raises(TypeError, match="Cannot convert the argument `type_value`: .* to a TensorFlow DType"):
        api(lambda: pytest.fail("called"), [], tout)


@APIS
def test_a_spec_in_tout_gives_the_static_shape_and_is_enforced(api: Any) -> None:
    spec = tf.TensorSpec([None, 2], tf.float32)
    with tf.Graph().as_default(), tf.compat.v1.Session() as session:
        good = api(lambda: np.zeros((3, 2), np.float32), [], spec)
        bad = api(lambda: np.zeros((3,), np.float32), [], spec)
        assert good.shape.as_list() == [None, 2]
        assert session.run(good).shape == (3, 2)
        with pytest.raises(tf.errors.InvalidArgumentError, match=r"has shape \[3\]; declared is \[\?,2\]"):
            session.run(bad)
    with pytest.raises(tf.errors.InvalidArgumentError, match=r"has shape \[3\]; declared is \[\?,2\]"):
        api(lambda: np.zeros((3,), np.float32), [], spec)


def test_resources_are_refused_by_the_numpy_flavor() -> None:
    v = tf.Variable(1.0)
    for mode in (eager, in_graph):
        with mode(), pytest.raises(TypeError, match="input 0 is a resource tensor: NumPy has no such value"):
            tf.numpy_function(one, [v.handle], tf.float32)


# ---------------------------------------------------------------- keyword-only options


def test_kwargs_pass_tensors_and_leave_other_objects_alone() -> None:
    class Thing:
        pass

    thing = Thing()
    seen: list[Any] = []

    def f(x: Any, *, scale: Any, parts: Any, thing: Any) -> Any:
        seen.append((type(parts["a"]).__name__, parts["b"], thing))
        return x * scale * parts["a"]

    options = {"scale": tf.constant(2.0), "parts": {"a": np.float32(3), "b": "plain"}, "thing": thing}
    assert float(tf.py_function(f, [5.0], tf.float32, kwargs=options)) == 30.0
    with tf.Graph().as_default(), tf.compat.v1.Session() as session:
        x = tf.constant(5.0)
        assert session.run(tf.numpy_function(f, [x], tf.float32, kwargs={**options, "scale": x + 1.0})) == 90.0
    assert seen == [("EagerTensor", "plain", thing), ("float32", "plain", thing)]


def test_tout_as_a_nest_gives_that_structure() -> None:
    tout = {"mean": tf.float32, "range": (tf.TensorSpec([], tf.float64), [tf.int64])}

    def f(x: Any) -> Any:
        return {"mean": np.float32(np.mean(x)), "range": (np.float64(np.max(x)), [np.int64(len(x))])}

    x = np.array([1.0, 3.0])
    got = tf.numpy_function(f, [x], tout)
    assert tf.nest.map_structure(lambda t: t.numpy(), got) == {"mean": 2.0, "range": (3.0, [2])}
    with tf.Graph().as_default(), tf.compat.v1.Session() as session:
        made = tf.numpy_function(f, [x], tout)
        assert made["range"][0].shape.as_list() == [] and made["mean"].shape.rank is None
        assert session.run(made) == {"mean": 2.0, "range": (3.0, [2])}
    with pytest.raises(tf.errors.InvalidArgumentError, match="does not have the declared structure"):
        tf.numpy_function(lambda: {"mean": np.float32(0)}, [], tout)


def test_output_shapes_are_static_and_checked() -> None:
    with tf.Graph().as_default(), tf.compat.v1.Session() as session:
        p = tf.compat.v1.placeholder(tf.float32, [None, 3])
        fixed = tf.numpy_function(lambda x: x[:, 0], [p], tf.float32, output_shapes=[None])
        ruled = tf.numpy_function(lambda x: x[:2], [p], tf.float32, output_shapes=lambda s: s)
        assert (fixed.shape.as_list(), ruled.shape.as_list()) == ([None], [None, 3])
        assert session.run(ruled, {p: np.zeros((2, 3))}).shape == (2, 3)
        with pytest.raises(tf.errors.InvalidArgumentError, match=r"has shape \[2,3\]; declared is \[5,3\]"):
            session.run(ruled, {p: np.zeros((5, 3))})
        learned = tf.numpy_function(
            lambda x: x.T, [p], tf.float32, output_shapes="infer", sample=[np.zeros((4, 3), np.float32)]
        )
        assert learned.shape.as_list() == [3, None]  # the sample's 4 stands where the input's size is unknown
    with pytest.raises(ValueError, match='output_shapes="infer" calls the function once'):
        tf.numpy_function(one, [], tf.float32, output_shapes="infer")
    with pytest.raises(TypeError, match="is not nested like Tout"):
        tf.numpy_function(one, [], [tf.float32] * 2, output_shapes=[[1]])


def test_ones_own_gradient_wins_and_may_be_differentiated() -> None:
    def grad(x: Any, y: Any, dy: Any) -> Any:
        return dy * 3.0 * x * x

    x = tf.constant(2.0)
    with tf.GradientTape() as outer:
        outer.watch(x)
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = tf.numpy_function(lambda v: v**3, [x], tf.float32, grad=grad)
        dy = tape.gradient(y, x)
    assert (float(y), float(dy), float(outer.gradient(dy, x))) == (8.0, 12.0, 12.0)
    with tf.Graph().as_default(), tf.compat.v1.Session() as session:
        p = tf.compat.v1.placeholder(tf.float32)
        y = tf.numpy_function(lambda v: v**3, [p], tf.float32, grad=grad)
        d = tf.gradients(y, p)[0]
        assert session.run([y, d, tf.gradients(d, p)[0]], {p: 2.0}) == [8.0, 12.0, 12.0]


# ---------------------------------------------------------------- decorator form


@pytest.mark.parametrize("api", FAMILY[:2], ids=NAMES[:2])
def test_a_decorated_function(api: Any) -> None:
    def plain(x: Any, by: Any = 2.0) -> Any:
        """Multiplies."""
        return np.float32(x * by)

    made = api(Tout=tf.float32)(plain)
    assert (made.__name__, made.__doc__, made.__wrapped__) == ("plain", "Multiplies.", plain)
    assert float(made(3.0)) == 6.0
    assert float(made(3.0, np.float32(4))) == 12.0
    assert float(made(3.0, by=np.float32(5))) == 15.0
    assert float(made(x=np.float32(3), by=np.float32(5))) == 15.0
    with pytest.raises(TypeError, match="unexpected keyword argument 'k'"):
        made(3.0, k=1.0)
    with tf.Graph().as_default():
        assert [made(tf.constant(1.0)).op.name for _ in range(2)] == [
            made_type(api),
            f"{made_type(api)}_1",
        ]


def made_type(api: Any) -> str:
    return "EagerPyFunc" if api is tf.py_function else "PyFunc"


@pytest.mark.parametrize("api", FAMILY[:2], ids=NAMES[:2])
def test_the_bare_decorator_and_the_empty_one_are_refused(api: Any) -> None:
    with pytest.raises(TypeError, match="Missing required argument: 'Tout'"):
        api(one)
    with pytest.raises(TypeError, match="Missing required argument: 'Tout'"):
        api()
    with pytest.raises(ValueError, match="Expected func to be callable"):
        api(Tout=tf.float32)(3)


def test_a_decorated_method_binds_self() -> None:
    k = K()
    assert float(k.decorated(2.0)) == 6.0
    k.factor = 5.0
    assert float(k.decorated(x=2.0)) == 10.0
    assert float(K.decorated.__get__(k)(2.0)) == 10.0


def test_a_decorated_function_can_be_decorated_again() -> None:
    @tf.py_function(Tout=tf.float64)
    @tf.numpy_function(Tout=tf.float32)
    def inner(x: Any) -> Any:
        return np.float32(x)

    with pytest.raises(ValueError, match="Tensor conversion requested dtype float64 for Tensor with dtype float32"):
        inner(1.0)


@pytest.mark.parametrize("api", FAMILY[:2], ids=NAMES[:2])
def test_signatures_and_names(api: Any) -> None:
    import inspect

    public = [p for p in inspect.signature(api).parameters.values() if p.kind is not p.KEYWORD_ONLY]
    names = ["func", "inp", "Tout", "name"] if api is tf.py_function else ["func", "inp", "Tout", "stateful", "name"]
    assert [p.name for p in public] == names
    assert list(inspect.signature(tf.compat.v1.py_func).parameters) == ["func", "inp", "Tout", "stateful", "name"]
