"""Arguments that fit a parameter, by its name, its annotation and its default value.

    USUAL  pattern of a parameter's name ──▶ what draws an argument of it; the first that matches counts

What is drawn is in the words of `tests/recorded/draws.py`, with `Live` for what is made where the call is made.
Tensors of one call mostly have one dtype and one shape: `Base`.
"""

from __future__ import annotations

import dataclasses
import inspect
import re
from collections.abc import Callable
from typing import Any

import numpy as np

from tests.faults.hostile_values import Live, users_first
from tests.recorded.draws import ABSENT, Draws, Given


@dataclasses.dataclass(frozen=True)
class Base:
    """What the tensors of one call have in common, and the folder for its files."""

    dtype: Any
    shape: tuple[int, ...]
    folder: str


Draw = Callable[[Draws, Base], Any]


def base_of(d: Draws, folder: str) -> Base:
    """A dtype and a shape, the usual ones often."""
    kind = d.pick("float32", "float32", "float32", "real", "any")
    return Base(d.dtype(kind), d.shape(0, 4) if d.chance(0.7) else (2, 3), folder)


def tensor(d: Draws, base: Base) -> Any:
    """A tensor of the call's dtype and shape, mostly."""
    shape = base.shape if d.chance(0.75) else d.shape()
    return d.given(base.dtype if d.chance(0.85) else d.dtype("any"), shape)


def several(d: Draws, base: Base) -> Any:
    """A list of tensors."""
    return [tensor(d, base) for _ in range(d.pick(1, 2, 2, 3))]


def one_or_several(d: Draws, base: Base) -> Any:
    """A tensor or a list of tensors."""
    return tensor(d, base) if d.chance(0.6) else several(d, base)


def whole_tensor(d: Draws, base: Base) -> Any:
    """Small whole numbers, as a tensor."""
    return d.given(d.dtype("index"), d.shape(0, 2), 0, 2)


def real_tensor(shape: Any) -> Draw:
    """A float32 tensor of a shape."""
    return lambda d, base: d.given("float32", shape, 0, 1, odd=False)


def text_tensor(d: Draws, base: Base) -> Any:
    """Text, as a tensor."""
    return Given(d.texts(d.shape(0, 2)))


def one_of(*options: Any) -> Draw:
    """One of some values."""
    return lambda d, base: d.pick(*options)


def lived(label: str, make: Callable[[Any], Any]) -> Draw:
    """What is made where the call is made."""
    return lambda d, base: Live(label, make)


def path_in(name: str) -> Draw:
    """A path in the folder of the call."""
    return lambda d, base: f"{base.folder}/{name}"


def shape(d: Draws, base: Base) -> Any:
    """A shape: a list, a tuple, one number or a tensor."""
    dims = list(d.shape(0, 4))
    return d.pick(dims, dims, tuple(dims), 2, Given(np.array(dims, "int32")))


def plus(*args: Any, **_: Any) -> Any:
    """Adds its first two arguments."""
    return args[0] + args[1] if len(args) > 1 else (args[0] if args else np.float32(1.0))


def image(d: Draws, base: Base) -> Any:
    """An image, or several."""
    return d.given(d.pick("float32", "uint8"), d.pick((4, 4, 3), (2, 4, 4, 3), (2, 4, 4, 1)), 0, 1)


def condition(d: Draws, base: Base) -> Any:
    """What is true or false, or a function."""
    return d.pick(True, Live("truth", lambda tf: tf.constant(True)), d.given("bool", base.shape), plus)


USUAL: tuple[tuple[str, Draw], ...] = (
    (r"sp_.*|sparse_.*|a_sparse|sp|sparse", lived("sparse", lambda tf: tf.sparse.from_dense([[1.0, 0.0], [0.0, 2.0]]))),
    (r"rt_.*|ragged.*|rt", lived("ragged", lambda tf: tf.ragged.constant([[1.0], [2.0, 3.0]]))),
    (r"graph", lived("graph", lambda tf: tf.Graph())),
    (r"graph_def|input_graph_def", lived("graph def", lambda tf: tf.Graph().as_graph_def())),
    (r"sess|session", lived("session", lambda tf: tf.compat.v1.Session(graph=tf.Graph()))),
    (r"dataset.*|input_dataset", lived("dataset", lambda tf: tf.data.Dataset.range(3))),
    (r"ref|var|variable", lived("variable", lambda tf: tf.compat.v1.get_variable("v", [2], use_resource=True))),
    (r"var_list|variables|vars", lived("variables", lambda tf: [tf.Variable([1.0, 2.0])])),
    (r"grads_and_vars", lived("gradients", lambda tf: [(tf.constant([1.0, 2.0]), tf.Variable([1.0, 2.0]))])),
    (r".*optimizer|opt", lived("optimizer", lambda tf: tf.compat.v1.train.GradientDescentOptimizer(0.1))),
    (r"cell.*", lived("cell", lambda tf: tf.compat.v1.nn.rnn_cell.GRUCell(3))),
    (r"op|operation", lived("operation", lambda tf: tf.Graph().create_op("NoOp", [], []))),
    (r"hooks", one_of([], None)),
    (r"checkpoint", lived("checkpoint", lambda tf: tf.train.Checkpoint(v=tf.Variable(1.0)))),
    (r"saver", lived("saver", lambda tf: None)),
    (r"obj|root|module", lived("module", lambda tf: tf.Module())),
    (r"queue.*", lived("queue", lambda tf: tf.queue.FIFOQueue(2, tf.float32))),
    (r"distribution.*|dist.*", lived("normal", lambda tf: tf.compat.v1.distributions.Normal(0.0, 1.0))),
    (r"padding", one_of("SAME", "VALID", "same", [[0, 0], [1, 1]])),
    (r"paddings", one_of([[1, 1], [0, 2]], [[0, 0]], "constant")),
    (r"data_format", one_of("NHWC", "NCHW", "channels_last", "channels_first", None)),
    (r"reduction", one_of("none", "sum", "mean")),
    (r"method|mode", one_of("bilinear", "nearest", 0, "constant", "r")),
    (r"side", one_of("left", "right")),
    (r"equation|subscripts", one_of("ij,jk->ik", "ij->ji", "...i,...i->...")),
    (r"direction", one_of("ASCENDING", "DESCENDING")),
    (r".*encoding", one_of("UTF-8", "utf-16-be")),
    (r"compression.*", one_of("", "GZIP", None)),
    (r".*initializer", one_of(None, "ones", 1.0)),
    (r".*regularizer|.*constraint", one_of(None)),
    (r"file_?names?|path|.*_path|.*_file|file_?pattern|prefix|pattern|filepattern", path_in("file")),
    (r".*dir|directory|dirname|.*dir_or_file", path_in("folder")),
    (r".*names?|name|key|scope|family|collection|msg|message|.*separator|sep|delimiter|.*prefix", one_of("a", "b/c")),
    (r".*dtypes|Tout|out_types|output_types", one_of(["float32"], "float32", ["int32", "string"])),
    (r".*dtype|.*_type|type|T", one_of("float32", "float32", "int32", "int64", "string", "bool")),
    (r".*shapes", one_of([[]], [[2]], None, [[None, 2]])),
    (r".*shape|size|.*_size|multiples|perm|begin|.*length", shape),
    (r"strides?|ksize|kernel_size|pool_size|window.*|.*rates?|dilations", one_of(1, 2, [1, 1, 1, 1], [2, 2], 3)),
    (r"axis|axes|.*dim|.*axis|.*axes|.*indices_axis|dimension", lambda d, base: d.axes(len(base.shape))),
    (r"seed.*", one_of(1, (1, 2), None)),
    (r"k|n|num.*|.*count|depth|rank|.*_steps|.*epochs|block.*|channels|units|.*capacity|ndigits|level|step|.*units",
     one_of(1, 2, 3, 4)),
    (r"filters", lambda d, base: d.pick(3, d.given("float32", (2, 2, 3, 4)))),
    (r"images?|.*_images|image_or_images", image),
    (r"filter|kernel", real_tensor((2, 2, 3, 4))),
    (r"boxes|bounding_boxes", real_tensor((3, 4))),
    (r"contents|serialized.*|input_bytes|string_.*|strings?|bytes|.*_string|text|source", text_tensor),
    (r"indices|.*_ids|ids|labels|.*_splits|.*lengths|.*_starts|lookup|partitions|.*index|positions", whole_tensor),
    (r"pred|condition|cond|mask", condition),
    (r".*fn|f|func|.*func|.*function|body|.*callable|creator|fn\d|.*_factory|serializer|parser",
     one_of(plus, plus, users_first)),
    (r"tensors|values|components|elems|inp|arrays|structure.*|data|args|tensor_list|operands|sequences|xs|ys|"
     r"inputs|tensor_inputs|initial_state|loop_vars|arrays|flow", one_or_several),
    (r"args", several),
    (r"kwargs", one_of({}, None)),
    (r"options|config", one_of(None)),
    (r".*rate|.*decay|alpha|beta.*|epsilon|.*prob|rho|momentum|.*norm|.*threshold|.*scale|.*ratio|.*factor|.*timeout",
     one_of(0.5, 0.1, 1.0, 2.0)),
)  # fmt: skip
_PATTERNS = tuple((re.compile(pattern, re.IGNORECASE), draw) for pattern, draw in USUAL)
_ANNOTATED: tuple[tuple[str, Draw], ...] = (
    ("str", one_of("a", "b/c")),
    ("bool", one_of(True, False)),
    ("int", one_of(1, 2, 3)),
    ("float", one_of(0.5, 1.0, 2.0)),
    ("Callable", one_of(plus)),
    ("Path", path_in("file")),
    ("Sequence[str]", one_of(["a", "b"])),
    ("Sequence[int]", one_of([1, 2], [3])),
    ("Sequence[float]", one_of([0.5, 1.0])),
    ("Sequence", several),
    ("Mapping", one_of({}, {"a": 1.0})),
)


def plausible(d: Draws, base: Base, parameter: inspect.Parameter) -> Any:
    """An argument for a parameter, or `ABSENT`."""
    default = parameter.default
    if default is not inspect.Parameter.empty:
        if d.chance(0.6):
            return ABSENT
        if isinstance(default, (bool, float)) and d.chance(0.7):
            return d.pick(True, False) if isinstance(default, bool) else d.pick(default, 0.5, 1.0)
    annotation = str(parameter.annotation).removeprefix("<class '").removesuffix("'>")
    if annotation.startswith(("str", "bool", "float")):
        draw: Draw | None = next((draw for kind, draw in _ANNOTATED if annotation.startswith(kind)), None)
        named = next((draw for pattern, draw in _PATTERNS if pattern.fullmatch(parameter.name)), None)
        return (named if named is not None and annotation.startswith("str") else draw or tensor)(d, base)
    for pattern, draw in _PATTERNS:
        if pattern.fullmatch(parameter.name):
            return draw(d, base)
    return next((draw for kind, draw in _ANNOTATED if annotation.startswith(kind)), tensor)(d, base)
