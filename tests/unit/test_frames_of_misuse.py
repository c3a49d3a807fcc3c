"""The frames and lines of errors of every public function that is called with unsuitable arguments.

The calls are made in a process of their own, for some of them change settings of the process.
"""

from __future__ import annotations

import inspect
import json
import subprocess
import sys
import threading
import traceback
from pathlib import Path
from typing import Any, NamedTuple

PATHS = Path(__file__).parents[1] / "architecture" / "public_names.txt"
_APART = {
    "compat.v1.add_check_numerics_ops", "compat.v1.test.create_local_cluster", "compat.v1.test.main", "test.main",
    "compat.v1.train.export_meta_graph",
}  # fmt: skip
"""Functions that start servers, run a program of absl's, or walk everything in the default graph."""


class Unsuitable:
    """A value that no function takes."""


class Raised(NamedTuple):
    """An error of a call: how many frames of the library its traceback has, and how many lines are printed."""

    path: str
    frames: int
    lines: int
    text: str


def parameters(value: Any) -> int:
    """The number of positional arguments that a call needs, at least one; 0 if it takes none."""
    try:
        positional = [p for p in inspect.signature(value).parameters.values() if p.kind <= p.VAR_POSITIONAL]
    except (TypeError, ValueError):
        return 1
    return max(sum(p.default is p.empty and p.kind != p.VAR_POSITIONAL for p in positional), min(len(positional), 1))


_ASIDE = (
    "as_keras_adapter",
    "dequeue",
    "dequeue_many",
    "dequeue_up_to",
    "enqueue",
    "enqueue_many",
    "join",
    "wait_for_stop",
)
"""Methods that wait for another thread, and one that imports a package with errors of its own."""
_OPERATORS = ("__getitem__", "__add__", "__matmul__", "__call__", "__lt__", "__pow__", "__setitem__", "__contains__")


def objects(tf: Any) -> list[Any]:
    """Objects whose methods are called."""
    v1 = tf.compat.v1
    with tf.Graph().as_default() as graph:
        symbolic = v1.placeholder(tf.float32, [2], name="x")
        operation = symbolic.op
        ragged = tf.ragged.constant([[1.0], [2.0, 3.0]])
    function = tf.function(lambda x: x * 2.0)
    data = tf.data.Dataset.range(3)
    return [
        tf.constant([1.0, 2.0]), tf.Variable([1.0, 2.0]), symbolic, operation, graph, ragged, function, data,
        function.get_concrete_function(tf.constant(1.0)), iter(data), tf.TensorShape([2, None]), tf.float32,
        tf.TensorSpec([2], tf.float32), tf.sparse.from_dense([1.0, 0.0]), v1.Session(graph=graph), tf.GradientTape(),
        v1.train.AdamOptimizer(0.1), tf.train.Checkpoint(), tf.Module(), tf.random.Generator.from_seed(1),
        tf.TensorArray(tf.float32, 2), v1.layers.Dense(3), v1.nn.rnn_cell.BasicLSTMCell(3),
        v1.train.Saver([tf.Variable(1.0)]),
        tf.lookup.experimental.MutableHashTable(tf.string, tf.int64, -1), tf.queue.FIFOQueue(3, [tf.float32]),
        tf.distribute.get_strategy(), tf.linalg.LinearOperatorIdentity(2), v1.train.Coordinator(), tf.data.Options(),
    ]  # fmt: skip


def main() -> None:
    """Prints an entry for each error as JSON."""
    import inlay as tf
    from inlay._src.base import tracebacks
    from inlay._src.base.export import lookup

    tracebacks.settings.filtered = True
    values = [Unsuitable(), "x", None, [1, "a"], tf.constant([1.0, 2.0])]
    raised: list[Raised] = []

    def call(path: str, function: Any, args: list[Any]) -> None:
        try:
            function(*args)
        except SystemExit:  # of functions that run a program
            pass
        except Exception as error:
            frames = traceback.extract_tb(error.__traceback__)
            count = sum(frame.filename.startswith(tracebacks.FOLDER) for frame in frames)
            text = "".join(traceback.format_exception(error))
            raised.append(Raised(path, count, len(text.splitlines()), text))

    def call_all() -> None:
        seen = set()
        for path in (line.removeprefix("inlay.") for line in PATHS.read_text("utf-8").split()):
            function = lookup(path)
            if not callable(function) or path in _APART or "inlay" not in getattr(function, "__module__", ""):
                continue
            if id(function) in seen or (isinstance(function, type) and issubclass(function, BaseException)):
                continue
            seen.add(id(function))
            for value in values if (count := parameters(function)) else []:
                call(path, function, [value] * count)

    def call_methods() -> None:
        for made in objects(tf):
            for name in dir(made):
                method = getattr(type(made), name, None)
                if name in _ASIDE or not inspect.isroutine(method) or (name[0] == "_" and name not in _OPERATORS):
                    continue
                for value in values if (count := parameters(getattr(made, name))) else []:
                    call(f"{type(made).__name__}.{name}", getattr(made, name), [value] * count)

    def call_every() -> None:
        call_methods()  # first, for functions change settings
        call_all()

    thread = threading.Thread(target=call_every)  # no frame of the main module's is around the calls
    thread.start()
    thread.join()
    print("\n" + json.dumps(raised))


def test_a_wrong_argument_shows_one_frame_of_the_library_at_most(tmp_path: Path) -> None:
    done = subprocess.run([sys.executable, __file__], capture_output=True, text=True, timeout=300, cwd=tmp_path)
    assert done.returncode == 0, done.stderr[-2000:]
    errors = [Raised(*entry) for entry in json.loads(done.stdout.splitlines()[-1])]
    assert len({error.path for error in errors}) > 1400
    worst = [error for error in errors if error.frames > 1 or error.lines > 25]
    assert not worst, "\n".join(error.text for error in worst[:5])


if __name__ == "__main__":
    main()
