# ruff: noqa
# fmt: off
"""Small executable cases for the "Python function as graph op" family.

Each case is a function taking a module (`tf`) and giving a JSON-able outcome, so
the same list runs against real TensorFlow and against any library with the same
public names:

    python tf_cases.py --lib tensorflow --write expected.json
    python tf_cases.py --lib mylib      --check expected.json
    (--only REGEX picks cases, --shuffle SEED runs them in another order)

Only public names are used.  An outcome is {"ok": <normalised value>} or
{"raises": <class name>, "phrase": <the case's regex when the message matched it,
else the start of the message>}.  A case with `wart` documents behaviour that a
better library should change on purpose; `better` says to what.  --check lists
those separately, so a deliberate difference is not counted as a failure.
"""
import argparse
import collections
import importlib
import json
import re
import sys
import threading
import time

import numpy as np

CASES = []
Case = collections.namedtuple("Case", "id fn phrase wart better")


def add(id, fn, phrase=None, wart=None, better=None):
    assert all(c.id != id for c in CASES), id
    CASES.append(Case(id, fn, phrase, wart, better))


def case(id, **kw):
    def deco(fn):
        add(id, fn, **kw)
        return fn
    return deco


# ---------------------------------------------------------------- normalising
def _num(v):
    if isinstance(v, (bytes, np.bytes_)):
        return {"bytes": bytes(v).decode("latin-1")}
    if isinstance(v, str):
        return v
    if isinstance(v, (bool, np.bool_)):
        return bool(v)
    if isinstance(v, (int, np.integer)):
        return int(v)
    if isinstance(v, (complex, np.complexfloating)):
        return {"re": float(v.real), "im": float(v.imag)}
    f = float(v)
    return f if np.isfinite(f) else repr(f)


def _arr(a):
    a = np.asarray(a)
    return [_num(v) for v in a.ravel().tolist()] if a.dtype.kind != "V" else [
        _num(v) for v in a.astype(np.float64).ravel().tolist()]


def norm(x):
    if x is None or isinstance(x, (bool, int, str)):
        return x
    if isinstance(x, float) and not isinstance(x, np.generic):
        return _num(x)
    if isinstance(x, bytes) and not isinstance(x, np.generic):
        return {"k": "bytes", "v": x.decode("latin-1")}
    if isinstance(x, np.generic) or (isinstance(x, np.ndarray)):
        return {"k": "npscalar" if isinstance(x, np.generic) else "ndarray",
                "dtype": str(x.dtype), "shape": list(x.shape), "v": _arr(x)}
    if isinstance(x, tuple) and hasattr(x, "_fields"):
        return {"namedtuple": type(x).__name__, "v": {f: norm(getattr(x, f)) for f in x._fields}}
    if isinstance(x, tuple):
        return {"tuple": [norm(i) for i in x]}
    if isinstance(x, list):
        return [norm(i) for i in x]
    if isinstance(x, dict):
        return {"dict": {str(k): norm(v) for k, v in x.items()}, "type": type(x).__name__}
    if isinstance(x, (set, frozenset)):
        return {"set": sorted(str(i) for i in x)}
    if hasattr(x, "numpy") and callable(x.numpy):
        return {"k": "eager", "dtype": x.dtype.name, "shape": str(x.shape), "v": _arr(x.numpy())}
    if hasattr(x, "dtype") and hasattr(x, "shape"):
        return {"k": "symbolic", "dtype": x.dtype.name, "shape": str(x.shape), "name": x.name}
    if type(x).__name__ in ("TensorShape", "DType"):
        return str(x)
    if hasattr(x, "type") and hasattr(x, "outputs"):
        return {"k": "op", "type": x.type, "name": x.name}
    return {"k": type(x).__name__}


def run_case(c, tf):
    try:
        return {"ok": norm(c.fn(tf))}
    except BaseException as e:  # noqa: BLE001 - the class is the observation
        msg = str(e)
        hit = c.phrase is not None and re.search(c.phrase, msg, re.S)
        return {"raises": type(e).__name__,
                "phrase": c.phrase if hit else "UNMATCHED: " + msg[:120]}


# ------------------------------------------------------------------- helpers
def S(tf, build, feed=None):
    """Build in a fresh Graph, run what build returns.  feed: names -> values."""
    with tf.Graph().as_default():
        fetch = build()
        with tf.compat.v1.Session() as s:
            return s.run(fetch, feed)


def static(tf, build):
    """Build in a fresh Graph and return what build returns, without running."""
    with tf.Graph().as_default():
        return build()


def counter():
    n = [0]

    def f(*_):
        n[0] += 1
        return np.float32(n[0])
    return n, f


def tname(x):
    return "%s/%s" % (type(x).__name__, getattr(x, "dtype", "-") if isinstance(x, (np.ndarray, np.generic)) else "-")


def recv(tf, api, v, graph, tout=None):
    """What type the function receives for input v."""
    seen = []

    def f(x):
        seen.append(tname(x))
        return np.float32(0)
    if graph:
        S(tf, lambda: api(f, [v(tf) if callable(v) else v], tf.float32))
    else:
        api(f, [v(tf) if callable(v) else v], tf.float32)
    return seen


def raiser(e):
    def f(*_):
        raise e
    return f


def grad_tape(tf, body, x=3.0, fn=False):
    def g(x):
        with tf.GradientTape() as t:
            t.watch(x)
            y = body(x)
        return t.gradient(y, x)
    return (tf.function(g) if fn else g)(tf.constant(x))


PYF = lambda tf: tf.py_function            # noqa: E731
NPF = lambda tf: tf.numpy_function         # noqa: E731
V1F = lambda tf: tf.compat.v1.py_func      # noqa: E731
COUNT = r"returns %d values, but expects to see %d values"

# ------------------------------------------------------- 1. what func receives
add("recv.pyf.graph.list", lambda tf: S(tf, lambda: tf.py_function(lambda x: x, [[1, 2, 3]], tf.int32)))
add("recv.npf.graph.scalar_is_np_scalar", lambda tf: recv(tf, NPF(tf), 1.5, True))
add("recv.npf.graph.complex_scalar", lambda tf: recv(tf, NPF(tf), 1j, True))
add("recv.npf.graph.f16", lambda tf: recv(tf, NPF(tf), np.float16([1]), True))
add("recv.npf.graph.uint64", lambda tf: recv(tf, NPF(tf), np.uint64([2 ** 64 - 1]), True))
add("recv.npf.graph.empty_list_is_f32", lambda tf: recv(tf, NPF(tf), [], True))
add("recv.npf.graph.bigendian_made_native", lambda tf: recv(tf, NPF(tf), np.array([1., 2.], ">f8"), True))
add("recv.npf.eager.scalar_is_0d_array_f64", lambda tf: recv(tf, NPF(tf), 1.5, False),
    wart="eager numpy_function converts inputs with plain NumPy rules: float64 0-d array, graph mode gives np.float32 scalar",
    better="one conversion rule in both modes")
add("recv.npf.eager.list_is_i64", lambda tf: recv(tf, NPF(tf), [1, 2], False),
    wart="int64 in eager, int32 in graph", better="one conversion rule")
add("recv.npf.eager.str_is_U", lambda tf: recv(tf, NPF(tf), ["a", "bcd"], False),
    wart="eager gives <U3, graph gives object array of bytes", better="object array of bytes in both")
add("recv.npf.eager.none_is_object", lambda tf: recv(tf, NPF(tf), lambda tf: None, False),
    wart="None accepted in eager, TypeError in graph", better="TypeError in both")


@case("recv.string_bytes_nul_kept")
def _(tf):
    out = []

    def f(x):
        out.append(x)
        return x
    r = S(tf, lambda: tf.numpy_function(f, [b"a\0b\0"], tf.string))
    r2 = S(tf, lambda: tf.numpy_function(f, [[b"a\0", b"b"]], tf.string))
    return [r, r2, [list(o) if not isinstance(o, bytes) else o for o in out]]


add("recv.fortran_becomes_c", lambda tf: S(tf, lambda: tf.compat.v1.py_func(
    lambda x: np.bool_(x.flags.c_contiguous), [np.asfortranarray(np.zeros((2, 3)))], tf.bool)))
add("recv.empty_shape_kept", lambda tf: S(tf, lambda: tf.compat.v1.py_func(
    lambda x: np.int64(x.shape), [np.zeros((0, 3))], tf.int64)))
add("recv.inp_tuple", lambda tf: tf.py_function(lambda *a: float(len(a)), (1., 2.), tf.float32))
add("recv.inp_ndarray_iterated", lambda tf: tf.py_function(lambda *a: float(len(a)), np.arange(3.), tf.float32))
add("recv.inp_empty", lambda tf: S(tf, lambda: tf.py_function(lambda *a: float(len(a)), [], tf.float32)))
add("recv.inp_scalar_error", lambda tf: tf.py_function(lambda x: x, 1., tf.float32), phrase="not iterable")
add("recv.pyf.eager.none_error", lambda tf: tf.py_function(lambda x: 1., [None], tf.float32),
    phrase="convert a value \\(None\\)")
add("recv.pyf.eager.ragged_list_error", lambda tf: tf.py_function(lambda x: 1., [[[1], [2, 3]]], tf.float32),
    phrase="non-rectangular")
add("recv.pyf.eager.mixed_list_error", lambda tf: tf.py_function(lambda x: 1., [[1, "a"]], tf.float32), phrase="mixed types")
add("recv.pyf.mixed_int_float_list", lambda tf: tf.py_function(lambda x: x, [[1, 2.5]], tf.float32))
add("recv.pyf.variable_value", lambda tf: tf.py_function(lambda x: x * 2, [tf.Variable([1., 2.])], tf.float32))

# --------------------------------------------------------- 2. output counts
add("out.single.scalar", lambda tf: tf.py_function(lambda: 1., [], tf.float32))
add("out.list1.scalar", lambda tf: tf.py_function(lambda: 1., [], [tf.float32]))
add("out.tuple1.scalar_gives_list", lambda tf: tf.py_function(lambda: 1., [], (tf.float32,)))
add("out.two.list", lambda tf: tf.py_function(lambda: [1., 2.], [], [tf.float32] * 2))
add("out.two.ragged_lengths", lambda tf: tf.py_function(lambda: [[1., 2.], [3.]], [], [tf.float32] * 2))
add("out.empty.pyf.eager", lambda tf: tf.py_function(lambda: None, [], []))
add("out.empty.run_is_None", lambda tf: S(tf, lambda: tf.py_function(lambda: None, [], [])))
add("out.empty.returns_value.pyf", lambda tf: tf.py_function(lambda: 1., [], []), phrase="IndexError",
    wart="UnknownError wrapping an internal IndexError", better="InvalidArgumentError naming 1 value vs 0 expected")
add("out.empty.returns_value.npf.graph", lambda tf: S(tf, lambda: tf.numpy_function(lambda: 1., [], [])), phrase=COUNT % (1, 0))
add("out.single.returns_None.npf.graph", lambda tf: S(tf, lambda: tf.numpy_function(lambda: None, [], tf.float32)), phrase=COUNT % (0, 1))
add("out.single.returns_None.npf.eager", lambda tf: tf.numpy_function(lambda: None, [], tf.float32),
    wart="eager numpy_function ignores Tout entirely", better="InvalidArgumentError as in graph mode")
add("out.single.returns_two.pyf_truncates", lambda tf: tf.py_function(lambda: (1., 2.), [], tf.float32),
    wart="py_function silently drops surplus outputs", better="count-mismatch error")
add("out.single.returns_two.npf.graph", lambda tf: S(tf, lambda: tf.numpy_function(
    lambda: (np.float32(1), np.float32(2)), [], tf.float32)), phrase=COUNT % (2, 1))
add("out.single.returns_two.npf.eager", lambda tf: tf.numpy_function(lambda: (np.float32(1), np.float32(2)), [], tf.float32),
    wart="eager gives a list of 2", better="count-mismatch error")
add("out.two.returns_one.pyf", lambda tf: tf.py_function(lambda: 1., [], [tf.float32] * 2), phrase=COUNT % (1, 2))
add("out.two.returns_array_len2.pyf", lambda tf: tf.py_function(lambda: np.float32([1, 2]), [], [tf.float32] * 2), phrase=COUNT % (1, 2))
add("out.two.returns_array_len2.npf.graph", lambda tf: S(tf, lambda: tf.numpy_function(
    lambda: np.float32([1, 2]), [], [tf.float32] * 2)), phrase=COUNT % (1, 2))
add("out.two.returns_three.npf.graph", lambda tf: S(tf, lambda: tf.numpy_function(
    lambda: [np.float32(1)] * 3, [], [tf.float32] * 2)), phrase=COUNT % (3, 2))
add("out.two.one_None.npf.graph", lambda tf: S(tf, lambda: tf.numpy_function(
    lambda: [np.float32(1), None], [], [tf.float32] * 2)), phrase="Unsupported object type NoneType")
add("out.dict.pyf", lambda tf: tf.py_function(lambda: {"a": 1.}, [], tf.float32), phrase="convert a value \\(\\{'a'")
add("out.dict.npf.graph", lambda tf: S(tf, lambda: tf.numpy_function(lambda: {"a": 1.}, [], tf.float32)),
    phrase="Unsupported object type dict", wart="InternalError class for a user mistake", better="InvalidArgumentError")
add("out.generator.pyf", lambda tf: tf.py_function(lambda: (i for i in [1.]), [], tf.float32), phrase="generator")
add("out.variable.pyf", lambda tf: tf.py_function(lambda: tf.Variable(1.), [], tf.float32), phrase="return a variable")

# ------------------------------------------------------------- 3. Tout forms
add("tout.numpy", lambda tf: tf.py_function(lambda: 1., [], np.float32))
add("tout.bogus.npf.eager", lambda tf: tf.numpy_function(lambda: np.float32(1), [], "bogus"),
    wart="never looked at in eager", better="TypeError at the call in both modes")
add("tout.missing.pyf", lambda tf: tf.py_function(lambda: 1., []), phrase="Missing required argument: 'Tout'")
add("tout.missing.npf", lambda tf: tf.numpy_function(lambda: 1., []), phrase="Missing required argument: 'Tout'")
add("tout.tensorspec.static_shape", lambda tf: static(tf, lambda: tf.py_function(
    lambda: np.float32([1, 2]), [], tf.TensorSpec([2], tf.float32)).shape), wart="inlay extends this", better="the spec's shape is the static shape")
add("tout.tensorspec.npf.graph", lambda tf: S(tf, lambda: tf.numpy_function(lambda: 1., [], tf.TensorSpec([], tf.float32))),
    phrase="Expected DataType", wart="inlay extends this", better="accepted: the spec's dtype and shape are used and checked")
add("tout.inp_missing", lambda tf: tf.py_function(lambda: 1., Tout=tf.float32), phrase="Missing argument `inp`")
add("tout.func_None_with_inp", lambda tf: tf.py_function(None, [1.], tf.float32), phrase="as a decorator")
add("tout.not_callable.pyf", lambda tf: tf.py_function(3, [], tf.float32), phrase="Expected func to be callable")
add("tout.not_callable.v1.graph", lambda tf: S(tf, lambda: tf.compat.v1.py_func(3, [], tf.float32)), phrase="Expected func to be callable")
add("tout.stateful_kw_rejected_by_pyf", lambda tf: tf.py_function(lambda: 1., [], tf.float32, stateful=True), phrase="unexpected keyword", wart="inlay extends this", better='accepted: py_function takes stateful=')


@case("deco.graph_two_calls_two_ops")
def _(tf):
    @tf.py_function(Tout=tf.float32)
    def g(x):
        return x * 2
    return static(tf, lambda: [g(tf.constant(1.)).name, g(tf.constant(2.)).name])


@case("deco.kwargs_rejected", phrase="unexpected keyword argument 'k'",
      wart="only positional arguments pass", better="bind keyword arguments through the signature")
def _(tf):
    @tf.py_function(Tout=tf.float32)
    def g(x, k=2.):
        return x * k
    return g(1., k=3.)


@case("deco.numpy_function")
def _(tf):
    @tf.numpy_function(Tout=tf.float32)
    def g(x):
        return np.float32(x * 2)
    return g(np.float32(4.))


@case("deco.bare", phrase="Missing required argument: 'Tout'")
def _(tf):
    @tf.py_function
    def g(x):
        return x
    return g(1.)


# ------------------------------------------------------------ 4. dtype rules
WANT = r"value returned by \S+ is %s, but expects %s"
add("dtype.pyf.pyfloat_f32", lambda tf: tf.py_function(lambda: 1.5, [], tf.float32))
add("dtype.pyf.bool_f32_cast", lambda tf: tf.py_function(lambda: True, [], tf.float32))
add("dtype.pyf.pyfloat_i32_error", lambda tf: tf.py_function(lambda: 1.5, [], tf.int32), phrase="Cannot convert 1.5 to EagerTensor of dtype int32")
add("dtype.pyf.f64_array_i32_truncates", lambda tf: tf.py_function(lambda: np.array([1.5, -2.7]), [], tf.int32),
    wart="arrays are truncated while the same Python float is an error", better="reject lossy float->int for both")
add("dtype.pyf.npf64_scalar_i32_truncates", lambda tf: tf.py_function(lambda: np.float64(1.5), [], tf.int32),
    wart="as above for NumPy scalars", better="reject")
add("dtype.pyf.u8_array_wraps", lambda tf: tf.py_function(lambda: np.array([300, -1]), [], tf.uint8),
    wart="modular wrap", better="overflow error")
add("dtype.pyf.tensor_f64_f32_error", lambda tf: tf.py_function(lambda: tf.constant([1.5], tf.float64), [], tf.float32),
    phrase="conversion requested dtype float32 for Tensor with dtype float64")
add("dtype.pyf.tensor_i32_f32_error", lambda tf: tf.py_function(lambda: tf.constant([1]), [], tf.float32),
    phrase="conversion requested dtype float32")
add("dtype.pyf.str_f32_error", lambda tf: tf.py_function(lambda: "a", [], tf.float32), phrase="Cannot convert 'a'")
add("dtype.pyf.float_string_error", lambda tf: tf.py_function(lambda: 1.5, [], tf.string), phrase="dtype string")
add("dtype.pyf.bf16", lambda tf: tf.py_function(lambda: 1.5, [], tf.bfloat16))
add("dtype.pyf.empty_f64_array_i32", lambda tf: tf.py_function(lambda: np.zeros((0, 2)), [], tf.int32))
add("dtype.pyf.nan_f16", lambda tf: tf.py_function(lambda: float("nan"), [], tf.float16))
add("dtype.npf.graph.pyfloat_f32_error", lambda tf: S(tf, lambda: tf.numpy_function(lambda: 1.5, [], tf.float32)), phrase=WANT % ("double", "float"))
add("dtype.npf.graph.bool_i32_error", lambda tf: S(tf, lambda: tf.numpy_function(lambda: True, [], tf.int32)), phrase=WANT % ("bool", "int32"))
add("dtype.npf.graph.list_of_list_i64", lambda tf: S(tf, lambda: tf.numpy_function(lambda: [[1, 2]], [], tf.int64)))
add("dtype.v1.graph.f64_f32_error", lambda tf: S(tf, lambda: tf.compat.v1.py_func(lambda: np.zeros(2), [], tf.float32)), phrase=WANT % ("double", "float"))
add("dtype.v1.graph.second_output_named", lambda tf: S(tf, lambda: tf.compat.v1.py_func(
    lambda: (np.float32(1), 2.), [], [tf.float32, tf.float32])), phrase="1-th " + WANT % ("double", "float"))
add("dtype.npf.graph.str_ok", lambda tf: S(tf, lambda: tf.numpy_function(lambda: "h\u00e9", [], tf.string)))
add("dtype.npf.graph.U_array_ascii", lambda tf: S(tf, lambda: tf.numpy_function(lambda: np.array(["ab", "c"]), [], tf.string)))
add("dtype.npf.graph.U_array_nonascii_error", lambda tf: S(tf, lambda: tf.numpy_function(lambda: np.array(["h\u00e9"]), [], tf.string)),
    phrase="'ascii' codec", wart="<U arrays are encoded as ASCII, str objects as UTF-8", better="UTF-8 for both")
add("dtype.pyf.U_array_nonascii_ok", lambda tf: tf.py_function(lambda: np.array(["h\u00e9"]), [], tf.string))
add("dtype.npf.graph.object_str_ok", lambda tf: S(tf, lambda: tf.numpy_function(lambda: np.array(["\u00e9", "b"], object), [], tf.string)))
add("dtype.npf.graph.object_int_error", lambda tf: S(tf, lambda: tf.numpy_function(lambda: np.array([1], object), [], tf.int64)),
    phrase="Unsupported object type int")
add("dtype.npf.graph.S_array_trailing_nul_lost", lambda tf: S(tf, lambda: tf.numpy_function(lambda: np.array([b"ab", b"c\0"]), [], tf.string)))
add("dtype.npf.graph.strided_ok", lambda tf: S(tf, lambda: tf.numpy_function(lambda: np.float32([1, 2, 3, 4])[::-2], [], tf.float32)))
add("dtype.npf.graph.zero_d_array_fetch_is_scalar", lambda tf: S(tf, lambda: tf.numpy_function(lambda: np.array(np.float32(2)), [], tf.float32)))
add("dtype.pyf.masked_array_mask_lost", lambda tf: tf.py_function(lambda: np.ma.array(np.float32([1, 2]), mask=[0, 1]), [], tf.float32),
    wart="mask dropped silently", better="error or explicit fill")


# ------------------------------------------------------------------ 5. shapes
add("shape.unknown", lambda tf: static(tf, lambda: str(tf.py_function(lambda: 1., [], tf.float32).shape)))
add("shape.rank_None", lambda tf: static(tf, lambda: tf.compat.v1.py_func(lambda: 1., [], tf.float32).shape.rank))
add("shape.as_list_error", lambda tf: static(tf, lambda: tf.py_function(lambda: 1., [], tf.float32).shape.as_list()), phrase="unknown TensorShape")


def _with_shape(tf, shape, then=lambda t: t):
    def b():
        t = tf.py_function(lambda: np.float32([1, 2, 3]), [], tf.float32)
        t.set_shape(shape)
        return then(t)
    return S(tf, b)


add("shape.set_shape_lie_unchecked", lambda tf: _with_shape(tf, [2]),
    wart="a wrong set_shape is never verified", better="check set_shape promises when the function returns")
add("shape.set_shape_lie_changes_size", lambda tf: _with_shape(tf, [2], tf.size),
    wart="static shape folded into tf.size gives 2 for 3 elements", better="runtime check")
add("shape.ensure_shape_error", lambda tf: S(tf, lambda: tf.ensure_shape(tf.py_function(lambda: np.float32([1, 2, 3]), [], tf.float32), [2])),
    phrase=r"\[3\] is not compatible with expected shape \[2\]")
add("shape.ensure_shape_ok", lambda tf: S(tf, lambda: tf.ensure_shape(tf.py_function(lambda: np.float32([1, 2, 3]), [], tf.float32), [None])))


add("shape.symbolic_bool_error", lambda tf: static(tf, lambda: bool(tf.py_function(lambda: 1., [], tf.float32))), phrase="as a Python `bool`")
add("shape.symbolic_numpy_error", lambda tf: static(tf, lambda: np.array(tf.py_function(lambda: 1., [], tf.float32))), phrase="Cannot convert a symbolic")
add("repr.eager", lambda tf: repr(tf.py_function(lambda: np.float32([1, 2]), [], tf.float32)))

# --------------------------------------------------- 6. names, types, attrs


@case("name.defaults")
def _(tf):
    def b():
        f = lambda: 1.  # noqa: E731
        return [tf.compat.v1.py_func(f, [], tf.float32).name, tf.compat.v1.py_func(f, [], tf.float32).name,
                tf.compat.v1.py_func(f, [], tf.float32, stateful=False).name, tf.numpy_function(f, [], tf.float32).name,
                tf.numpy_function(f, [], tf.float32, stateful=False).name, tf.py_function(f, [], tf.float32).name,
                tf.py_function(f, [], tf.float32, name="foo").name, tf.py_function(f, [], tf.float32, name="foo").name]
    return static(tf, b)


add("name.input_consts", lambda tf: static(tf, lambda: [i.name for i in tf.py_function(lambda x, y: 1., [3., [1, 2]], tf.float32, name="z").op.inputs]))
add("name.two_outputs", lambda tf: static(tf, lambda: [t.name for t in tf.py_function(lambda: (1., 2.), [], [tf.float32] * 2, name="two")]))
add("op.types", lambda tf: static(tf, lambda: [tf.py_function(lambda: 1., [], tf.float32).op.type,
                                               tf.numpy_function(lambda: 1., [], tf.float32).op.type,
                                               tf.compat.v1.py_func(lambda: 1., [], tf.float32, stateful=False).op.type]))
add("op.attr_tin_tout", lambda tf: static(tf, lambda: (lambda op: [[d.name for d in op.get_attr("Tin")], [d.name for d in op.get_attr("Tout")]])(
    tf.compat.v1.py_func(lambda x: 1., [1.], [tf.float32, tf.int32])[0].op)))

# ----------------------------------------------------- 7. state, pruning, order


def _state(tf, stateful, n=3, ph=False):
    c, f = counter()
    with tf.Graph().as_default():
        x = tf.compat.v1.placeholder(tf.float32) if ph else 1.
        t = tf.compat.v1.py_func(f, [x], tf.float32, stateful=stateful) * 2.
        with tf.compat.v1.Session() as s:
            return [float(s.run(t, {x: 1.} if ph else None)) for _ in range(n)] + [c[0]]


add("state.true_runs_every_time", lambda tf: _state(tf, True))


@case("state.unfetched_not_run")
def _(tf):
    c, f = counter()

    def b():
        tf.compat.v1.py_func(f, [1.], tf.float32)
        tf.py_function(f, [1.], tf.float32)
        return tf.constant(1.) + 1.
    S(tf, b)
    return c[0]


@case("state.once_per_run_even_if_used_thrice")
def _(tf):
    c, f = counter()

    def b():
        t = tf.py_function(f, [1.], tf.float32)
        return [t, t, t * 2., t + 1.]
    return [S(tf, b), c[0]]


@case("state.two_ops_same_func_not_merged")
def _(tf):
    c, f = counter()
    S(tf, lambda: tf.compat.v1.py_func(f, [1.], tf.float32) + tf.compat.v1.py_func(f, [1.], tf.float32))
    return c[0]


@case("state.two_stateless_same_func_not_merged", wart="inlay extends this", better='equal stateless calls are merged (DESIGN D5): the function runs once')
def _(tf):
    c, f = counter()
    S(tf, lambda: tf.compat.v1.py_func(f, [1.], tf.float32, stateful=False) + tf.compat.v1.py_func(f, [1.], tf.float32, stateful=False))
    return c[0]


def _fn_unfetched(tf, api, **kw):
    c, f = counter()

    @tf.function
    def g():
        api(tf)(f, [1.], tf.float32, **kw)
        return tf.constant(1.)
    g()
    g()
    return c[0]


add("fn.unused_npf_runs", lambda tf: _fn_unfetched(tf, NPF))


def _fn_order(tf, api):
    order = []

    def mk(i, d):
        def f():
            time.sleep(d)
            order.append(i)
            return np.float32(i)
        return f

    @tf.function
    def g():
        return [api(tf)(mk(0, .03), [], tf.float32), api(tf)(mk(1, .01), [], tf.float32), api(tf)(mk(2, 0), [], tf.float32)]
    g()
    return order


add("fn.order_npf", lambda tf: _fn_order(tf, NPF))


add("ctrl.bad_item", lambda tf: static(tf, lambda: tf.control_dependencies([3]).__enter__()), phrase="Can not convert a int")


@case("fn.retrace_count")
def _(tf):
    tr = [0]

    @tf.function
    def f(x):
        tr[0] += 1
        return tf.py_function(lambda v: v, [x], tf.float32)
    f(tf.constant([1.]))
    f(tf.constant([2.]))
    f(tf.constant([1., 2.]))
    return tr[0]


@case("fn.input_signature_mismatch", phrase="Binding inputs to tf.function failed")
def _(tf):
    f = tf.function(lambda x: tf.py_function(lambda v: v, [x], tf.float32), input_signature=[tf.TensorSpec([None], tf.float32)])
    return f(tf.constant([1]))


@case("fn.loop_side_effects")
def _(tf):
    seen = []

    @tf.function
    def g():
        for i in tf.range(3):
            tf.py_function(lambda i: seen.append(int(i)), [i], [])
    g()
    return seen


@case("fn.cond")
def _(tf):
    @tf.function
    def g(x):
        if x > 0:
            r = tf.py_function(lambda v: v * 2, [x], tf.float32)
        else:
            r = tf.py_function(lambda v: v * 3, [x], tf.float32)
        return r
    return [g(tf.constant(1.)), g(tf.constant(-1.))]


# --------------------------------------------------- 8. aliasing and mutation
def _mut(x):
    x[...] = 99
    return x


def _inc(x):
    x += 1
    return x.copy()


@case("alias.eager_result_copied")
def _(tf):
    buf = np.zeros(4, np.float32)
    r = tf.py_function(lambda: buf, [], tf.float32)
    buf[:] = 5
    return r


@case("alias.shared_intermediate_corrupted", wart="another consumer (here: the fetch) of the same tensor sees the write",
      better="private copy")
def _(tf):
    with tf.Graph().as_default():
        p = tf.compat.v1.placeholder(tf.float32, [3])
        c = p * 2.
        r = tf.compat.v1.py_func(_mut, [c], tf.float32)
        with tf.compat.v1.Session() as s:
            return s.run([c, r], {p: [1, 1, 1]})[0]


@case("alias.aligned_feed_corrupted", wart="a 64-byte-aligned feed array is not copied, so func writes into the caller's array",
      better="private copy")
def _(tf):
    n = 100000
    raw = np.zeros(n + 64, np.float32)
    off = (-raw.ctypes.data % 64) // 4
    a = raw[off:off + n]
    with tf.Graph().as_default():
        p = tf.compat.v1.placeholder(tf.float32)
        r = tf.compat.v1.py_func(_mut, [p], tf.float32)
        with tf.compat.v1.Session() as s:
            s.run(r, {p: a})
    return a[:2].copy()


@case("alias.graph_result_not_aliased_to_buffer")
def _(tf):
    buf = np.zeros(4, np.float32)

    def f():
        buf[:] += 1
        return buf
    with tf.Graph().as_default():
        r = tf.compat.v1.py_func(f, [], tf.float32)
        with tf.compat.v1.Session() as s:
            a = s.run(r)
            b = s.run(r)
    return [a, b, bool(np.shares_memory(a, buf))]


@case("alias.tf_function_result_aliases_aligned_buffer", wart="the returned (64-byte-aligned) array becomes the tensor: changing it later changes the tensor",
      better="copy on return, or take ownership")
def _(tf):
    n = 1000
    raw = np.zeros(n + 64, np.float32)
    off = (-raw.ctypes.data % 64) // 4
    a = raw[off:off + n]
    r = tf.function(lambda: tf.numpy_function(lambda: a, [], tf.float32))()
    a[:] = 7
    return r.numpy()[:2]


# -------------------------------------------------------------- 9. exceptions


class _Custom(Exception):
    pass


class _SubValue(ValueError):
    pass


for _n, _e in [("ValueError", ValueError("boo")), ("TypeError", TypeError("boo")), ("SubclassOfValueError", _SubValue("boo")),
               ("StopIteration", StopIteration("boo")), ("MemoryError", MemoryError("boo")),
               ("NotImplementedError", NotImplementedError("boo")), ("KeyError", KeyError("boo")),
               ("RuntimeError", RuntimeError("boo")), ("ZeroDivisionError", ZeroDivisionError("boo")),
               ("Custom", _Custom("boo"))]:
    add("exc.pyf.eager." + _n, lambda tf, e=_e: tf.py_function(raiser(e), [1.], tf.float32), phrase=type(_e).__name__ + ": '?boo")
    add("exc.npf.graph." + _n, lambda tf, e=_e: S(tf, lambda: tf.numpy_function(raiser(e), [1.], tf.float32)), phrase=type(_e).__name__ + ": '?boo")
for _n, _e in [("ValueError", ValueError("boo")), ("KeyError", KeyError("boo")), ("Custom", _Custom("boo"))]:
    add("exc.npf.eager_raw." + _n, lambda tf, e=_e: tf.numpy_function(raiser(e), [1.], tf.float32), phrase="boo",
        wart="eager numpy_function leaks the original class, every other path wraps it", better="one policy; keep the original as __cause__")
add("exc.tf_error_loses_class", lambda tf: tf.py_function(raiser(tf.errors.NotFoundError(None, None, "boo")), [], tf.float32), phrase="NotFoundError: boo",
    wart="any tf.errors.* raised in the function becomes UnknownError", better="keep the class")


def _err(tf, th):
    try:
        th()
    except tf.errors.OpError as e:
        return e
    raise AssertionError("did not raise")


add("exc.op_None.eager", lambda tf: (lambda e: [e.error_code, e.op])(_err(tf, lambda: tf.py_function(raiser(ValueError("boo")), [1.], tf.float32))))
add("exc.message_has_node_name", lambda tf: bool(re.search(r"\bmine\b", str(_err(tf, lambda: S(tf, lambda: tf.py_function(
    raiser(ValueError("boo")), [1.], tf.float32, name="mine")))))))
add("exc.message_has_user_traceback", lambda tf: "in f" in str(_err(tf, lambda: tf.py_function(raiser(ValueError("boo")), [1.], tf.float32))))
add("exc.cause_is_None", lambda tf: _err(tf, lambda: tf.py_function(raiser(ValueError("boo")), [1.], tf.float32)).__cause__ is None,
    wart="the original exception object is gone", better="set __cause__ to it")
add("exc.wrong_arity", lambda tf: tf.py_function(lambda a, b: a, [1.], tf.float32), phrase="missing 1 required positional argument")

# --------------------------------------------------------------- 10. gradients


def _tfgrad(tf, mk, xs=3.):
    with tf.Graph().as_default():
        x = tf.constant(xs)
        d = tf.gradients(mk(x), x)
        with tf.compat.v1.Session() as s:
            return [None if g is None else s.run(g) for g in d]


SQ = lambda x: x * x  # noqa: E731
add("grad.tf_gradients.pyf", lambda tf: _tfgrad(tf, lambda x: tf.py_function(SQ, [x], tf.float32)))
add("grad.tf_gradients.npf_None", lambda tf: _tfgrad(tf, lambda x: tf.numpy_function(SQ, [x], tf.float32)))
add("grad.tf_gradients.v1_None", lambda tf: _tfgrad(tf, lambda x: tf.compat.v1.py_func(SQ, [x], tf.float32)))
add("grad.tf_gradients.numpy_body_zero", lambda tf: _tfgrad(tf, lambda x: tf.py_function(lambda v: np.square(v.numpy()), [x], tf.float32)),
    wart="a body that leaves TensorFlow gives gradient 0, not None", better="report as unconnected")
add("grad.tape.pyf.eager", lambda tf: grad_tape(tf, lambda x: tf.py_function(SQ, [x], tf.float32)))
add("grad.tape.int_None", lambda tf: grad_tape(tf, lambda x: tf.py_function(SQ, [x], tf.int32), x=3))
add("grad.stop_gradient_inside", lambda tf: grad_tape(tf, lambda x: tf.py_function(lambda v: tf.stop_gradient(v) * v, [x], tf.float32)))
add("grad.stop_gradient_outside", lambda tf: grad_tape(tf, lambda x: tf.stop_gradient(tf.py_function(SQ, [x], tf.float32)) * x))
add("grad.multi_out_one_used", lambda tf: grad_tape(tf, lambda x: tf.py_function(lambda v: (v * v, v * v * v), [x], [tf.float32] * 2)[1]))
add("grad.multi_out_int_output", lambda tf: grad_tape(tf, lambda x: tf.py_function(lambda v: (v * v, 7), [x], [tf.float32, tf.int32])[0]))
add("grad.multi_in", lambda tf: (lambda x, z: S(tf, lambda: (lambda a, b: tf.gradients(tf.py_function(lambda p, q: p * q, [a, b], tf.float32), [a, b]))(
    tf.constant(x), tf.constant(z))))(3., 2.))
add("grad.unused_float_input_zero", lambda tf: S(tf, lambda: (lambda a, b: tf.gradients(tf.py_function(lambda p, q: p * p, [a, b], tf.float32), [a, b]))(
    tf.constant(3.), tf.constant(2.))))
add("grad.custom_gradient_inside", lambda tf: grad_tape(tf, lambda x: tf.py_function(tf.custom_gradient(lambda v: (v * v, lambda dy: dy * 100.)), [x], tf.float32)))
add("grad.tape_inside_body", lambda tf: grad_tape(tf, lambda x: tf.py_function(
    lambda v: (lambda t: t.gradient(t.y, v))(_tape(tf, v, lambda u: u * u * u)), [x], tf.float32)))


def _tape(tf, v, f):
    with tf.GradientTape() as t:
        t.watch(v)
        t.y = f(v)
    return t


@case("grad.second_order_is_None", wart="second derivative silently None (27, then None, never 18)",
      better="correct second order, or a clear error")
def _(tf):
    x = tf.constant(3.)
    with tf.GradientTape() as t2:
        t2.watch(x)
        with tf.GradientTape() as t1:
            t1.watch(x)
            y = tf.py_function(lambda v: v * v * v, [x], tf.float32)
        d = t1.gradient(y, x)
    return [d, t2.gradient(d, x)]


@case("grad.second_order_tf_gradients_None", wart="same in graph mode", better="correct second order")
def _(tf):
    def b():
        x = tf.constant(3.)
        d = tf.gradients(tf.py_function(lambda v: v * v * v, [x], tf.float32), x)[0]
        return [d, tf.gradients(d, x)]
    r = static(tf, b)
    return [r[0] is None, r[1]]


@case("grad.persistent_tape_second_call_fails", phrase="KeyError",
      wart="the recorded inner tape is consumed by the first backward call", better="keep it while the outer tape lives")
def _(tf):
    x = tf.constant(3.)
    with tf.GradientTape(persistent=True) as t:
        t.watch(x)
        y = tf.py_function(SQ, [x], tf.float32)
    t.gradient(y, x)
    return t.gradient(y, x)


@case("grad.two_tf_gradients_nodes_fail", phrase="KeyError", wart="two gradient nodes of one op race for one recording",
      better="both work")
def _(tf):
    def b():
        x = tf.constant(3.)
        y = tf.py_function(SQ, [x], tf.float32)
        return [tf.gradients(y, x)[0], tf.gradients(y, x)[0]]
    return S(tf, b)


@case("grad.in_while_loop_fails", phrase="KeyError", wart="one recording per op, not per execution", better="per-execution recording")
def _(tf):
    @tf.function
    def f(x):
        with tf.GradientTape() as t:
            t.watch(x)
            y = x
            for _ in tf.range(3):
                y = tf.py_function(lambda a: a * 2., [y], tf.float32)
                y.set_shape([])
        return t.gradient(y, x)
    return f(tf.constant(1.))


@case("grad.nonpersistent_twice", phrase="non-persistent GradientTape")
def _(tf):
    x = tf.constant(3.)
    with tf.GradientTape() as t:
        t.watch(x)
        y = tf.py_function(SQ, [x], tf.float32)
    t.gradient(y, x)
    return t.gradient(y, x)


add("grad.nested_pyf", lambda tf: grad_tape(tf, lambda x: tf.py_function(lambda v: tf.py_function(SQ, [v], tf.float32) * 10, [x], tf.float32)))
add("grad.forward_runs_once_per_run", lambda tf: _fwd_once(tf))
add("grad.unconnected_zero", lambda tf: S(tf, lambda: (lambda x: tf.gradients(tf.numpy_function(SQ, [x], tf.float32), x, unconnected_gradients="zero"))(tf.constant(3.))))
add("grad.error_in_backward", lambda tf: grad_tape(tf, lambda x: tf.py_function(tf.custom_gradient(
    lambda v: (v * v, raiser(ValueError("gradboo")))), [x], tf.float32)), phrase="ValueError: gradboo")
add("grad.captured_symbolic_error", lambda tf: tf.function(lambda x: tf.py_function(lambda: x * x, [], tf.float32))(tf.constant(3.)), phrase="out of scope")


def _fwd_once(tf):
    c = [0]

    def f(x):
        c[0] += 1
        return x * x
    S(tf, lambda: (lambda x: (lambda y: [y, tf.gradients(y, x)[0]])(tf.py_function(f, [x], tf.float32)))(tf.constant(3.)))
    return c[0]


@case("grad.unused_input_gradient_shape", wart="gradient for an unused [1,2] input is a 0-d zero", better="zeros of the input's shape, or None")
def _(tf):
    x, z = tf.constant([1., 2.]), tf.constant([[1., 2.]])
    with tf.GradientTape() as t:
        t.watch([x, z])
        y = tf.py_function(lambda v, s: v * v, [x, z], tf.float32)
    return t.gradient(y, [x, z])


add("grad.string_input_breaks", lambda tf: grad_tape(tf, lambda x: tf.py_function(lambda v, s: v * v, [x, "s"], tf.float32)),
    phrase="Cannot convert 0.0 to EagerTensor of dtype string", wart="as for integer inputs", better="no gradient for it")
add("grad.sparse_gather", lambda tf: grad_tape(tf, lambda x: tf.py_function(lambda v: tf.gather(v, [0, 0]), [x], tf.float32), x=[1., 2., 3.]))


@case("grad.concurrent_runs_both_right", wart="one recording per op: concurrent Session.run calls of a gradient swap recordings (wrong number, or KeyError)",
      better="per-execution recording")
def _(tf):
    bar = threading.Barrier(2, timeout=20)
    out = {}
    with tf.Graph().as_default():
        p = tf.compat.v1.placeholder(tf.float32)
        y = tf.py_function(SQ, [p], tf.float32)
        b = tf.compat.v1.py_func(lambda v: (bar.wait(), np.float32(1))[1], [y], tf.float32)
        d = tf.gradients(y * b, p)[0]
        with tf.compat.v1.Session() as s:
            def go(v):
                try:
                    out[v] = float(s.run(d, {p: v}))
                except Exception as e:  # noqa: BLE001
                    out[v] = type(e).__name__
            ts = [threading.Thread(target=go, args=(v,)) for v in (1., 5.)]
            [t.start() for t in ts]
            [t.join() for t in ts]
    return out == {1.: 2., 5.: 10.}


@case("life.graph_callable_dies_with_graph")
def _(tf):
    import gc
    import weakref

    class O:
        def __call__(self, x):
            return x
    o = O()
    r = weakref.ref(o)
    g = tf.Graph()
    with g.as_default():
        tf.compat.v1.py_func(o, [np.float32(1)], tf.float32)
    del o
    gc.collect()
    a = r() is not None
    del g
    gc.collect()
    return [a, r() is not None]


# ------------------------------------------------------ 11. Session.run, feeds
NT = collections.namedtuple("NT", "a b")


def F(tf, th):
    """th(s, x, y, op, p) in a graph with x=1., y=[1,2], op=group, p=placeholder f32[2]."""
    with tf.Graph().as_default():
        x = tf.constant(1., name="x")
        y = tf.constant([1, 2], name="y")
        op = tf.group(x, name="op")
        p = tf.compat.v1.placeholder(tf.float32, [2], name="p")
        with tf.compat.v1.Session() as s:
            return th(s, x, y, op, p)


add("fetch.dict_nested", lambda tf: F(tf, lambda s, x, y, op, p: s.run({"a": x, "b": [y, {"c": op}]})))
add("fetch.tuple_nested", lambda tf: F(tf, lambda s, x, y, op, p: s.run((x, (y,)))))
add("fetch.namedtuple", lambda tf: F(tf, lambda s, x, y, op, p: s.run(NT(x, y))))
add("fetch.ordereddict", lambda tf: F(tf, lambda s, x, y, op, p: s.run(collections.OrderedDict([("z", x), ("a", y)]))))
add("fetch.op_None", lambda tf: F(tf, lambda s, x, y, op, p: s.run([op, x])))
add("fetch.name_tensor", lambda tf: F(tf, lambda s, x, y, op, p: s.run("x:0")))
add("fetch.name_op_None", lambda tf: F(tf, lambda s, x, y, op, p: s.run("x")))
add("fetch.empty_list", lambda tf: F(tf, lambda s, x, y, op, p: s.run([])))
add("fetch.name_missing", lambda tf: F(tf, lambda s, x, y, op, p: s.run("nope:0")), phrase="'nope', does not exist in the graph")
add("fetch.name_bad_index", lambda tf: F(tf, lambda s, x, y, op, p: s.run("x:1")), phrase="only has 1 outputs")
add("fetch.int_error", lambda tf: F(tf, lambda s, x, y, op, p: s.run(3)), phrase="must be a string or Tensor")
add("fetch.None_error", lambda tf: F(tf, lambda s, x, y, op, p: s.run(None)), phrase="Cannot be None")
add("fetch.scalar_types", lambda tf: F(tf, lambda s, x, y, op, p: [type(r).__name__ for r in s.run([x, y, tf.constant("a"), tf.constant(["a"]), tf.constant(True)])]))


@case("fetch.other_graph", phrase="is not an element of this graph")
def _(tf):
    z = static(tf, lambda: tf.constant(1., name="other"))
    return F(tf, lambda s, x, y, op, p: s.run(z))


add("feed.missing", lambda tf: F(tf, lambda s, x, y, op, p: s.run(p * 2.)), phrase=r"You must feed a value for placeholder tensor 'p' with dtype float and shape \[2\]")
add("feed.missing_unknown_shape", lambda tf: S(tf, lambda: tf.compat.v1.placeholder(tf.int32, name="q") + 1), phrase="You must feed a value for placeholder tensor 'q' with dtype int32")
add("feed.not_needed", lambda tf: F(tf, lambda s, x, y, op, p: s.run(x)))
add("feed.wrong_shape", lambda tf: F(tf, lambda s, x, y, op, p: s.run(p, {p: [1, 2, 3]})), phrase=r"Cannot feed value of shape \(3,\) for Tensor p:0, which has shape \(2,\)")
add("feed.string_to_float", lambda tf: F(tf, lambda s, x, y, op, p: s.run(p, {p: ["a", "b"]})), phrase="could not convert string to float")
add("feed.int_list_to_float", lambda tf: F(tf, lambda s, x, y, op, p: s.run(p * 1., {p: [1, 2]})))
add("feed.tensor_value_error", lambda tf: F(tf, lambda s, x, y, op, p: s.run(p, {p: y})), phrase="value of a feed cannot be a tf.Tensor")
add("feed.eager_value_error", lambda tf: (lambda e: F(tf, lambda s, x, y, op, p: s.run(p, {p: e})))(tf.constant([1., 2.])), phrase="value of a feed cannot be a tf.Tensor", wart="inlay extends this", better='an eager tensor may be fed')
add("feed.key_name", lambda tf: F(tf, lambda s, x, y, op, p: s.run(p * 1., {"p:0": [1., 2.]})))
add("feed.key_op_name_error", lambda tf: F(tf, lambda s, x, y, op, p: s.run(p, {"p": [1., 2.]})), phrase="Cannot interpret feed_dict key as Tensor")
add("feed.key_int_error", lambda tf: F(tf, lambda s, x, y, op, p: s.run(x, {3: 1.})), phrase="Cannot interpret feed_dict key as Tensor")
add("feed.fetch_fed_is_same_array", lambda tf: (lambda a: F(tf, lambda s, x, y, op, p: s.run(p, {p: a}) is a))(np.float32([1, 2])))
add("feed.int_ph_gets_float_truncates", lambda tf: S(tf, lambda: tf.compat.v1.placeholder(tf.int32, name="q") + 0, {"q:0": np.array([1.5, 2.7])}),
    wart="lossy cast of feeds is silent", better="error when lossy")
add("feed.i32_ph_big_array_wraps", lambda tf: S(tf, lambda: tf.compat.v1.placeholder(tf.int32, name="q") + 0, {"q:0": np.array([2 ** 40 + 5])}),
    wart="wraps silently for arrays, TypeError for Python ints", better="error for both")
add("feed.i32_ph_big_int_error", lambda tf: S(tf, lambda: tf.compat.v1.placeholder(tf.int32, name="q") + 0, {"q:0": 2 ** 40}), phrase="not compatible with Tensor type")
add("feed.string_ph_into_func", lambda tf: S(tf, lambda: tf.compat.v1.py_func(lambda s: s, [tf.compat.v1.placeholder(tf.string, name="q")], tf.string), {"q:0": ["h\u00e9", "b"]}))


@case("feed.one_of_two_outputs_still_runs")
def _(tf):
    c = []

    def f():
        c.append(1)
        return 1., 2.
    with tf.Graph().as_default():
        a, b = tf.py_function(f, [], [tf.float32] * 2)
        with tf.compat.v1.Session() as s:
            return [s.run([a, b], {a: 10.}), len(c), s.run(a, {a: 3.}), len(c)]


add("feed.placeholder_with_default", lambda tf: S(tf, lambda: tf.compat.v1.placeholder_with_default(1., [], name="d") * 2.))
add("session.closed", lambda tf: F(tf, lambda s, x, y, op, p: (s.close(), s.run(x))), phrase="closed Session")
add("session.extend_after_run", lambda tf: F(tf, lambda s, x, y, op, p: [s.run(x), s.run(x + 1.)]))
add("session.finalized", lambda tf: F(tf, lambda s, x, y, op, p: (x.graph.finalize(), tf.constant(2.))), phrase="finalized")
add("graph.mixing_error", lambda tf: (lambda z: F(tf, lambda s, x, y, op, p: z + x))(static(tf, lambda: tf.constant(1.))), phrase="must be from the same graph")

# ------------------------------------------------------------- 12. re-entrancy
add("nest.pyf_in_pyf.eager", lambda tf: tf.py_function(lambda x: tf.py_function(lambda y: y + 1, [x], tf.float32) * 10, [1.], tf.float32))
add("nest.own_session_in_func", lambda tf: S(tf, lambda: tf.compat.v1.py_func(lambda x: S(tf, lambda: tf.constant(x) * 2), [np.float32(3)], tf.float32)))


@case("nest.same_session_in_func")
def _(tf):
    with tf.Graph().as_default():
        c = tf.constant(2.) * 3.
        s = tf.compat.v1.Session()
        r = tf.compat.v1.py_func(lambda x: s.run(c) + x, [np.float32(1)], tf.float32)
        return s.run(r)


@case("nest.variable_assign_in_func")
def _(tf):
    v = tf.Variable(1.)

    @tf.function
    def g():
        tf.py_function(lambda: (v.assign_add(1.), None)[1], [], [])
    g()
    return v.numpy()


# ------------------------------------------------------------------ 13. device
def _dev(tf, d, th):
    with tf.device(d):
        return th()


add("device.cpu0.graph", lambda tf: S(tf, lambda: _dev(tf, "/CPU:0", lambda: tf.py_function(lambda x: x, [1.], tf.float32))))
add("device.bogus", lambda tf: static(tf, lambda: _dev(tf, "bogus", lambda: tf.py_function(lambda x: x, [1.], tf.float32))), phrase="device spec")
add("device.missing_cpu7.graph", lambda tf: S(tf, lambda: _dev(tf, "/CPU:7", lambda: tf.py_function(lambda x: x, [1.], tf.float32))), phrase="Cannot assign a device")

# ----------------------------------------------------------------- 14. datasets
DS = lambda tf, n=3: tf.data.Dataset.range(n)  # noqa: E731
L = lambda ds: [v for v in ds.as_numpy_iterator()]  # noqa: E731
add("ds.map.pyf", lambda tf: L(DS(tf).map(lambda x: tf.py_function(SQ, [x], tf.int64))))
add("ds.map.npf", lambda tf: L(DS(tf).map(lambda x: tf.numpy_function(SQ, [x], tf.int64))))
add("ds.map.two_outputs", lambda tf: L(DS(tf).map(lambda x: tf.numpy_function(lambda v: (v, v * 2), [x], [tf.int64] * 2))))
add("ds.map.unknown_shape_spec", lambda tf: str(DS(tf).map(lambda x: tf.numpy_function(SQ, [x], tf.int64)).element_spec.shape))
add("ds.batch_unknown_rank", lambda tf: L(DS(tf, 4).map(lambda x: tf.numpy_function(SQ, [x], tf.int64)).batch(2)))
add("ds.batch_mixed_shapes", lambda tf: L(DS(tf, 2).map(lambda x: tf.numpy_function(lambda v: np.zeros(v, np.int64), [x], tf.int64)).batch(2)), phrase="Cannot (add tensor to the batch|batch tensors)")
add("ds.stopiteration_is_error", lambda tf: L(DS(tf).map(lambda x: tf.numpy_function(raiser(StopIteration("boo")), [x], tf.int64))), phrase="StopIteration: boo")
add("ds.plain_numpy_error", lambda tf: L(DS(tf).map(lambda x: np.square(x))), phrase="Cannot convert a symbolic")
add("ds.filter", lambda tf: L(DS(tf, 4).filter(lambda x: tf.ensure_shape(tf.numpy_function(lambda v: np.bool_(v % 2 == 0), [x], tf.bool), []))))
add("ds.flat_map", lambda tf: L(DS(tf).flat_map(lambda x: tf.data.Dataset.from_tensor_slices(tf.ensure_shape(tf.numpy_function(lambda v: np.arange(v), [x], tf.int64), [None])))))


@case("ds.error_then_continues")
def _(tf):
    def f(x):
        if x == 1:
            raise ValueError("boo")
        return x
    it = iter(DS(tf, 3).map(lambda x: tf.numpy_function(f, [x], tf.int64)))
    out = []
    for _ in range(4):
        try:
            out.append(int(next(it)))
        except Exception as e:  # noqa: BLE001
            out.append(type(e).__name__)
    return out


@case("ds.reiterated_reruns")
def _(tf):
    c = [0]

    def f(x):
        c[0] += 1
        return x
    ds = DS(tf).map(lambda x: tf.numpy_function(f, [x], tf.int64))
    L(ds), L(ds)
    return c[0]


# --------------------------------------------------------------------- 15. copy
@case("copy.pickle_eager")
def _(tf):
    import pickle
    return pickle.loads(pickle.dumps(tf.py_function(lambda: 4., [], tf.float32)))


@case("copy.deepcopy_symbolic_error", phrase="cannot pickle")
def _(tf):
    import copy
    return static(tf, lambda: copy.deepcopy(tf.py_function(lambda: 4., [], tf.float32)) and None)


def main(argv=None):
    ap = argparse.ArgumentParser()
    ap.add_argument("--lib", default="tensorflow")
    ap.add_argument("--write")
    ap.add_argument("--check")
    ap.add_argument("--only", help="regex on case ids")
    ap.add_argument("--shuffle", type=int, help="seed for running in another order")
    a = ap.parse_args(argv)
    tf = importlib.import_module(a.lib)
    got = {}
    cases = list(CASES)
    if a.shuffle is not None:
        import random
        random.Random(a.shuffle).shuffle(cases)
    for c in cases:
        if a.only and not re.search(a.only, c.id):
            continue
        got[c.id] = run_case(c, tf)
    bad = [k for k, v in got.items() if v.get("phrase", "").startswith("UNMATCHED")]
    if a.write:
        with open(a.write, "w") as f:
            json.dump(got, f, indent=1, sort_keys=True, ensure_ascii=True)
            f.write("\n")
        print("%d cases, %d with an unexpected error" % (len(got), len(bad)))
        for k in bad:
            print("  ", k, got[k])
    if a.check:
        want = json.load(open(a.check))
        by = {c.id: c for c in CASES}
        same = wart = 0
        diff = []
        for k in got:
            if k not in want:
                continue
            if got[k] == want[k]:
                same += 1
            elif by[k].wart:
                wart += 1
                print("DELIBERATE?", k, "| better:", by[k].better, "| got", json.dumps(got[k])[:200])
            else:
                diff.append(k)
                print("DIFF", k, "\n   want", json.dumps(want[k])[:300], "\n   got ", json.dumps(got[k])[:300])
        print("same %d, wart cases that differ %d, other differences %d" % (same, wart, len(diff)))
        return 1 if diff else 0
    return 0


if __name__ == "__main__":
    sys.exit(main())
