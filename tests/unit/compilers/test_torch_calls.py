"""`inlay.torch.op`: host functions in PyTorch's programs, their gradients, batches and compiled forms."""

from __future__ import annotations

import copy
import sys
import threading
import weakref
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
import pytest

import inlay as tf

torch = pytest.importorskip("torch")

pytestmark = [
    pytest.mark.filterwarnings("ignore:.*torch.jit.script. is deprecated:DeprecationWarning"),  # PyTorch's own call
    pytest.mark.filterwarnings("ignore:ComplexHalf:UserWarning"),
]


@pytest.fixture(autouse=True)
def compiles_anew() -> Iterator[None]:
    """PyTorch counts the compilations of a code object, which tests with parameters share."""
    yield
    if "torch._dynamo" in sys.modules:
        torch.compiler.reset()


def _op(func: Callable[..., Any] | None = None, result: Any = lambda x, *_: x, **options: Any) -> Any:
    return tf.torch.op(func, result, **options)


def _samples(*shape: int, grad: bool = False, dtype: Any = None) -> Any:
    generator = torch.Generator().manual_seed(len(shape))
    dtype = dtype or torch.float64
    return torch.randn(*shape, dtype=dtype, generator=generator).requires_grad_(grad)


def _assert_same(actual: Any, expected: Any) -> None:
    torch.testing.assert_close(actual, expected)


def _waves(x: Any) -> Any:
    return tf.sin(x) * x


def _torch_waves(x: Any) -> Any:
    return torch.sin(x) * x


WAVES = {vmap: tf.torch.op(_waves, lambda x: x, vmap=vmap) for vmap in ("sequential", "batched")}


# ---------------------------------------------------------------- values


def test_values() -> None:
    x = _samples(2, 3)
    _assert_same(WAVES["sequential"](x), _torch_waves(x))
    _assert_same(WAVES["sequential"](x[0, 0]), _torch_waves(x[0, 0]))
    _assert_same(WAVES["sequential"](x.t()), _torch_waves(x.t()))
    _assert_same(WAVES["sequential"](x[:0]), x[:0])


def test_decorator_and_names() -> None:
    @tf.torch.op(result=lambda x: x, mode="numpy")
    def doubled(x: Any) -> Any:
        """It doubles."""
        return x * 2

    assert doubled.__name__ == "doubled"
    assert doubled.__doc__ == "It doubles."
    assert "doubled" in repr(doubled)
    _assert_same(doubled(torch.arange(3)), torch.tensor([0, 2, 4]))


def test_nested_arguments_and_results() -> None:
    def combined(pair: Any, named: Any) -> Any:
        a, b = pair
        return {"sum": a + b, "rest": [named["c"] * 2.0, tf.argmax(a)]}

    operation = tf.torch.op(combined)
    a, b, c = _samples(3), _samples(3), _samples(2, 2)
    returned = operation((a, b), {"c": c})
    _assert_same(returned["sum"], a + b)
    _assert_same(returned["rest"], [c * 2, a.argmax()])


def test_arguments_that_are_no_tensors() -> None:
    _assert_same(_op(lambda x: x * 2, mode="numpy")(np.ones(2)), torch.full((2,), 2.0, dtype=torch.float64))
    _assert_same(_op(lambda x: x * 2, mode="numpy")(1.5), torch.tensor(3.0))


def test_no_arguments_and_no_results() -> None:
    _assert_same(tf.torch.op(lambda: np.arange(2), torch.empty(2, dtype=torch.int64), mode="numpy")(), torch.arange(2))
    calls: list[Any] = []
    assert tf.torch.op(lambda x: calls.append(1), (), mode="numpy", stateful=True)(torch.ones(1)) == ()
    assert calls == [1]


@pytest.mark.parametrize(
    "dtype", ["bool", "uint8", "int8", "int32", "int64", "float16", "bfloat16", "float32", "complex64", "float8_e5m2"]
)
@pytest.mark.parametrize("mode", ["eager", "numpy"])
def test_dtypes(dtype: str, mode: str) -> None:
    x = torch.tensor([0.0, 1.0, 3.0]).to(getattr(torch, dtype))
    same = _op(lambda x: x[::-1] if mode == "numpy" else tf.gather(x, [2, 1, 0]), mode=mode)(x)
    assert same.dtype == x.dtype
    _assert_same(same.to(torch.complex64), x.to(torch.complex64).flip(0))


def test_conjugates_are_resolved() -> None:
    x = torch.tensor([1 + 2j, 3 - 1j])
    _assert_same(_op(lambda x: x * 2, mode="numpy")(x.conj()), x.conj() * 2)


@pytest.mark.parametrize("result", [torch.empty(2, device="meta"), np.zeros(2, np.float32), tf.TensorSpec([2])])
def test_results_by_any_specification(result: Any) -> None:
    _assert_same(tf.torch.op(lambda x: x[:2], result, mode="numpy")(torch.ones(3)), torch.ones(2))


# ---------------------------------------------------------------- memory


def test_contiguous_memory_is_lent() -> None:
    x, seen = torch.arange(3.0), []
    _op(lambda a: seen.append((a.ctypes.data, a.flags.writeable)) or a + 1, mode="numpy", copy=False)(x)
    assert seen == [(x.data_ptr(), False)]


def test_results_keep_their_memory() -> None:
    addresses: list[int] = []

    def filled(x: Any) -> Any:
        result = np.full(1000, 2.0)
        addresses.append(result.ctypes.data)
        return result

    result = tf.torch.op(filled, torch.empty(1000, dtype=torch.float64), mode="numpy", copy=False)(torch.ones(1))
    assert addresses == [result.data_ptr()]


@pytest.mark.parametrize("mode", ["eager", "numpy"])
@pytest.mark.parametrize("grad", [False, True])
def test_results_never_share_memory_with_arguments(mode: str, grad: bool) -> None:
    x = _samples(4, grad=grad)
    y = _op(lambda a: a, mode=mode, copy=False)(x)
    assert y.data_ptr() != x.data_ptr()
    with torch.no_grad():
        y.add_(1)
    _assert_same(y, x + 1)


def test_results_that_the_function_holds_are_copied() -> None:
    held = np.zeros(3, np.float32)
    y = _op(lambda x: held, mode="numpy")(torch.ones(3))
    y += 1
    assert held.sum() == 0


# ---------------------------------------------------------------- gradients


def _quotients(x: Any, y: Any) -> Any:
    return tf.tanh(x) / (1.0 + y * y), x * y


DIFFERENTIABLE: dict[str, tuple[Callable[..., Any], Any, int]] = {
    "sine": (_waves, lambda x: x, 1),
    "several": (_quotients, lambda x, y: (x, x), 2),
    "reduction": (lambda x: tf.reduce_sum(x * x * x), torch.empty((), dtype=torch.float64), 1),
    "product": (lambda x, y: tf.matmul(x, y), lambda x, y: x @ y, 2),
    "unused": (lambda x, y: x * 3.0, lambda x, y: x, 2),
}


@pytest.mark.parametrize("name", DIFFERENTIABLE)
def test_gradients_of_tensors(name: str) -> None:
    func, result, count = DIFFERENTIABLE[name]
    operation = tf.torch.op(func, result)
    inputs = [_samples(2, 2, grad=True), _samples(2, 2, grad=True)][:count]
    assert torch.autograd.gradcheck(operation, inputs, check_forward_ad=True)
    assert torch.autograd.gradgradcheck(operation, inputs)


def test_gradients_of_complex_numbers() -> None:
    operation = _op(lambda z: tf.exp(z) * tf.math.conj(z))
    z = _samples(2, grad=True, dtype=torch.complex128)
    assert torch.autograd.gradcheck(operation, [z])
    assert torch.autograd.gradgradcheck(operation, [z])


@pytest.mark.parametrize("mode", ["eager", "numpy"])
def test_own_gradient(mode: str) -> None:
    cube = _op(lambda x: x * x * x, mode=mode, grad=lambda x, y, g: 3.0 * x * x * g)
    x = _samples(3, grad=True)
    assert torch.autograd.gradcheck(cube, [x])
    assert torch.autograd.gradgradcheck(cube, [x])


def test_integers_have_no_gradient() -> None:
    def chosen(x: Any, index: Any) -> Any:
        return tf.gather(x, index), tf.argmax(x)

    operation = tf.torch.op(chosen)
    x, index = _samples(3, grad=True), torch.tensor([2, 0])
    values, largest = operation(x, index)
    assert not largest.requires_grad
    assert torch.autograd.gradcheck(lambda x: operation(x, index)[0], [x])
    _assert_same(torch.autograd.grad(values.sum(), x)[0], torch.tensor([1.0, 0.0, 1.0], dtype=torch.float64))


def test_arrays_have_no_gradient() -> None:
    operation = _op(np.sin, mode="numpy")
    y = operation(_samples(3, grad=True))
    with pytest.raises(TypeError, match=r"takes NumPy arrays, through which no gradient flows.*grad="):
        y.sum().backward()
    with torch.no_grad():
        operation(_samples(3, grad=True))
    assert not operation(_samples(3)).requires_grad


def test_a_changed_argument_is_refused() -> None:
    x = _samples(3, grad=True)
    z = x * 1
    y = WAVES["sequential"](z)
    z.add_(1)
    with pytest.raises(RuntimeError, match="modified by an inplace operation"):
        y.sum().backward()


def test_forward_call_runs_once() -> None:
    calls: list[int] = []
    operation = _op(lambda x: calls.append(1) or x * x, stateful=True)
    x = _samples(3, grad=True)
    operation(x).sum().backward()
    assert calls == [1]
    _assert_same(x.grad, 2 * x.detach())


# ---------------------------------------------------------------- torch.func

func = torch.func
TRANSFORMED: dict[str, Callable[[Any], Callable[[Any], Any]]] = {
    "vmap": func.vmap,
    "vmap of vmap": lambda f: func.vmap(lambda x: func.vmap(f)(x)),
    "vmap of the last axis": lambda f: func.vmap(f, in_dims=1),
    "vmap of nothing": lambda f: lambda x: func.vmap(f)(x[:0]),
    "vmap of grad": lambda f: func.vmap(func.grad(lambda x: f(x).sum())),
    "grad of vmap": lambda f: func.grad(lambda x: func.vmap(f)(x).sum()),
    "vmap of grad of grad": lambda f: func.vmap(func.vmap(func.grad(func.grad(f)))),
    "jacrev": func.jacrev,
    "vmap of jacrev": lambda f: func.vmap(func.jacrev(f)),
    "jacrev of jacrev": lambda f: func.jacrev(func.jacrev(f)),
    "jacfwd": func.jacfwd,
    "hessian": lambda f: func.hessian(lambda x: f(x).sum()),
}


@pytest.mark.parametrize("vmap", WAVES)
@pytest.mark.parametrize("name", TRANSFORMED)
def test_transformed_functions(name: str, vmap: str) -> None:
    x = _samples(2, 3)
    transform = TRANSFORMED[name]
    _assert_same(transform(WAVES[vmap])(x), transform(_torch_waves)(x))


@pytest.mark.parametrize(("vmap", "count"), [("sequential", 3), ("batched", 1)])
def test_calls_of_a_batch(vmap: str, count: int) -> None:
    shapes: list[tuple[int, ...]] = []

    def scaled(x: Any, y: Any) -> Any:
        shapes.append(x.shape)
        return x * y[..., np.newaxis]

    operation = _op(scaled, mode="numpy", vmap=vmap)
    x, y = _samples(2), _samples(3)
    _assert_same(func.vmap(operation, in_dims=(None, 0))(x, y), x * y[:, None])
    assert len(shapes) == count
    assert set(shapes) == {(2,) if vmap == "sequential" else (3, 2)}


@pytest.mark.parametrize("vmap", WAVES)
def test_gradient_of_a_batch_from_outside(vmap: str) -> None:
    x = _samples(3, grad=True)
    (grad,) = torch.autograd.grad(func.vmap(WAVES[vmap])(x).sum(), x)
    _assert_same(grad, torch.cos(x.detach()) * x.detach() + torch.sin(x.detach()))


# ---------------------------------------------------------------- torch.library and torch.compile


@pytest.mark.parametrize("result", [None, lambda x: x])
@pytest.mark.parametrize("grad", [False, True])
@pytest.mark.parametrize("mode", ["eager", "numpy"])
def test_opcheck(result: Any, grad: bool, mode: str) -> None:
    body = _waves if mode == "eager" else np.sin
    operation = tf.torch.op(body, result, mode=mode, grad=lambda x, y, g: tf.cos(x) * g if mode == "numpy" else None)
    if mode == "eager":
        operation = tf.torch.op(body, result)
    x = _samples(3, grad=grad)
    torch.library.opcheck(operation.overload(x), (x,))


def test_opcheck_of_several_results() -> None:
    operation = tf.torch.op(_quotients, lambda x, y: (x, x))
    inputs = _samples(2, grad=True), _samples(2, grad=True)
    torch.library.opcheck(operation.overload(*inputs), inputs)


@pytest.mark.parametrize("backend", ["eager", "aot_eager"])
@pytest.mark.parametrize("dynamic", [False, True])
def test_compiled(backend: str, dynamic: bool) -> None:
    operation = tf.torch.op(lambda named: {"y": _waves(named["x"])}, lambda named: {"y": named["x"]})  # not yet called

    def loss(x: Any) -> Any:
        return (operation({"x": x * 2})["y"] ** 2).sum()

    compiled = torch.compile(loss, fullgraph=True, backend=backend, dynamic=dynamic)
    for size in (3, 5):
        x = _samples(size, grad=True)
        expected = (_torch_waves(x * 2) ** 2).sum()
        _assert_same(compiled(x), expected)
        _assert_same(torch.autograd.grad(compiled(x), x), torch.autograd.grad(expected, x))
        _assert_same(compiled(x.detach()), expected.detach())


def test_compiled_transformations() -> None:
    compiled = torch.compile(func.vmap(func.grad(WAVES["batched"])), fullgraph=True, backend="aot_eager")
    x = _samples(3)
    _assert_same(compiled(x), func.vmap(func.grad(_torch_waves))(x))


@pytest.mark.parametrize("backend", ["eager", "aot_eager"])
def test_stateful_calls_stay(backend: str) -> None:
    seen: list[float] = []

    def noted(x: Any) -> Any:
        seen.append(float(x.sum()))
        return x

    operation = _op(noted, mode="numpy", stateful=True)

    def program(x: Any) -> Any:
        operation(x)
        operation(x + 1)
        return x * 2

    compiled = torch.compile(program, fullgraph=True, backend=backend)
    compiled(torch.ones(2))
    assert seen == [2.0, 4.0]


def test_exported() -> None:
    class Model(torch.nn.Module):
        def forward(self, x: Any) -> Any:
            return WAVES["sequential"](x) + 1

    x = _samples(3)
    program = torch.export.export(Model(), (x,))
    assert any("inlay" in str(node.target) for node in program.graph.nodes)
    _assert_same(program.module()(x), _torch_waves(x) + 1)


def test_fake_tensors_do_not_call_the_function() -> None:
    operation = _op(lambda x: 1 / 0, mode="numpy")
    assert operation(torch.empty(3, device="meta")).shape == (3,)


# ---------------------------------------------------------------- errors


class OwnError(Exception):
    pass


@pytest.mark.parametrize("mode", ["eager", "numpy"])
@pytest.mark.parametrize("grad", [False, True])
def test_exceptions_keep_their_class(mode: str, grad: bool) -> None:
    def failing(x: Any) -> Any:
        raise OwnError("out of stock")

    with pytest.raises(OwnError, match="out of stock") as caught:
        _op(failing, mode=mode)(_samples(2, grad=grad))
    assert isinstance(caught.value, tf.errors.OpError)
    assert "raised in function" in str(caught.value)


def test_exceptions_of_gradients_keep_their_class() -> None:
    def failing(*_: Any) -> Any:
        raise OwnError("no slope")

    y = _op(np.sin, mode="numpy", grad=failing)(_samples(2, grad=True))
    with pytest.raises(OwnError, match="no slope"):
        y.sum().backward()


def test_exceptions_of_compiled_programs_keep_their_class() -> None:
    def failing(x: Any) -> Any:
        raise OwnError("out of stock")

    operation = _op(failing, mode="numpy")
    compiled = torch.compile(lambda x: operation(x) + 1, fullgraph=True, backend="aot_eager")
    with pytest.raises(OwnError, match="out of stock"):
        compiled(torch.ones(2))


@pytest.mark.parametrize("grad", [False, True])
def test_other_shapes_are_refused(grad: bool) -> None:
    with pytest.raises(tf.errors.InvalidArgumentError, match=r"result 0 of .* has shape \[1\], and `result` declares"):
        _op(lambda x: x[:1])(_samples(2, grad=grad))


def test_other_dtypes_are_refused() -> None:
    with pytest.raises(tf.errors.InvalidArgumentError, match="float32"):
        _op(lambda x: x.astype(np.float32), mode="numpy")(_samples(2))


def test_other_structures_are_refused() -> None:
    with pytest.raises(ValueError, match="not nested as `result`"):
        tf.torch.op(lambda x: [x], lambda x: (x, x), mode="numpy")(torch.ones(2))


def test_rules_whose_dtypes_depend_on_shapes_are_refused() -> None:
    operation = tf.torch.op(lambda x: x, lambda x: x if len(x) < 3 else x.int(), mode="numpy")
    operation(torch.ones(2))
    with pytest.raises(TypeError, match="structure and dtypes must not depend on shapes"):
        operation(torch.ones(3))


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"mode": "jax"}, "mode is 'eager' or 'numpy', got 'jax'"),
        ({"vmap": "loop"}, "vmap is 'sequential' or 'batched', got 'loop'"),
    ],
)
def test_wrong_options_are_refused(options: dict[str, Any], message: str) -> None:
    with pytest.raises(TypeError, match=message):
        _op(np.sin, **options)


def test_wrong_arguments_are_refused() -> None:
    operation = _op(np.sin, mode="numpy")
    with pytest.raises(TypeError, match="argument 0 of .* is no tensor"):
        operation("text")
    with pytest.raises(TypeError, match=r"argument 0 of .* layout torch.sparse_coo.*to_dense"):
        operation(torch.eye(2).to_sparse())
    with pytest.raises(TypeError, match="argument 0 of .* is of torch.complex32"):
        operation(torch.zeros(2, dtype=torch.complex32))
    with pytest.raises(TypeError, match="result 0 of .* has no shape and dtype: 3"):
        tf.torch.op(np.sin, 3, mode="numpy")(torch.ones(2))
    with pytest.raises(TypeError, match="result 0 of .* PyTorch needs every size"):
        tf.torch.op(np.sin, tf.TensorSpec([None]), mode="numpy")(torch.ones(2))


def test_stateful_functions_are_not_called_to_learn_results() -> None:
    with pytest.raises(TypeError, match="is stateful and is not called to learn its result: say result="):
        tf.torch.op(np.sin, mode="numpy", stateful=True)(torch.ones(2))


# ---------------------------------------------------------------- executors and threads


@pytest.mark.parametrize("grad", [False, True])
def test_executors(grad: bool) -> None:
    threads: list[str] = []

    def noted(x: Any) -> Any:
        threads.append(threading.current_thread().name)
        return tf.sin(x)

    x = _samples(3, grad=grad)
    y = _op(noted, executor="threads")(x)
    _assert_same(y, torch.sin(x))
    assert threads != [threading.current_thread().name]
    if grad:
        _assert_same(torch.autograd.grad(y.sum(), x)[0], torch.cos(x.detach()))


def test_results_lie_where_arguments_lie() -> None:
    operation = tf.torch.op(_quotients, lambda x, y: (x, x))
    x = torch.empty(2, dtype=torch.float64, device="meta", requires_grad=True)
    results = operation(x, _samples(2, grad=True))
    assert [r.device.type for r in results] == ["meta", "meta"]


def test_copies_of_modules_share_an_op() -> None:
    assert copy.deepcopy(WAVES) == WAVES


def test_asynchronous_functions() -> None:
    async def later(x: Any) -> Any:
        return x * 2

    _assert_same(_op(later, mode="numpy")(torch.ones(2)), torch.full((2,), 2.0))


def test_threads_call_at_once() -> None:
    operation = tf.torch.op(_waves)  # the first calls, which define the op, happen at once too
    barrier = threading.Barrier(16, timeout=30)

    def work(number: int) -> Any:
        x = torch.full((4,), float(number), dtype=torch.float64, requires_grad=True)
        barrier.wait()
        for _ in range(10):
            (grad,) = torch.autograd.grad(operation(x).sum(), x)
        return grad

    with ThreadPoolExecutor(16) as pool:
        grads = list(pool.map(work, range(16)))
    for number, grad in enumerate(grads):
        x = torch.full((4,), float(number), dtype=torch.float64)
        _assert_same(grad, torch.cos(x) * x + torch.sin(x))


def test_arguments_are_released() -> None:
    x = torch.ones(3)
    _op(np.sin, mode="numpy", copy=False)(x)
    reference = weakref.ref(x)
    del x
    assert reference() is None
