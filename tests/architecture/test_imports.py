"""What `import inlay` loads, and which modules may touch which third-party package."""

from __future__ import annotations

import ast
import subprocess
import sys
from fnmatch import fnmatch
from types import ModuleType

import pytest

from tests.architecture.sources import modules

ABSENT = (
    "PIL", "click", "cloudpickle", "google.protobuf", "jax", "jaxlib", "malt", "multiprocessing", "ray", "scipy",
    "tensorflow", "torch",
)  # fmt: skip

# package -> the modules that may import it. A longer list needs a reason in review.
CONFINED: dict[str, tuple[str, ...]] = {
    "jax": (),  # base/interpreter/xla.py names it as text, and says what to install where it is missing
    "jaxlib": (),
    "ray": ("host/executors/ray_connection.py",),
    "tensorflow": ("tools/unmodified/imports.py",),  # which answers for it itself
    "click": ("tools/command.py", "tools/commands/*"),
    "malt": ("programs/conversion/transpile.py",),
    "google": ("base/files/records.py", "base/protos/*"),
    "cloudpickle": ("host/bodies/pickling.py", "host/bodies/portable.py", "host/executors/processes/wire.py"),
    "multiprocessing": ("tools/unmodified/imports.py",),
    "cryptography": ("saved/signing.py",),
    "opentelemetry": ("base/traces/opentelemetry.py",),
    "threadpoolctl": ("base/interpreter/blas.py",),
}
LAZY = ("jax", "torch", "scipy", "PIL", "ray", "tqdm")


def run(code: str) -> list[str]:
    """The words that a fresh interpreter prints."""
    done = subprocess.run([sys.executable, "-W", "error", "-c", code], capture_output=True, text=True, timeout=50)
    assert done.returncode == 0, done.stderr
    return done.stdout.split()


@pytest.mark.parametrize("first_use", ["", "inlay.constant", "inlay.compat.v1.Session", "inlay.contrib.eager"])
def test_importing_the_package_loads_none_of_the_heavy_ones(first_use: str) -> None:
    assert run(f"import inlay, sys; {first_use}\nprint(*[name for name in {ABSENT!r} if name in sys.modules])") == []


def test_the_state_of_a_draw_is_skipped_in_the_first_message_of_a_process() -> None:
    code = "import inlay as tf\nwith tf.Graph().as_default() as g: tf.compat.v1.random_uniform([2], seed=3)\n"
    assert run(f"{code}print(*[n.op for n in g.as_graph_def().node])") == ["Const", "RandomUniform"]


def test_arrays_become_tensors_without_numpys_masked_arrays() -> None:
    code = "import inlay as tf, numpy as np, sys; v = tf.Variable(np.ones(3)); f = lambda x: x + 1.0\n"
    assert run(f"{code}tf.numpy_function(f, [v], tf.float64); print('numpy.ma' in sys.modules)") == ["False"]


COUNT = "import inlay, sys; count = lambda: sum(n.startswith('inlay._src') for n in sys.modules); print(count())"


def test_importing_the_package_loads_a_name_when_it_is_asked_for() -> None:
    assert run(COUNT) == ["0"]
    assert run(f"{COUNT}; inlay.constant; print(count() < 85, 'constant' in vars(inlay), 'abs' in vars(inlay))") == [
        "0", "True", "True", "False",
    ]  # fmt: skip
    assert run(f"{COUNT}; [inlay.nn, inlay.compat.v1, inlay.data]; print(count() < 10)") == ["0", "True"]


@pytest.mark.parametrize(
    "use",
    [
        "print((tf.convert_to_tensor([1.0, 2.0]) * 2 + 1).numpy().sum())",
        "print(len(tf.Graph().as_graph_def().node) + 8.0)",
        "import pickle; g = pickle.loads(pickle.dumps(tf.Graph())); print(len(g.nodes) + 8.0)",
        "import inlay._src.core.opdef as o\nwith tf.Graph().as_default() as g: o.OPS['Svd']\nprint(len(g.nodes) + 8.0)",
        "x = tf.Variable([1.0, 3.0])\nwith tf.GradientTape() as t: y = x * x\nprint(t.jacobian(y, x).numpy().sum())",
        "s = tf.data.DatasetSpec(tf.TensorSpec([])); print(len(s.value_type.range(8)) + 0.0)",
        "r = tf.ragged.constant([[1.0], [2.0, 1.0]]); print((r + r).numpy().tolist()[1][0] * 2)",
        "f = tf.function(lambda x: tf.py_function(lambda v: v * 2, [x], tf.float32)); print(f(4.0).numpy())",
        "print(tf.compat.v1.Session(graph=tf.Graph()).graph.version + 8.0)",
        "v = tf.Variable(3.0); v.assign_add(5.0); print(v.numpy())",
    ],
)
def test_what_a_name_gives_works_though_nothing_else_was_asked_for(use: str) -> None:
    assert run(f"import inlay as tf\n{use}") == ["8.0"]


def test_an_op_that_is_not_loaded_loads_the_module_that_declares_it() -> None:
    code = (
        "import sys; from inlay._src.base.export import declaring_modules; from inlay._src.core.opdef import OPS\n"
        "modules = declaring_modules()['ops']; print(len(OPS)); print(OPS['Svd'].name)\n"
        "print(modules['Svd'] in sys.modules, len(OPS) < 300 < len(modules))\n"
        "try: OPS['No']\nexcept KeyError as error: print(error)"
    )
    assert run(code) == ["0", "Svd", "True", "True", "'No'"]


EVERY_KEY = """
import gc, os, sys
import inlay
from inlay._src.base.export import Declared, declaring_modules
from inlay._src.base.types.structured import EXTENSIONS
from inlay._src.core.operation import CREATED, WRITTEN
from inlay._src.data.reading import FILE_READERS
from inlay._src.data.spec import MADE_BY
from inlay._src.engine.autodiff.jacobian import ABOVE
from inlay._src.core.eager.emit import LATE_ANSWERS
from inlay._src.core.opdef import OPS
from inlay._src.programs.graph_def.declared import _HERE
from inlay._src.programs.graph_def.exporting import FORMS, RENAMED, SKIPPED
from inlay._src.programs.graph_def.program_readers import CALLING
from inlay._src.programs.graph_def.reading import READERS
tables = {x._name: x for x in gc.get_objects() if isinstance(x, Declared) and x._name}
keys = {module: (name, key) for name in sorted(tables) for key, module in declaring_modules()[name].items()}
for name, key in keys.values():
    if os.fork() == 0:
        try: tables[name][key]
        except BaseException as error: print(name, key, repr(error), flush=True)
        os._exit(0)
    os.wait()
print(*sorted(tables))
"""


def test_every_module_that_fills_a_table_can_be_the_first() -> None:
    names = "answers calling composites created datasets declarations drawings extensions file_readers forms ops"
    assert run(EVERY_KEY) == [*names.split(), "pictures", "readers", "renamed", "skipped", "written"]


def test_a_key_that_does_not_tell_its_module_loads_every_module() -> None:
    code = "from inlay._src.core.opdef import OPS; from inlay._src.base.types.specs import SPEC_OF\ntry: SPEC_OF[int]\n"
    assert run(f"{code}except KeyError: print(len(OPS) > 300)") == ["True"]


@pytest.mark.parametrize(
    "code",
    [
        "from inlay import constant, errors; print(errors.__name__)",
        "from inlay import *; import builtins; builtins.print(errors.__name__)",
        "import inlay.compat.v1 as tf; print(tf.errors.__name__)",
        "import inlay._src.programs.session; import inlay as tf; tf.function(lambda: 1); print(tf.errors.__name__)",
        "import inlay.nn, inlay; print(inlay.errors.__name__) if (inlay.nn.relu(-1.0) + 1).numpy() == 1 else None",
        "import inlay; print(inlay.errors.__name__) if 'constant' in dir(inlay) else None",
    ],
)
def test_every_way_to_import_gives_the_same_names(code: str) -> None:
    assert run(code) == ["inlay.errors"]


def test_no_module_stands_where_a_name_will() -> None:
    import inlay

    entries = {m.name.split(".")[1] for m in modules().values() if m.name != "inlay"}
    assert sorted(n for n in entries & set(dir(inlay)) if not isinstance(getattr(inlay, n), ModuleType)) == []


def test_a_name_that_is_not_there_is_said_plainly() -> None:
    code = "import inlay\ntry: inlay.no_such\nexcept AttributeError as error: print(error)"
    assert " ".join(run(code)) == "module 'inlay' has no attribute 'no_such'"


@pytest.mark.parametrize("namespace", ["inlay", "inlay.compat.v1", "inlay.compat.v2"])
def test_a_name_of_tensorflow_that_is_not_here_answers_from_the_compatibility_table(namespace: str) -> None:
    """FINDINGS E: top-level misses."""
    code = f"import inlay\ntry: {namespace}.tpu\nexcept AttributeError as error: print(error)"
    assert " ".join(run(code)) == f"module '{namespace}' has no attribute 'tpu': no TPU runtime"


def test_threads_that_ask_first_get_whole_names() -> None:
    code = (
        "import inlay, threading; barrier = threading.Barrier(8); got = []\n"
        "def ask(): barrier.wait(); got.append(inlay.constant(1.0) + 1)\n"
        "threads = [threading.Thread(target=ask) for _ in range(8)]\n"
        "[t.start() for t in threads]; [t.join() for t in threads]; print(len(got))"
    )
    assert run(code) == ["8"]


@pytest.mark.parametrize("package", CONFINED)
def test_only_the_listed_modules_import(package: str) -> None:
    outside = sorted(
        f"{module.relative}:{wanted.line}"
        for module in modules().values()
        for wanted in module.imports
        if wanted.target.split(".")[0] == package
        and not any(fnmatch(module.relative, pattern) for pattern in CONFINED[package])
    )
    assert outside == [], f"{package} is confined to {CONFINED[package] or 'no module'}"


def test_locks_come_from_the_module_that_frees_them_in_a_forked_child() -> None:
    own = (
        "base/interpreter/forking.py",
        "engine/run/scheduling/work_stealing.py",
        "base/interpreter/threads.py",
        "base/export.py",
    )  # the others make theirs anew in a child
    outside = sorted(
        f"{module.relative}:{node.lineno}"
        for module in modules().values()
        for node in ast.walk(module.tree)
        if isinstance(node, ast.Attribute) and ast.unparse(node) in ("threading.Lock", "threading.RLock")
        if module.relative not in own
    )
    assert outside == [], "use interpreter.forking.new_lock or new_rlock"


@pytest.mark.parametrize("package", LAZY)
def test_is_imported_on_first_use_only(package: str) -> None:
    eager = sorted(
        f"{module.relative}:{wanted.line}"
        for module in modules().values()
        for wanted in module.imports
        if wanted.target.split(".")[0] == package and wanted.at_import
    )
    assert eager == [], f"import {package} inside the function that needs it"
