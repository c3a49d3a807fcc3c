"""The rows of the table: what is compared with whom, and the figures the library is held to."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from benchmarks.cases import arrays, bare, convolutions, everyday, forms

US, MS, S = 1e-6, 1e-3, 1.0


@dataclass(frozen=True)
class Bound:
    """A goal in other cases of ours, timed in the same rounds: at most `factor` times one case, plus the others.

    Attributes:
      factor: how many times `case` the row may take.
      case: the case it is compared with.
      plus: cases whose time is added once.
    """

    factor: float
    case: str
    plus: tuple[str, ...] = ()

    @property
    def text(self) -> str:
        """The bound in words."""
        return " + ".join([f"{self.factor:g} x {self.case}", *self.plus])


@dataclass(frozen=True)
class Row:
    """One line of the table.

    Attributes:
      name: its name in the ledger and for `--only`.
      title: what is timed, for readers.
      case: the case that every peer runs; the peers that lack it are left out of this row.
      others: peers besides TensorFlow.
      seconds: the most that one call of ours may take, or None.
      ratio: TensorFlow's time over ours must reach this, or None.
      subject: the peer entry that is ours.
      against: the peer entry the ratio is taken from; None where TensorFlow cannot run the case.
      unloaded: modules that must not be loaded in our process when the row is done.
      note: how to read it.
      bound: the most that one call of ours may take beside other cases of ours, or None.
      bare: a case that does the same work without a library, shown beside the row, or "": a loop of Python and NumPy,
        and for large arrays a copy of as many bytes or a product of matrices by BLAS. "" is that of `cases.bare`.
      group: "forms" for the forms of a call, which have a table of their own and fewer rounds; "conversions" for
        what NumPy alone takes.
    """

    name: str
    title: str
    case: str
    others: tuple[str, ...] = ()
    seconds: float | None = None
    ratio: float | None = None
    subject: str = "inlay"
    against: str | None = "tensorflow"
    unloaded: tuple[str, ...] = field(default=())
    note: str = ""
    bound: Bound | None = None
    bare: str = ""
    group: str = ""

    @property
    def references(self) -> tuple[str, ...]:
        """The cases of ours that are timed in the same rounds."""
        bound = (self.bound.case, *self.bound.plus) if self.bound else ()
        return tuple(dict.fromkeys((*bound, *([self.bare] if self.bare else []))))

    @property
    def entries(self) -> tuple[str, ...]:
        """Everyone who takes part, ours first."""
        return (self.subject, *([self.against] if self.against else []), *self.others)

    @property
    def before(self) -> str:
        """The entry that is our predecessor, which takes part where `--before` names a commit; "" without one."""
        return "" if self.group == "conversions" else self.subject.replace("inlay", "before")


_HOST = ("jax", "torch", "pytensor", "dask")
_MATH = ("jax", "torch")

ROWS = (
    Row("session_py_func", "`Session.run`, 1 py_func", "session_py_func", _HOST, 2 * US, 100),
    Row(
        "session_py_func_chain",
        "`Session.run`, 50 chained py_funcs",
        "session_py_func_chain",
        _HOST,
        8 * US,
        150,
        bound=Bound(4, "session_py_func_chain_bare"),
    ),
    Row(
        "session_py_func_wide",
        "`Session.run`, 100 py_funcs side by side",
        "session_py_func_wide",
        _HOST,
        25 * US,
        140,
        bound=Bound(2, "session_py_func_wide_bare"),
    ),
    Row("session_py_function", "`Session.run` of a py_function", "session_py_function", ratio=80),
    Row(
        "session_py_function_gradient",
        "`Session.run` of a py_function and its gradient",
        "session_py_function_gradient",
        ("jax", "torch"),
        25 * US,
        30,
    ),
    Row(
        "session_log_huber_gradient",
        "`Session.run` of log-Huber and its gradient",
        "session_log_huber_gradient",
        ratio=25,
    ),
    Row("function_numpy_function", "`tf.function` around numpy_function", "function_numpy_function", ratio=50),
    Row("function_py_function", "`tf.function` around py_function", "function_py_function", ratio=50),
    Row("eager_numpy_function", "eager numpy_function", "eager_numpy_function", ratio=6),
    Row("eager_py_function", "eager py_function", "eager_py_function", ratio=80),
    Row(
        "eager_py_function_gradient",
        "eager py_function under a tape, with gradient",
        "eager_py_function_gradient",
        ratio=50,
    ),
    Row("eager_add", "eager add", "eager_add", _MATH, ratio=12),
    Row("eager_tape_multiply", "tape, multiply, gradient", "eager_tape_multiply", _MATH, ratio=20),
    Row("sine_chain_4", "50 x (sin + 1), n = 4", "sine_chain_4", _MATH, 70 * US, 2),
    Row("sine_chain_1e6", "50 x (sin + 1), n = 1,000,000", "sine_chain_1e6", _MATH, ratio=1.2),
    Row("build_and_run_10000", "build 5,000 py_funcs and 5,000 adds, run once", "build_and_run_10000", ratio=30),
    Row("run_10000", "the same graph, run again and again", "run_10000", ratio=10),
    Row("large_default", "256 MB through two numpy_functions", "large_default", ratio=0.4, note="one copy is owed"),
    Row(
        "large_malloc",
        "the same, with the allocator setting",
        "large_default",
        ("tensorflow+malloc",),
        ratio=0.9,
        subject="inlay+malloc",
    ),
    Row(
        "large_aligned",
        "the same, memory aligned to 64 bytes",
        "large_aligned",
        note="TensorFlow then hands the caller's own memory to the function, writeable",
    ),
    Row("large_without_copy", "the same, with `copy=False`", "large_without_copy", ratio=200),
    Row("blocking_pair_first", "two py_funcs that wait for one another, first time", "blocking_pair_first", (), 2 * MS),
    Row("blocking_pair_learned", "the same, learned", "blocking_pair_learned", (), 100 * US, 3),
    Row(
        "barrier_64",
        "64 py_funcs that wait for one another",
        "barrier_64",
        seconds=5.0,
        against=None,
        note="must end; TensorFlow waits for ever where it has fewer than 64 threads",
    ),
    Row(
        "new_shapes_gradient",
        "forward and gradient, a new shape at every call",
        "new_shapes_gradient",
        _MATH,
        ratio=10,
        unloaded=("jax",),
    ),
    Row(
        "data_identity",
        "Dataset: an identity numpy_function, one element",
        "data_identity",
        seconds=2 * US,
        ratio=40,
        bare="data_identity_bare",
    ),
    Row("data_chain", "Dataset: three maps of pure ops, one element", "data_chain", bare="data_chain_bare"),
    Row("data_batch", "Dataset: rows of 784 bytes, cast and scaled, batches of 100", "data_batch"),
    Row(
        "data_python_body",
        "Dataset: 75 us of pure Python, 2 processes, 1,000 elements",
        "data_python_body",
        ratio=5,
        bound=Bound(0.667, "data_python_body_bare"),
        bare="data_python_body_bare",
    ),
    Row(
        "data_python_maps",
        "Dataset: the same in each of two maps",
        "data_python_maps",
        ratio=5,
        bound=Bound(0.667, "data_python_maps_bare"),
        bare="data_python_maps_bare",
    ),
    Row(
        "data_image_body",
        "Dataset: 480 x 640 to 224 x 224, 2 processes, 40 images",
        "data_image_body",
        ratio=1.5,
        bare="data_image_body_bare",
    ),
    Row("data_text_encode", "Dataset: a line of text encoded", "data_text_encode", bare="data_text_encode_bare"),
    Row("data_records", "Dataset: a TFRecord read and parsed", "data_records"),
    Row("data_records_batched", "Dataset: 100 TFRecords read, parsed together", "data_records_batched"),
    Row("data_sleeping_calls", "Dataset: 64 sleeping calls at a time, all", "data_sleeping_calls", ratio=25),
    Row(
        "data_async_calls",
        "Dataset: 1,000 `async def` calls in flight, all",
        "data_async_calls",
        against=None,
        bound=Bound(4, "data_async_bare"),
        bare="data_async_bare",
    ),
    Row("import", "import, and its first name", "import_module", (), 0.45 * S, 13, unloaded=("jax", "scipy", "ray")),
)

# What a form's call may take: so many times faster than TensorFlow, by family in eager code and else by the way.
_EAGER_RATIOS = {"numpy_function": 5.0, "py_function": 60.0}
_OTHER_RATIO = 50.0
# And beside the plain function's call, where the form owes NumPy conversions or TensorFlow has no such form.
_FORM_FACTOR = 2.5


def _form_row(form: forms.Form, family: str, way: str) -> Row:
    """The row of one form, called in one way."""
    name, reference = forms.case_name(form, family, way), forms.case_name(forms.FORMS[0], family, way)
    ratio = _EAGER_RATIOS[family] if way == "eager" else _OTHER_RATIO
    bounded = name != reference and (way == "eager" or not form.in_tensorflow)
    converted = family == "numpy_function" or not form.tensors  # a py_function passes eager tensors as they are
    return Row(
        name,
        f"{family}, {form.title}: {way}",
        name,
        ratio=ratio if form.in_tensorflow and form.held_to_ratio else None,
        against="tensorflow" if form.in_tensorflow else None,
        bound=Bound(_FORM_FACTOR, reference, form.conversions if converted else ()) if bounded else None,
        group="forms",
    )


FORM_ROWS = (
    *(
        Row(name, f"NumPy alone: {title}", name, against=None, group="conversions")
        for name, (title, _) in forms.CONVERSIONS.items()
    ),
    *(_form_row(*parts) for parts in forms.combinations()),
)
ARRAY_ROWS = tuple(
    Row(
        arrays.case_name(program, gradient),
        f"gradient of {program.title}" if gradient else program.title,
        arrays.case_name(program, gradient),
        ratio=program.goal,
        group="arrays",
        bare=f"{arrays.case_name(program, gradient)}_bare",
    )
    for program, gradient in (*arrays.COMBINATIONS, *convolutions.COMBINATIONS)
)
OP_ROWS = tuple(
    Row(f"op_{name}", f"eager {name}", f"op_{name}", seconds=8 * US, ratio=4, group="ops") for name in everyday.OPS
)
LOOP_ROWS, TRAINING_ROWS = (
    tuple(Row(name, title, name, ratio=ratio, group=group) for name, (title, _, ratio) in rows.items())
    for group, rows in (("loops", everyday.LOOPS), ("training steps", everyday.TRAINING))
)
GROUPS = {"ops": OP_ROWS, "loops": LOOP_ROWS, "training": TRAINING_ROWS, "arrays": ARRAY_ROWS}
"""The rows that have tables of their own, by the name of the table."""
ALL_ROWS = tuple(
    row if row.bare else replace(row, bare=bare.case_of(row.case))
    for row in (*ROWS, *FORM_ROWS, *OP_ROWS, *LOOP_ROWS, *TRAINING_ROWS, *ARRAY_ROWS)
)
