"""Saved in one process, loaded in a fresh one that has none of the source: values and gradients are equal."""

from __future__ import annotations

from pathlib import Path

from tests.unit.saved.fresh import run, saved_and_loaded

GRADIENT = """
x = tf.constant([0.5, -3.0, 2.5])
with tf.GradientTape(persistent=True) as tape:
    tape.watch(x)
    with tf.GradientTape() as inner:
        inner.watch(x)
        y = model.f(x)
    first = inner.gradient(y, x)
print(np.asarray(y).tolist(), np.asarray(first).tolist())
print([None if g is None else np.asarray(g).tolist() for g in tape.gradient(y, [x, *model.variables])])
print(None if (s := tape.gradient(first, x)) is None else np.asarray(s).tolist())
"""

LOG_HUBER = """
def log_huber(x, m):
    if tf.abs(x) <= m:
        return x**2
    return m**2 * (1 - 2 * tf.math.log(m) + tf.math.log(x**2))

class Model(tf.Module):
    @tf.function(input_signature=[tf.TensorSpec([3], tf.float32)])
    def f(self, x):
        return tf.map_fn(lambda v: tf.py_function(log_huber, [v, 2.0], tf.float32), x)

model = Model()
"""

CAPTURED = """
class Model(tf.Module):
    def __init__(self):
        super().__init__()
        self.scale = tf.Variable(3.0)
        scale, hidden = self.scale, tf.Variable([1.0, 2.0, 4.0])
        self.f = tf.function(lambda x: tf.py_function(lambda v: v * v * scale * hidden, [x], tf.float32) * self.scale)

model = Model()
model.f(tf.constant([1.0, 2.0, 3.0]))
"""

CLOSURE = """
def make(table, shift):
    def outer(x):
        def inner(v):
            return helpers.twice(v) + table[:3] + shift
        return inner(x)
    return outer

class Model(tf.Module):
    def __init__(self):
        super().__init__()
        body = make(np.arange(50_000, dtype=np.float32), np.float32(0.25))
        self.f = tf.function(lambda x: tf.numpy_function(body, [x], tf.float32) + x)

model = Model()
model.f(tf.constant([1.0, 2.0, 3.0]))
"""

LOOPS = """
class Model(tf.Module):
    def __init__(self):
        super().__init__()
        self.w = tf.Variable(2.0)

    @tf.function(input_signature=[tf.TensorSpec([None], tf.float32)])
    def f(self, x):
        for _ in tf.range(3):
            if tf.reduce_sum(x) > 0.0:
                x = tf.py_function(lambda v: v * self.w, [x], tf.float32)
            else:
                x = x - self.w
            x.set_shape([None])
        return x

model = Model()
"""

ASYNC = """
import asyncio, functools

async def later(v, k):
    await asyncio.sleep(0)
    return v * v * k

class Squares:
    def __init__(self, by):
        self.by = by
    def __call__(self, v):
        return v * v * self.by
    def method(self, v):
        return v + self.by

class Model(tf.Module):
    def __init__(self):
        super().__init__()
        squares = Squares(2.0)
        def body(x):
            y = tf.py_function(functools.partial(later, k=3.0), [x], tf.float32)
            y = tf.py_function(squares, [y], tf.float32)
            return tf.py_function(squares.method, [y], tf.float32)
        self.f = tf.function(body)

model = Model()
model.f(tf.constant([1.0, 2.0, 3.0]))
"""


def test_values_and_gradients_are_those_of_the_saved_models(tmp_path: Path) -> None:
    before, after = saved_and_loaded(tmp_path, [LOG_HUBER, CAPTURED, CLOSURE, LOOPS, ASYNC], GRADIENT)
    assert after == before and before.count("\n") == 15


def test_a_classifier_of_another_package_runs_within_a_numpy_function(tmp_path: Path) -> None:
    source = """
from sklearn.linear_model import LogisticRegression
classifier = LogisticRegression().fit(np.eye(4), [0, 1, 0, 1])

class Model(tf.Module):
    @tf.function(input_signature=[tf.TensorSpec([None, 4], tf.float64)])
    def f(self, x):
        return tf.numpy_function(lambda v: classifier.predict_proba(v), [x], tf.float64)

model = Model()
"""
    before, after = saved_and_loaded(tmp_path, [source], "print(model.f(np.ones((2, 4))).numpy().tolist())")
    assert after == before


def test_a_large_captured_array_is_saved_once_and_is_not_read_until_it_is_touched(tmp_path: Path) -> None:
    source = """
large = np.ones(1 << 25, np.float64)  # 256 MB

class Model(tf.Module):
    @tf.function(input_signature=[tf.TensorSpec([], tf.int64)])
    def f(self, i):
        a = tf.numpy_function(lambda i: large[i], [i], tf.float64)
        return a + tf.numpy_function(lambda i: large[-i], [i], tf.float64)

model = Model()
"""
    use = """
import os, re
size = sum(os.path.getsize(os.path.join(p, n)) for p, _, ns in os.walk(PATH) for n in ns)
print(256 < size / 2**20 < 257)
def grown():
    text = open('/proc/self/status').read()
    return int(re.search(r'VmRSS:\\s+(\\d+)', text)[1]) / 1024
if 'path' in globals():
    del model
    first = grown()
    model = tf.saved_model.load(path, trust=Container(path).digest)
    print(grown() - first < 20)
else:
    print(True)
print(float(model.f(tf.constant(5, tf.int64))))
""".replace("PATH", repr(str(tmp_path / "model0")))
    before, after = saved_and_loaded(tmp_path, [source], use)
    assert before == after == "True\nTrue\n2.0\n"


def test_a_datasets_functions_travel_with_it(tmp_path: Path) -> None:
    source = """
class Model(tf.Module):
    pass

model = Model()
model.scale = tf.Variable(2.0)
scale, table = model.scale, np.arange(20_000, dtype=np.int64)
data = tf.data.Dataset.range(6).map(lambda i: tf.numpy_function(lambda a: table[a] + 10, [i], tf.int64))
data = data.map(lambda i: tf.cast(i, tf.float32) * scale + tf.py_function(lambda: scale * 100.0, [], tf.float32))
model.data = data.filter(lambda v: v > 221.0).shuffle(4, seed=3).batch(2)
"""
    use = """
print([e.numpy().tolist() for e in model.data])
model.scale.assign(3.0)
print([e.numpy().tolist() for e in model.data])
"""
    before, after = saved_and_loaded(tmp_path, [source], use)
    assert after == before and before.count("[[") == 2


def test_functions_that_make_datasets_travel(tmp_path: Path) -> None:
    source = """
D = tf.data.Dataset

class Model(tf.Module):
    pass

model = Model()
model.scale = scale = tf.Variable(2, dtype=tf.int64)
table = np.arange(20_000, dtype=np.int64)

def rows(n):
    inner = D.range(n).map(lambda i: i * n + scale + tf.numpy_function(lambda a: table[a] + 10, [i], tf.int64))
    return inner.flat_map(lambda j: D.range(2).map(lambda k: helpers.twice(j) + n * k))

model.data = {
    "flat_map": D.range(4).flat_map(rows),
    "interleave": D.range(4).interleave(rows, cycle_length=2, block_length=3, num_parallel_calls=2),
    "window": D.range(7).window(3, shift=2).flat_map(lambda w: w.map(lambda i: i + scale).batch(3)),
    "group": D.range(7).group_by_window(lambda x: x % 2, lambda key, w: w.map(lambda i: i + key).batch(2), 4),
    "generator": D.range(3).flat_map(
        lambda n: D.from_generator(range, args=(n,), output_signature=tf.TensorSpec([], tf.int64))
    ),
}
"""
    use = """
for name, data in sorted(model.data.items()):
    print(name, [e.numpy().tolist() for e in data])
model.scale.assign(3)
print([e.numpy().tolist() for e in model.data["flat_map"]])
import pickle
print([e.numpy().tolist() for e in pickle.loads(pickle.dumps(model.data["group"]))])
"""
    before, after = saved_and_loaded(tmp_path, [source], use)
    assert after == before and before.startswith("flat_map [24, 25, ") and before.count("\n") == 7


def test_functions_that_read_datasets_travel(tmp_path: Path) -> None:
    source = """
D = tf.data.Dataset

class Model(tf.Module):
    def __init__(self):
        super().__init__()
        self.scale = tf.Variable(2, dtype=tf.int64)

    @tf.function(input_signature=[tf.TensorSpec([], tf.int64)])
    def f(self, n):
        total = tf.constant(0, tf.int64)
        added = lambda i: tf.ensure_shape(tf.numpy_function(lambda a: helpers.twice(a) + 1, [i], tf.int64), [])
        for x in D.range(n).map(lambda i: i * self.scale + added(i)):
            total += x
        summed = D.range(n).flat_map(lambda i: D.range(i)).reduce(n, lambda a, b: a + b * n)
        return total, summed, D.from_tensors(n * self.scale).get_single_element()

model = Model()
model.sums = D.range(4).map(lambda n: D.range(n).reduce(np.int64(0), lambda a, b: a + b * model.scale))
"""
    use = """
for scale in (2, 5):
    model.scale.assign(scale)
    print([int(t) for t in model.f(tf.constant(5, tf.int64))], [int(n) for n in model.sums])
"""
    before, after = saved_and_loaded(tmp_path, [source], use)
    assert after == before == "[45, 55, 10] [0, 0, 2, 6]\n[75, 55, 25] [0, 0, 5, 15]\n"


def test_inspecting_a_model_imports_nothing_of_it(tmp_path: Path) -> None:
    code = (
        "import inlay as tf, sys\n"
        "class M(tf.Module):\n"
        "    @tf.function(input_signature=[tf.TensorSpec([], tf.float32)])\n"
        "    def f(self, x):\n"
        "        import colorsys\n"
        "        return tf.numpy_function(colorsys.rgb_to_hsv, [x, x, x], [tf.float32] * 3)\n"
        f"tf.saved_model.save(M(), {str(tmp_path / 'model')!r})\n"
    )
    run(code, tmp_path)
    see = (
        "import sys; from inlay._src.tools.command import main\n"
        f"main(['show', {str(tmp_path / 'model')!r}], standalone_mode=False)\n"
        "assert 'colorsys' not in sys.modules\n"
    )
    shown = run(see, tmp_path)
    assert "by name: colorsys:rgb_to_hsv" in shown
