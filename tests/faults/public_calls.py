"""Calls of everything public with drawn arguments: functions, constructors, methods; eagerly, in graphs, in functions.

    seed, number ──▶ target, way, arguments that fit it ──▶ some of them made wrong or hostile ──▶ the call ──▶ cause

A target is a public function, a class or a method of one. Where `tests/recorded/calls` draws arguments of a function,
those are taken half of the time; else `plausible_arguments` draws by the names of parameters. `SPECIMENS` makes
instances whose methods are called; a class without one is made of arguments that fit. Results are used: tensors of
graphs are run, datasets walked.
"""

from __future__ import annotations

import contextlib
import contextvars
import dataclasses
import functools
import inspect
import itertools
import re
import zlib
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np

import inlay
import tests.recorded.calls  # noqa: F401
from inlay._src.base import export
from tests.faults import internal_errors
from tests.faults.hostile_values import HOSTILE, Live, UsersError
from tests.faults.plausible_arguments import Base, base_of, plausible, tensor
from tests.recorded.draws import ABSENT, TABLE, Draws, Fixed, Given, leaves
from tests.recorded.mutations import NOTHING, mutations_of, places, replaced_at
from tests.recorded.outcomes import WAYS, in_its_form, known

NAMES = Path(__file__).parents[1] / "architecture" / "public_names.txt"
LEFT_OUT: dict[str, str] = {
    r"app\.(run|flags\..*|UsageError)|flags\..*": "absl's, which exits",
    r".*\b(experimental_)?(disable|enable)_\w+": "a switch of the process",
    r"config\.(run_functions_eagerly|set_logical_device_configuration|set_visible_devices)": "a switch of the process",
    r"config\.experimental\.set_\w+|config\.experimental_\w+|data\.experimental\.enable_\w+": "a switch of the process",
    r"config\.(threading|optimizer)\.set_\w+|config\.set_soft_device_placement": "a switch of the process",
    r".*\.(rmtree|remove|delete_recursively|DeleteRecursively|Remove)": "deletes files",
    r".*(distribute|train)\.(Server|experimental\..*)": "opens a server",
    r".*\b(Supervisor|MonitoredTrainingSession|ProcessPool|Ray|Processes|RayExecutor)\b.*": "starts processes or waits",
    r".*\.(wait_for_stop|wait_for_session|join|run_loop|sleep|take_grad|dequeue\w*|enqueue\w*|take_many)":
        "waits for others by design",
    r".*\.(breakpoint|set_trace|main|test\.main)": "reads from a terminal or exits",
    r"reset_default_graph|train\.checkpoints_iterator":
        "the state of the process, or waits by design",
    r"test\.TestCase\..*": "assertions of tests, which fail on purpose",
    r"Threads\.(run|submit)": "takes what functions of hosts make",
    r"debugging\.(run_inline.*|set_log_device_placement)": "a switch of the process",
    r"types\.experimental\.(Generic|Polymorphic)Function.*": "made by `tf.function`",
    r".*\b(load_library|load_op_library|load_file_system_library)": "loads code",
}  # fmt: skip
"""Patterns of public names that are not called, each with its reason."""
_OPERANDS = {
    **dict.fromkeys("getitem add matmul eq contains pow rsub lt and truediv mod ne".split(), 1),
    **dict.fromkeys("len iter bool repr str hash invert neg enter int float array index".split(), 0),
    "setitem": 2,
}
"""Special method -> how many operands it has besides the object."""
_SPECIAL = frozenset(f"__{name}__" for name in ("call", *_OPERANDS))


@dataclasses.dataclass(frozen=True)
class Target:
    """What is called.

    Attributes:
      name: where it is public, after `tf.`.
      cls: the class whose instances' method it is, or None.
      attribute: the method's name.
    """

    name: str
    cls: type | None = None
    attribute: str = ""

    def __str__(self) -> str:
        return f"{self.name}.{self.attribute}" if self.attribute else self.name


def is_left_out(name: str) -> bool:
    """Whether a public name is not called, also by its name in a namespace of a version."""
    names = (name, re.sub(r"^compat\.v[12]\.", "", name))
    return any(re.fullmatch(pattern, n) for pattern in LEFT_OUT for n in names)


@functools.cache
def targets() -> tuple[Target, ...]:
    """All that is called, each thing under the first of its names, in an order that mixes the namespaces."""
    export.load_all()
    taken: set[int] = set()
    listed: list[Target] = []
    for line in NAMES.read_text(encoding="utf-8").split():
        name = line.removeprefix("inlay.")
        value = export.lookup(name)
        if value is None or id(value) in taken or not callable(value) or is_left_out(name):
            continue
        taken.add(id(value))
        if not getattr(value, "__module__", "").startswith("inlay"):
            continue
        listed.append(Target(name))
        if inspect.isclass(value) and not issubclass(value, BaseException) and "protos" not in value.__module__:
            listed += _methods(name, value, taken)
    return tuple(sorted(listed, key=lambda target: zlib.crc32(str(target).encode())))


def _methods(name: str, cls: type, taken: set[int]) -> Iterator[Target]:
    for attribute in dir(cls):
        if attribute.startswith("_") and attribute not in _SPECIAL:
            continue
        static = inspect.getattr_static(cls, attribute)
        function = getattr(static, "__func__", None) or getattr(static, "fget", None) or static
        if id(function) in taken or not getattr(function, "__module__", "").startswith("inlay"):
            continue
        taken.add(id(function))
        if not is_left_out(f"{name}.{attribute}"):
            yield Target(name, cls, attribute)


SPECIMENS: dict[str, Callable[[Any], Any]] = {
    "Variable": lambda tf: tf.Variable([1.0, 2.0]),
    "Tensor": lambda tf: tf.constant([1.0, 2.0]),
    "data.Dataset": lambda tf: tf.data.Dataset.range(3),
    "compat.v1.data.Dataset": lambda tf: tf.compat.v1.data.Dataset.range(3),
    "data.Iterator": lambda tf: iter(tf.data.Dataset.range(3)),
    "compat.v1.data.Iterator": lambda tf: tf.compat.v1.data.make_one_shot_iterator(tf.compat.v1.data.Dataset.range(3)),
    "Graph": lambda tf: tf.Graph(),
    "Operation": lambda tf: tf.Graph().create_op("NoOp", [], []),
    "TensorShape": lambda tf: tf.TensorShape([None, 2]),
    "DType": lambda tf: tf.float32,
    "RaggedTensor": lambda tf: tf.ragged.constant([[1.0], [2.0, 3.0]]),
    "SparseTensor": lambda tf: tf.sparse.from_dense([[1.0, 0.0], [0.0, 2.0]]),
    "IndexedSlices": lambda tf: tf.IndexedSlices(tf.constant([[1.0]]), tf.constant([0]), tf.constant([4, 1])),
    "TensorArray": lambda tf: tf.TensorArray(tf.float32, 2, clear_after_read=False).unstack([1.0, 2.0]),
    "random.Generator": lambda tf: tf.random.Generator.from_seed(1),
    "queue.FIFOQueue": lambda tf: tf.queue.FIFOQueue(2, tf.float32),
    "compat.v1.Session": lambda tf: tf.compat.v1.Session(graph=tf.Graph()),
    "compat.v1.InteractiveSession": lambda tf: tf.compat.v1.Session(graph=tf.Graph()),
    "train.Checkpoint": lambda tf: tf.train.Checkpoint(v=tf.Variable(1.0)),
    "types.experimental.ConcreteFunction": lambda tf: _concrete(tf),
    "function": lambda tf: tf.function(lambda x: x, autograph=False),
    "lookup.StaticHashTable": lambda tf: tf.lookup.StaticHashTable(
        tf.lookup.KeyValueTensorInitializer(["a", "b"], [1, 2]), -1
    ),
    "compat.v1.train.Saver": lambda tf: tf.compat.v1.train.Saver({"v": tf.Variable(1.0)}),
}  # fmt: skip
"""Name of a class -> what makes an instance of it."""


def _concrete(tf: Any) -> Any:
    return tf.function(lambda x: x, autograph=False).get_concrete_function(tf.TensorSpec([None], tf.float32))


class Made:
    """One call: what is called, how, and with what.

    Args:
      seed, number: what it follows from.
      folder: where its files may be.
    """

    def __init__(self, seed: int, number: int, folder: str) -> None:
        every = targets()
        self.target = every[number % len(every)]
        self.d = Draws(f"{seed}:{number}")
        self.way: str = self.d.pick(*WAYS)
        self.base: Base = base_of(self.d, folder)
        self.args: tuple[Any, ...] = ()
        self.kwargs: dict[str, Any] = {}
        self.function: Any = export.lookup(self.target.name)
        self._made_of: tuple[tuple[Any, ...], dict[str, Any]] | None = None
        if self.target.cls is not None and self.target.name not in SPECIMENS and not self._is_static():
            self._made_of = self._fitting(self.target.cls)
        self._draw()

    def _is_static(self) -> bool:
        return isinstance(
            inspect.getattr_static(self.target.cls, self.target.attribute, None), (staticmethod, classmethod)
        )

    def _called(self) -> Any:
        """What has the signature of the call."""
        if self.target.cls is None:
            return self.function
        static = inspect.getattr_static(self.target.cls, self.target.attribute)
        return static if not self._is_static() else getattr(self.target.cls, self.target.attribute)

    def _draw(self) -> None:
        draw = TABLE.get(str(self.target))
        if draw is not None and self.d.chance(0.5):
            call = draw(self.d)
            self.args, self.kwargs = call.args, dict(call.kwargs)
        else:
            operands = _OPERANDS.get(self.target.attribute.strip("_"))
            if operands is not None and self.target.attribute in _SPECIAL:
                self.args = tuple(tensor(self.d, self.base) for _ in range(operands))
            else:
                bound = self.target.cls is not None and not self._is_static()
                self.args, self.kwargs = self._fitting(self._called(), skip=int(bound))
        for _ in range(self.d.pick(0, 1, 1, 1, 1, 2, 3)):
            self._spoil()

    def _fitting(self, called: Any, skip: int = 0) -> tuple[tuple[Any, ...], dict[str, Any]]:
        try:
            parameters = list(inspect.signature(called).parameters.values())[skip:]
        except (TypeError, ValueError):
            return (), {}
        args: list[Any] = []
        kwargs: dict[str, Any] = {}
        for p in parameters:
            if p.kind is p.VAR_KEYWORD:
                continue
            if p.kind is p.VAR_POSITIONAL:
                args += [plausible(self.d, self.base, p.replace(kind=p.KEYWORD_ONLY))] if self.d.chance(0.5) else []
                continue
            value = plausible(self.d, self.base, p)
            if value is ABSENT and self.d.chance(0.1) and len(kwargs) < 2:
                value = self.d.pick(*HOSTILE)(self.d, p.default)
            if value is ABSENT:
                continue
            if p.kind is p.POSITIONAL_ONLY:
                args.append(value)
            else:
                kwargs[p.name] = value
        first = next((p for p in parameters if p.kind is p.VAR_POSITIONAL), None)
        if first is not None and args:
            before = list(itertools.takewhile(lambda p: p is not first, parameters))
            args = [kwargs.pop(p.name, p.default) for p in before if p.kind is not p.POSITIONAL_ONLY] + args
        return tuple(v for v in args if v is not inspect.Parameter.empty), kwargs

    def _spoil(self) -> None:
        """Makes one argument wrong."""
        nest: Any = (self.args, self.kwargs)
        paths = [(path, value) for path, value in places(nest) if len(path) > 1]
        if not paths:
            return
        if self.d.chance(0.6):
            paths = [(path, value) for path, value in paths if len(path) == 2]
        path, value = self.d.pick(*paths) if len(paths) > 1 else paths[0]
        usual = mutations_of(value)
        changes = usual if usual and self.d.chance(0.4) else HOSTILE
        with contextlib.suppress(Exception):  # a mutation that does not take what another one put there
            new = self.d.pick(*changes)(self.d, value)
            if new is not NOTHING:
                self.args, self.kwargs = replaced_at(nest, path, new)

    @property
    def given(self) -> list[Given]:
        """What becomes tensors, in order."""
        nest = (self.args, self.kwargs, self._made_of)
        return [leaf for leaf in leaves(nest) if isinstance(leaf, Given) and known_to(leaf)]

    def call(self, tensors: list[Any]) -> Any:
        """Makes the call."""
        tf, left = inlay, iter(tensors)
        args = [live(tf, a, left) for a in self.args]
        kwargs = {k: live(tf, v, left) for k, v in self.kwargs.items()}
        if self.target.cls is None:
            return self.function(*args, **kwargs)
        if self._is_static():
            return getattr(self.target.cls, self.target.attribute)(*args, **kwargs)
        if self._made_of is None:
            instance = SPECIMENS[self.target.name](tf)
        else:
            made_args, made_kwargs = self._made_of
            instance = self.target.cls(
                *[live(tf, a, left) for a in made_args], **{k: live(tf, v, left) for k, v in made_kwargs.items()}
            )
        method = getattr(instance, self.target.attribute)
        static = inspect.getattr_static(self.target.cls, self.target.attribute)
        return method(*args, **kwargs) if callable(method) and not isinstance(static, property) else method

    def text(self) -> str:
        """The call as a reader sees it."""
        parts = [shown(a) for a in self.args] + [f"{k}={shown(v)}" for k, v in self.kwargs.items()]
        before = ""
        if self._made_of is not None:
            args, kwargs = self._made_of
            before = "of " + ", ".join([shown(a) for a in args] + [f"{k}={shown(v)}" for k, v in kwargs.items()])
        return f"{self.target}({', '.join(parts)}) {before} [{self.way}]"

    def run(self) -> None:
        """Makes the call in its way, and uses what it gives; scopes that it enters and does not leave end with it."""
        inlay.compat.v1.reset_default_graph()
        contextvars.copy_context().run(self._run)

    def _run(self) -> None:
        kind = self.way.split()[0]
        with np.errstate(all="ignore"):
            {"eager": self._eagerly, "graph": self._in_a_graph, "function": self._in_a_function}[kind]()

    def _eagerly(self) -> None:
        used(self.call([inlay.constant(g.array) for g in self.given]))

    def _in_a_graph(self) -> None:
        v1 = inlay.compat.v1
        with inlay.Graph().as_default() as graph, v1.Session() as session:
            places_ = [v1.placeholder(inlay.as_dtype(g.array.dtype), known(g.array, self.way)) for g in self.given]
            feeds = {p: g.array for p, g in zip(places_, self.given, strict=True)}
            result = self.call(places_)
            fetches = [t for t in leaves(result) if isinstance(t, inlay.Tensor) and getattr(t, "graph", None) is graph]
            if fetches:
                session.run(v1.global_variables_initializer())
                session.run(fetches, feeds, options=v1.RunOptions(timeout_in_ms=2000))

    def _in_a_function(self) -> None:
        given = self.given
        signature = [inlay.TensorSpec(known(g.array, self.way), inlay.as_dtype(g.array.dtype)) for g in given]

        @inlay.function(input_signature=signature, autograph=False)
        def called(*tensors: Any) -> Any:
            result = self.call(list(tensors))
            return [t for t in leaves(result) if isinstance(t, inlay.Tensor) and not hasattr(t, "numpy")]

        called(*[inlay.constant(g.array) for g in given])

    def cause(self, error: BaseException) -> str:
        """The cause, if an exception is an error of the library itself."""
        with contextlib.suppress(UsersError):
            return internal_errors.cause_of(error, self._called(), leaves((self.args, self.kwargs, self._made_of)))
        return ""


def known_to(given: Given) -> bool:
    """Whether the library has a dtype for an array."""
    try:
        inlay.as_dtype(given.array.dtype)
    except TypeError:
        return False
    return True


def live(tf: Any, value: Any, tensors: Iterator[Any]) -> Any:
    """An argument, with tensors for what is given and what is made at the call."""
    if isinstance(value, Given):
        return in_its_form(tf, value, next(tensors)) if known_to(value) else value.array
    if isinstance(value, Fixed):
        return tf.constant(value.array)
    if isinstance(value, Live):
        return value.make(tf)
    if type(value) in (tuple, list):
        return type(value)(live(tf, v, tensors) for v in value)
    if type(value) is dict:
        return {k: live(tf, v, tensors) for k, v in value.items()}
    return value


def used(result: Any) -> None:
    """Walks what a call gives."""
    if isinstance(result, inlay.data.Dataset):
        for _ in itertools.islice(result, 3):
            pass
    elif isinstance(result, (inlay.Tensor, inlay.RaggedTensor, inlay.SparseTensor)):
        repr(result)


def shown(value: Any) -> str:
    """An argument as a reader sees it, however hostile it is."""
    try:
        if isinstance(value, Given):
            text = f"{value.form} {value.array.dtype}{list(value.array.shape)}{value.array.ravel()[:6].tolist()}"
        elif type(value) in (list, tuple):
            text = "[" + ", ".join(map(shown, value)) + "]"
        else:
            text = repr(value)
    except Exception:
        text = f"a {type(value).__name__}"
    return text.strip().encode("ascii", "backslashreplace").decode()[:160]
