"""Host functions in JAX's programs: values, nests, dtypes, loops, batches, executors, errors."""

from __future__ import annotations

import logging
import threading
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

import inlay as tf
from inlay._src.compilers import jax_calls, jax_errors, xla_ffi

jax = pytest.importorskip("jax")
jnp = jax.numpy
DTYPES = sorted(xla_ffi.SUPPORTED - {np.dtype(k) for k in ("i8", "u8", "f8", "c16")}, key=str)


def alike(*args: Any) -> Any:
    return args[0] if len(args) == 1 else args


@pytest.fixture(params=["ffi", "callback"])
def way(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    """XLA's calls by `xla_ffi`, and by JAX's callbacks."""
    if request.param == "callback":
        monkeypatch.setattr(xla_ffi, "unsupported", lambda: "a test")
    else:
        assert not xla_ffi.unsupported()
    yield request.param


@pytest.mark.usefixtures("way")
@pytest.mark.parametrize("mode", ["eager", "numpy"])
@pytest.mark.parametrize("dtype", DTYPES, ids=str)
@pytest.mark.parametrize("shape", [(), (3,), (2, 0, 4), (2, 3)], ids=str)
def test_a_function_of_one_array(mode: str, dtype: np.dtype[Any], shape: tuple[int, ...]) -> None:
    x = jnp.asarray(np.arange(int(np.prod(shape))).reshape(shape) % 2, dtype)
    same = tf.jax.op(lambda v: v, alike, mode=mode)
    for call in same, jax.jit(same):
        result = call(x)
        assert result.dtype == x.dtype and result.shape == shape
        np.testing.assert_array_equal(np.asarray(result), np.asarray(x))


@pytest.mark.usefixtures("way")
def test_nests_go_in_and_come_out() -> None:
    @tf.jax.op(result=lambda a, more: {"sum": a, "pair": (a, jax.ShapeDtypeStruct((), np.int32))})
    def summed(a: Any, more: dict[str, Any]) -> Any:
        return {"pair": [more["y"] * 2.0, tf.constant(7)], "sum": a + more["y"]}

    with pytest.raises(jax.errors.JaxRuntimeError, match="not nested as `result`"):
        jax.jit(summed)(jnp.ones(2), {"y": jnp.ones(2)})  # a list is no tuple
    results = tf.jax.call(
        lambda a, more: {"pair": (more["y"] * 2.0, tf.constant(7)), "sum": a + more["y"]},
        {"sum": jnp.ones(2), "pair": (jnp.ones(2), jax.ShapeDtypeStruct((), np.int32))},
        jnp.ones(2), {"y": jnp.arange(2.0)},
    )  # fmt: skip
    np.testing.assert_array_equal(results["pair"][0], [0, 2])
    assert int(results["pair"][1]) == 7 and results["sum"].tolist() == [1, 2]


@pytest.mark.usefixtures("way")
def test_results_are_learned_on_zeros_and_refused_for_a_stateful_function() -> None:
    calls = []

    def pair(x: Any) -> Any:
        calls.append(np.shape(x))
        return tf.reduce_sum(x), tf.cast(x, tf.int32)

    total, whole = jax.jit(tf.jax.op(pair))(jnp.ones(3))
    assert float(total) == 3 and whole.dtype == np.int32 and calls == [(3,), (3,)]
    with pytest.raises(TypeError, match=r"is stateful and is not called to learn its result: say result="):
        tf.jax.op(pair, stateful=True)(jnp.ones(3))


@pytest.mark.usefixtures("way")
def test_loops_and_branches_of_lax() -> None:
    half = tf.jax.op(lambda x: x / 2.0, alike)

    def step(x: Any, y: Any) -> Any:
        return half(x) + y, half(y)

    x, ys = jnp.ones(3), jnp.arange(6.0).reshape(2, 3)
    carried, stacked = jax.jit(lambda x, ys: jax.lax.scan(step, x, ys))(x, ys)
    np.testing.assert_allclose(carried, [3.25, 4.75, 6.25])
    np.testing.assert_allclose(stacked, ys / 2)
    halved = jax.jit(lambda x: jax.lax.while_loop(lambda v: v.sum() > 1, half, x))(x)
    np.testing.assert_allclose(halved, [0.25] * 3)
    branch = jax.jit(lambda p, x: jax.lax.cond(p, half, lambda v: v, x))
    assert branch(True, x).tolist() == [0.5] * 3 and branch(False, x).tolist() == [1] * 3


@pytest.mark.usefixtures("way")
def test_vmap_one_by_one_at_once_and_by_a_rule() -> None:
    seen: list[tuple[int, ...]] = []

    def doubled(x: Any) -> Any:
        seen.append(np.shape(x))
        return x * 2.0

    x = jnp.arange(12.0).reshape(4, 3)
    for vmap, shapes in (("sequential", [(3,)] * 4), ("batched", [(4, 3)])):
        seen.clear()
        batched = jax.jit(jax.vmap(tf.jax.op(doubled, alike, vmap=vmap)))
        np.testing.assert_array_equal(batched(x), 2 * x)
        assert seen == shapes
        np.testing.assert_array_equal(jax.vmap(jax.vmap(tf.jax.op(doubled, alike, vmap=vmap)))(x[None]), 2 * x[None])

    def rule(size: int, batched: Any, x: Any) -> Any:
        return tf.jax.call(doubled, jax.ShapeDtypeStruct(x.shape, x.dtype), x), True

    seen.clear()
    np.testing.assert_array_equal(jax.vmap(tf.jax.op(doubled, alike, vmap=rule))(x), 2 * x)
    assert seen == [(4, 3)]


@pytest.mark.usefixtures("way")
def test_each_shard_calls_with_its_index() -> None:
    if len(jax.devices()) < 2:
        pytest.skip("one device")
    mesh = jax.sharding.Mesh(np.array(jax.devices()[:2]), ("part",))
    spec, seen = jax.sharding.PartitionSpec("part"), []

    def noted(x: Any, index: Any) -> Any:
        seen.append((int(index), np.shape(x)))
        return x + 10.0 * tf.cast(index, tf.float32)

    call = tf.jax.op(noted, lambda x, index: x)

    def part(x: Any) -> Any:
        return call(x, jax.lax.axis_index("part"))

    sharded = jax.jit(jax.shard_map(part, mesh=mesh, in_specs=spec, out_specs=spec, check_vma=False))
    assert sharded(jnp.zeros(4)).tolist() == [0, 0, 10, 10]
    assert sorted(seen) == [(0, (2,)), (1, (2,))]


@pytest.mark.usefixtures("way")
def test_donated_buffers_are_used_again() -> None:
    twice = jax.jit(tf.jax.op(lambda x: 2.0 * x, alike), donate_argnums=0)
    x = jnp.ones(1000)
    for _ in range(5):
        x = twice(x)
    assert float(x[0]) == 32 and float(x[-1]) == 32


@pytest.mark.usefixtures("way")
def test_a_batch_that_the_function_does_not_keep_is_refused_in_words() -> None:
    total = tf.jax.op(lambda x: tf.reduce_sum(x), lambda x: jax.ShapeDtypeStruct((), x.dtype), vmap="batched")
    assert float(total(jnp.ones(3))) == 3
    with pytest.raises(jax.errors.JaxRuntimeError, match=r"returned shape \[\], and the program has room for \[4\]"):
        jax.block_until_ready(jax.vmap(total)(jnp.ones((4, 3))))


@pytest.mark.parametrize("executor", [None, "inline", "threads"])
@pytest.mark.usefixtures("way")
def test_executors_run_the_function(executor: str | None) -> None:
    threads = set()

    def noted(x: Any) -> Any:
        threads.add(threading.current_thread().name)
        return x + 1.0

    call = jax.jit(tf.jax.op(noted, alike, executor=executor))
    np.testing.assert_array_equal(call(jnp.zeros(3)), [1] * 3)
    assert len(threads) == 1
    gradient = jax.jit(jax.grad(lambda x: tf.jax.op(noted, alike, executor=executor)(x).sum()))
    np.testing.assert_array_equal(gradient(jnp.zeros(3)), [1] * 3)


@pytest.mark.usefixtures("way")
def test_an_error_keeps_its_class_message_and_op_text() -> None:
    def failing(x: Any) -> Any:
        raise KeyError("the key 17")

    call = jax.jit(tf.jax.op(failing, alike))
    with pytest.raises(jax.errors.JaxRuntimeError, match="the key 17") as raised:
        call(jnp.ones(3)).block_until_ready()
    text = str(raised.value)
    assert "raised in function" in text and "test_jax_calls.py" in text and "inputs: float32[3]" in text
    with pytest.raises(KeyError, match="the key 17") as original, tf.jax.host_errors():
        call(jnp.ones(3)).block_until_ready()
    assert isinstance(original.value.__cause__, jax.errors.JaxRuntimeError)
    with pytest.raises(KeyError):
        tf.jax.host_errors()(call)(jnp.ones(3))
    assert jax_errors.original(ValueError("of somebody else")) is None


@pytest.mark.parametrize("text", ["x" * 200_000, "before\0after"], ids=["long", "with a zero"])
@pytest.mark.usefixtures("way")
def test_an_error_is_recognized_whatever_its_text(text: str) -> None:
    def failing(x: Any) -> Any:
        raise LookupError(text)

    with pytest.raises(LookupError), tf.jax.host_errors():
        jax.jit(tf.jax.op(failing, alike))(jnp.ones(3)).block_until_ready()


@pytest.mark.parametrize("result", ["shape", "dtype"])
@pytest.mark.usefixtures("way")
def test_a_result_that_was_not_declared_is_refused(result: str) -> None:
    wrong = (lambda x: x[:1]) if result == "shape" else (lambda x: tf.cast(x, tf.int32))
    with pytest.raises(jax.errors.JaxRuntimeError, match="has shape|int32, declared float32"):
        jax.jit(tf.jax.op(wrong, alike))(jnp.ones(3)).block_until_ready()


@pytest.mark.parametrize(
    ("options", "args", "message"),
    [
        ({"mode": "arrays"}, (), "mode is 'eager' or 'numpy'"),
        ({"vmap": "parallel"}, (), "vmap is 'sequential', 'batched' or a function"),
        ({"result": alike}, (object(),), "argument 0 of .* is no array"),
        ({"result": 3}, (1.0,), "result 0 of .* has no shape and dtype"),
        ({"result": jax.ShapeDtypeStruct((2,), np.float64)}, (1.0,), "set jax_enable_x64"),
        ({"result": tf.TensorSpec([None], tf.float32)}, (1.0,), "JAX needs every size"),
        ({"result": alike}, (jax.random.key(0),), "which no NumPy array has"),
    ],
)  # fmt: skip
def test_what_does_not_fit_is_refused_before_anything_runs(options: Any, args: Any, message: str) -> None:
    with pytest.raises(TypeError, match=message):
        tf.jax.op(lambda *a: a[0], **options)(*args)


@pytest.mark.usefixtures("way")
def test_calls_of_a_stateful_function_are_made_though_nobody_reads_them() -> None:
    seen: list[float] = []

    def noted(x: Any) -> Any:
        seen.append(float(x))
        return x

    for stateful, count in ((True, 3), (False, 0)):
        seen.clear()
        call = tf.jax.op(noted, alike, stateful=stateful)
        jax.block_until_ready(jax.jit(lambda x, call=call: [call(x), call(x), call(x)] and x + 1)(jnp.float32(1)))
        jax.effects_barrier()
        assert len(seen) == count


def test_ordered_calls_keep_the_order_of_the_program() -> None:
    seen: list[int] = []

    def noted(x: Any) -> Any:
        seen.append(int(x))
        return x

    first, second = (tf.jax.op(lambda x, k=k: noted(x + k), alike, ordered=True) for k in (0, 100))

    @jax.jit
    def program(x: Any) -> Any:
        def step(i: Any, x: Any) -> Any:
            first(i), second(i)
            return x

        return jax.lax.fori_loop(0, 5, step, x)

    jax.block_until_ready(program(jnp.float32(0)))
    jax.effects_barrier()
    assert seen == [value for i in range(5) for value in (i, 100 + i)]
    with pytest.raises(ValueError, match="do not support JVP"):
        jax.grad(lambda x: tf.jax.op(lambda x: x, alike, ordered=True)(x))(1.0)


def test_a_function_keeps_what_it_was_given() -> None:
    kept: list[Any] = []
    for mode in "eager", "numpy":
        call = jax.jit(tf.jax.op(lambda x: (kept.append(x), x * 2)[1], alike, mode=mode))
        for i in range(20):
            call(jnp.full(1000, i, jnp.float32)).block_until_ready()
    assert [int(np.asarray(x)[0]) for x in kept] == [*range(20), *range(20)]


def test_lent_memory_is_read_only() -> None:
    def changed(x: Any) -> Any:
        x[0] = 1
        return x

    with pytest.raises(jax.errors.JaxRuntimeError, match="read-only"):
        jax.jit(tf.jax.op(changed, alike, mode="numpy", copy=False))(jnp.zeros(3)).block_until_ready()
    assert jax.jit(tf.jax.op(changed, alike, mode="numpy"))(jnp.zeros(3)).tolist() == [1, 0, 0]


def test_many_threads_call_at_once() -> None:
    call, wrong = jax.jit(tf.jax.op(lambda x: tf.sin(x) + 1.0, alike)), []
    call(jnp.ones(5))

    def work(k: int) -> None:
        for i in range(20):
            x = np.full(5, k * 100 + i, np.float32)
            if not np.allclose(call(x), np.sin(x) + 1, atol=1e-5):
                wrong.append((k, i))

    threads = [threading.Thread(target=work, args=(k,)) for k in range(64)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong


def test_keyboard_interrupt_reaches_the_caller() -> None:
    def interrupted(x: Any) -> Any:
        raise KeyboardInterrupt

    call = jax.jit(tf.jax.op(interrupted, alike))
    with pytest.raises(KeyboardInterrupt), tf.jax.host_errors():
        call(jnp.ones(3)).block_until_ready()
    np.testing.assert_array_equal(jax.jit(tf.jax.op(lambda x: x, alike))(jnp.ones(3)), [1] * 3)


def test_one_program_per_shapes_and_one_binding_for_equal_calls() -> None:
    @tf.jax.op(result=alike)
    def same(x: Any) -> Any:
        return x

    for _ in range(3):
        same(jnp.ones(3)), same(jnp.ones(4))
    assert len(same._bindings) == 2

    def body(x: Any) -> Any:
        return x

    before = len(xla_ffi._handlers)
    for _ in range(5):
        tf.jax.call(body, jnp.ones(3), jnp.ones(3))
    assert len(xla_ffi._handlers) == before + 1


def test_the_callbacks_are_announced_once(monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture) -> None:
    monkeypatch.setattr(xla_ffi, "unsupported", lambda: "of a reason")
    jax_calls._tell.cache_clear()
    with caplog.at_level(logging.WARNING):
        for _ in range(2):
            tf.jax.op(lambda x: x, alike)(jnp.ones(2))
    assert [r.getMessage().endswith("ten times slower: of a reason") for r in caplog.records] == [True]


def test_a_header_that_differs_is_told_apart(monkeypatch: pytest.MonkeyPatch, tmp_path: Any) -> None:
    folder = tmp_path / "xla/ffi/api"
    folder.mkdir(parents=True)
    text = (xla_ffi.Path(jax.ffi.include_dir()) / "xla/ffi/api/c_api.h").read_text()
    monkeypatch.setattr(jax.ffi, "include_dir", lambda: str(tmp_path))
    changes: list[tuple[str, str, str]] = [
        ("", "", ""),
        ("major version is 1", "API_MAJOR 0", "API_MAJOR 1"),
        ("XLA_FFI_Buffer has the fields", "int64_t rank;", "int64_t order;"),
        ("XLA_FFI_Args has the fields", "void** args;  ", "void** args;\n  int64_t more;  "),
        ("XLA_FFI_Api has the fields", "internal_api;", "internal_api;\n  void* more;"),
        ("XLA_FFI_CallFrame has the fields", "stage;\n  XLA_FFI_Args", "step;\n  XLA_FFI_Args"),
    ]
    for why, before, after in changes:
        (folder / "c_api.h").write_text(text.replace(before, after))
        _, reason = xla_ffi._header.__wrapped__()
        assert why in reason and bool(why) == bool(reason)
