"""Names of PyTorch, NumPy, JAX and other TensorFlows that programs ask for, with the equivalent here.

`FOREIGN` lists them by the public path of a class or a namespace. A namespace reads its rows when a lookup fails
(`export.namespace`). A public class gets an `AbsentMember` for each of its rows, which `export` attaches: the class
needs no `__getattr__`, which would slow every lookup.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NoReturn

_NO_GRAD = "gradients are recorded by tf.GradientTape alone; tape.stop_recording() pauses it"
_DEVICE = "place the ops with `with tf.device(...)`"
_ONE_SHOT = "iter(dataset)"
_REDUCED = {name: f"tf.reduce_{name}" for name in ("all", "any", "max", "mean", "min", "prod", "sum")}


def _casts(value: str) -> dict[str, str]:
    """The conversions that PyTorch has a method for -> `tf.cast` of a value to the dtype."""
    dtypes = {"half": "float16", "float": "float32", "double": "float64", "int": "int32", "long": "int64"}
    return {name: f"tf.cast({value}, tf.{dtype})" for name, dtype in dtypes.items()}


_VALUES: dict[str, str] = {
    **{name: f"tf.reduce_{name}(x)" for name in ("all", "any", "prod", "sum")},
    **_casts("x"),
    "abs": "tf.abs(x)",
    "add": "x + y",
    "argmax": "tf.argmax(x, axis)",
    "argmin": "tf.argmin(x, axis)",
    "argsort": "tf.argsort(x)",
    "backward": "with tf.GradientTape() as tape: ...; tape.gradient(y, x)",
    "bool": "tf.cast(x, tf.bool)",
    "clamp": "tf.clip_by_value(x, low, high)",
    "clone": "tf.identity(x)",
    "contiguous": "arrays are contiguous where it counts: leave it out",
    "copy": "tf.identity(x); .numpy().copy() copies the array",
    "cuda": _DEVICE,
    "cumsum": "tf.cumsum(x)",
    "detach": "tf.stop_gradient(x)",
    "dim": "x.shape.rank",
    "dot": "tf.tensordot(x, y, axes=1)",
    "exp": "tf.exp(x)",
    "expand": "tf.broadcast_to(x, shape)",
    "fill": "tf.fill(x.shape, value)",
    "grad": "with tf.GradientTape() as tape: ...; tape.gradient(y, x)",
    "is_cuda": "x.device",
    "log": "tf.math.log(x)",
    "masked_fill": "tf.where(mask, value, x)",
    "matmul": "x @ y",
    "mm": "x @ y",
    "mul": "x * y",
    "nbytes": ".numpy().nbytes",
    "nelement": "tf.size(x)",
    "nonzero": "tf.where(x)",
    "norm": "tf.norm(x)",
    "numel": "tf.size(x)",
    "permute": "tf.transpose(x, permutation)",
    "pow": "x ** y",
    "repeat": "tf.repeat(x, repeats, axis), and tf.tile(x, multiples) for PyTorch's",
    "requires_grad": "a tape watches trainable variables; tape.watch(x) adds a tensor",
    "requires_grad_": "a tape watches trainable variables; tape.watch(x) adds a tensor",
    "round": "tf.round(x)",
    "sort": "tf.sort(x)",
    "split": "tf.split(x, sizes, axis)",
    "sqrt": "tf.sqrt(x)",
    "squeeze": "tf.squeeze(x)",
    "std": "tf.math.reduce_std(x)",
    "swapaxes": "tf.transpose(x, permutation)",
    "t": "tf.transpose(x)",
    "take": "tf.gather(x, indices)",
    "to": f"tf.cast(x, dtype); {_DEVICE}",
    "to_numpy": ".numpy()",
    "topk": "tf.math.top_k(x, k)",
    "type": "x.dtype, and tf.cast(x, dtype) to convert",
    "unsqueeze": "tf.expand_dims(x, axis)",
    "var": "tf.math.reduce_variance(x)",
    "view": "tf.reshape(x, shape)",
}
"""Members of tensors and variables in other libraries; `ops.operators` has NumPy's that are TensorFlow's on request."""

_DATASETS: dict[str, str] = {
    "as_numpy": "dataset.as_numpy_iterator()",
    "collect": "list(dataset.as_numpy_iterator())",
    "columns": "dataset.element_spec",
    "concat": "dataset.concatenate(other)",
    "flatten": "dataset.unbatch()",
    "foreach": "for element in dataset: ...",
    "for_each": "for element in dataset: ...",
    "from_array": "Dataset.from_tensor_slices(array)",
    "from_dict": "Dataset.from_tensor_slices(dictionary)",
    "from_dataframe": "Dataset.from_tensor_slices(dict(frame))",
    "from_iterable": "Dataset.from_generator(lambda: iterable, output_signature=...)",
    "from_list": "Dataset.from_tensor_slices(list)",
    "from_numpy": "Dataset.from_tensor_slices(array)",
    "from_pandas": "Dataset.from_tensor_slices(dict(frame))",
    "from_sequence": "Dataset.from_tensor_slices(list)",
    "from_tensor": "Dataset.from_tensors(tensor) for one element, Dataset.from_tensor_slices(tensor) for its rows",
    "get_next": "next(iter(dataset))",
    "head": "dataset.take(count)",
    "iter": _ONE_SHOT,
    "iterator": _ONE_SHOT,
    "len": "dataset.cardinality(), or len(dataset)",
    "length": "dataset.cardinality(), or len(dataset)",
    "limit": "dataset.take(count)",
    "next": "next(iter(dataset))",
    "num_elements": "dataset.cardinality()",
    "numpy": "dataset.as_numpy_iterator()",
    "select": "dataset.map(function)",
    "shape": "dataset.element_spec",
    "size": "dataset.cardinality(), or len(dataset)",
    "sort": "datasets keep their order: sort the arrays before",
    "split": "dataset.take(count) and dataset.skip(count)",
    "tail": "dataset.skip(count)",
    "to_list": "list(dataset.as_numpy_iterator())",
    "to_numpy": "dataset.as_numpy_iterator()",
    "to_tensor": "dataset.batch(size).get_single_element()",
    "tolist": "list(dataset.as_numpy_iterator())",
    "unique_values": "dataset.unique()",
}

FOREIGN: Mapping[str, Mapping[str, str]] = {
    "": {
        **_REDUCED,
        "absolute": "tf.abs",
        "allclose": "tf.experimental.numpy.allclose",
        "amax": "tf.reduce_max",
        "amin": "tf.reduce_min",
        "arange": "tf.range",
        "array": "tf.constant",
        "as_tensor": "tf.convert_to_tensor",
        "asarray": "tf.convert_to_tensor",
        "astype": "tf.cast",
        "bmm": "tf.matmul",
        "cat": "tf.concat",
        "clamp": "tf.clip_by_value",
        "clip": "tf.clip_by_value",
        "concatenate": "tf.concat",
        "device_put": "with tf.device(...)",
        "dot": "tf.tensordot(x, y, axes=1)",
        "empty": "tf.zeros",
        "flip": "tf.reverse",
        "float": "tf.float32",
        "from_numpy": "tf.constant",
        "full": "tf.fill",
        "grad": "tf.GradientTape, or tf.gradients in a graph",
        "hstack": "tf.concat(values, axis=1)",
        "int": "tf.int32",
        "inf": "float('inf')",
        "jit": "tf.function(jit_compile=True)",
        "load": "tf.train.Checkpoint, or tf.saved_model.load",
        "long": "tf.int64",
        "manual_seed": "tf.random.set_seed",
        "mm": "tf.matmul",
        "nan": "float('nan')",
        "ndarray": "tf.Tensor",
        "no_grad": _NO_GRAD,
        "numpy": "tf.experimental.numpy",
        "permute": "tf.transpose",
        "pi": "math.pi of Python",
        "pmap": "tf.distribute, or an executor of tf.py_function",
        "rand": "tf.random.uniform(shape)",
        "randint": "tf.random.uniform(shape, low, high, tf.int32)",
        "randn": "tf.random.normal(shape)",
        "randperm": "tf.random.shuffle(tf.range(n))",
        "relu": "tf.nn.relu",
        "save": "tf.train.Checkpoint, or tf.saved_model.save",
        "softmax": "tf.nn.softmax",
        "std": "tf.math.reduce_std",
        "tensor": "tf.constant",
        "topk": "tf.math.top_k",
        "unsqueeze": "tf.expand_dims",
        "value_and_grad": "tf.GradientTape",
        "var": "tf.math.reduce_variance",
        "vmap": "tf.vectorized_map(function, values)",
        "vstack": "tf.concat(values, axis=0)",
    },
    "math": _REDUCED,
    "nn": {"Module": "tf.Module", "Parameter": "tf.Variable", "sigmoid_": "tf.sigmoid"},
    "random": {
        "PRNGKey": "tf.random.Generator, or a seed of two integers for tf.random.stateless_normal and its like",
        "choice": "tf.random.shuffle(x)[:count]",
        "key": "tf.random.Generator, or a seed of two integers for tf.random.stateless_normal and its like",
        "manual_seed": "tf.random.set_seed",
        "permutation": "tf.random.shuffle",
        "rand": "tf.random.uniform(shape)",
        "randint": "tf.random.uniform(shape, low, high, tf.int32)",
        "randn": "tf.random.normal(shape)",
        "seed": "tf.random.set_seed",
    },
    "Tensor": {
        **_VALUES,
        "numpy": "a symbolic tensor has no value before it runs: session.run(x), or tf.py_function to compute with it",
    },
    "Variable": {
        **_VALUES,
        "add_": "variable.assign_add(value)",
        "copy_": "variable.assign(value)",
        "cpu": _DEVICE,
        "fill_": "variable.assign(tf.fill(variable.shape, value))",
        "get": "variable.read_value()",
        "set": "variable.assign(value)",
        "set_value": "variable.assign(value)",
        "sub_": "variable.assign_sub(value)",
        "update": "variable.assign(value)",
        "zero_": "variable.assign(tf.zeros_like(variable))",
    },
    "data.Dataset": _DATASETS,
    "Session": {
        "compute": "session.run(fetches)",
        "eval": "session.run(fetches)",
        "evaluate": "session.run(fetches)",
        "execute": "session.run(fetches)",
        "fit": "a loop of session.run(train_op)",
        "initialize": "session.run(tf.compat.v1.global_variables_initializer())",
        "restore": "tf.compat.v1.train.Saver().restore(session, path)",
        "save": "tf.compat.v1.train.Saver().save(session, path)",
    },
    "Graph": {
        "add_node": "call ops under `with graph.as_default():`",
        "compile": "graph.finalize() ends building; a session compiles what it runs",
        "get_node": "graph.get_operation_by_name(name)",
        "get_operation": "graph.get_operation_by_name(name)",
        "get_tensor": "graph.get_tensor_by_name(name)",
        "operations": "graph.get_operations()",
        "ops": "graph.get_operations()",
        "run": "tf.compat.v1.Session(graph=graph).run(fetches)",
        "session": "tf.compat.v1.Session(graph=graph)",
        "tensors": "the outputs of graph.get_operations()",
    },
}
"""Public path of a class or a namespace -> foreign name -> the equivalent, in the words of the message."""


class AbsentMember:
    """A member that a class does not have: the error says what to use instead.

    `hasattr` is false of it, and an attribute of the instance or of a derived class takes its place.

    Args:
      name: the member.
      advice: the end of the message, with the punctuation before it.
    """

    def __init__(self, name: str, advice: str) -> None:
        self.name, self.advice = name, advice

    def __get__(self, holder: Any, kind: type) -> NoReturn:
        what = f"type object {kind.__name__!r}" if holder is None else f"{kind.__name__!r} object"
        text = f"{what} has no attribute {self.name!r}{self.advice}"
        raise AttributeError(text, name=None, obj=holder)  # with a name Python would derive a suggestion besides


def attach(cls: type, path: str) -> None:
    """Gives a public class the errors of its foreign names.

    Args:
      cls: the class.
      path: its public path.
    """
    rows = FOREIGN.get(path)
    if rows is None:
        return
    for name, advice in rows.items():
        assert not hasattr(cls, name), f"{path} has a member {name!r}"
        setattr(cls, name, AbsentMember(name, f": {advice}"))
    cls.__dir__ = _present  # type: ignore[method-assign, assignment]


def _present(self: Any) -> list[str]:
    """The attributes that an object has: `dir` lists them, and with it completions and Python's suggestions."""
    kind = type(self)
    absent = {name for cls in kind.__mro__ for name, value in vars(cls).items() if isinstance(value, AbsentMember)}
    names = object.__dir__(self)
    return [name for name in names if name not in absent or hasattr(self, name)]
