"""`tf.data.Dataset`: the fluent form of nodes. Each method makes a node and wraps it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from inlay._src.base.export import export
from inlay._src.base.types import dtypes, nest
from inlay._src.base.types.nest import Composite
from inlay._src.core import context
from inlay._src.core.eager.convert import convert_to_tensor
from inlay._src.core.tensor import Tensor
from inlay._src.data import graph_node_readers
from inlay._src.data.combining import Combining, shared_spec
from inlay._src.data.consuming import Consuming
from inlay._src.data.element import of_tensors
from inlay._src.data.fingerprinting import fingerprint
from inlay._src.data.generating import Generated, signature_of
from inlay._src.data.graph_iterators import IteratorBase, function_iterator, graph_in_force, walk_over
from inlay._src.data.grouping import Grouping
from inlay._src.data.iterating import NumpyIterator, OwnedIterator
from inlay._src.data.keeping import Keeping
from inlay._src.data.legacy import Legacy
from inlay._src.data.node import INFINITE, UNKNOWN, Iteration, Node
from inlay._src.data.options import Options
from inlay._src.data.overlapping import Overlapping
from inlay._src.data.random_numbers import Random
from inlay._src.data.reducing import counted, dataset_tensor, reduced, single
from inlay._src.data.selecting import Selecting
from inlay._src.data.sources import Count, Range, Slices, Tensors
from inlay._src.data.spec import MADE_BY, DatasetArray, DatasetSpec
from inlay._src.data.transforming import Transforming
from inlay._src.data.transforms import Listed
from inlay._src.ops.array import identity, reshape, shape
from inlay._src.ops.control import control_dependencies
from inlay._src.ops.files import matching_files
from inlay._src.ops.joining import stack
from inlay._src.ops.math import greater, maximum
from inlay._src.ops.printing import assert_
from inlay._src.ops.seeds import get_seed
from inlay._src.ops.strings import join, reduce_join

__all__ = ["Dataset"]


@export("data.Dataset")
class Dataset(Transforming, Grouping, Combining, Selecting, Overlapping, Keeping, Consuming, Legacy, Composite):
    """A sequence of elements, made one after the other when it is iterated.

    Elements are tensors, composites, or nests of them; `element_spec` says which. A dataset is never changed: every
    method gives another one.
    """

    # ---- sources

    @classmethod
    def range(cls, *args: Any, **kwargs: Any) -> Dataset:
        """Numbers, as Python's `range` has them.

        Args:
          *args: stop; or start and stop; or start, stop and step: int64 scalars.
          **kwargs: `output_type`, the dtype of the elements, int64 unless said; `name`.

        Raises:
          ValueError: for another number of arguments.
          InvalidArgumentError: if the step is 0.
        """
        kind = dtypes.as_dtype(kwargs.pop("output_type", dtypes.int64))
        kwargs.pop("name", None)
        if kwargs:
            raise TypeError(f"Dataset.range() got unexpected keyword arguments: {sorted(kwargs)}")
        if not 1 <= len(args) <= 3:
            raise ValueError(f"Invalid `args`. The length of `args` should be between 1 and 3 but was {len(args)}.")
        start, stop, step = (0, args[0], 1) if len(args) == 1 else (*args, 1)[:3]
        first, last, apart = (convert_to_tensor(n, dtypes.int64) for n in (start, stop, step))
        return cls._of(Range(first, last, apart, kind))  # type: ignore[no-any-return]

    @classmethod
    def from_tensors(cls, tensors: Any, name: str | None = None) -> Dataset:
        """One element.

        Args:
          tensors: the element: a nest of values that become tensors, or of composites.
          name: accepted.
        """
        return cls._of(Tensors(*of_tensors(tensors)))  # type: ignore[no-any-return]

    @classmethod
    def from_tensor_slices(cls, tensors: Any, name: str | None = None) -> Dataset:
        """The rows of tensors.

        Args:
          tensors: a nest of values that become tensors of rank at least 1, or of composites; all have as many rows. A
            list of datasets gives these.
          name: accepted.

        Raises:
          ValueError: if there is no component, or one has no rows, or another number of them.
        """
        if isinstance(tensors, list) and tensors and all(isinstance(t, Dataset) for t in tensors):
            spec = shared_spec([t.element_spec for t in tensors])
            return cls._of(Listed([t._node for t in tensors], spec))  # type: ignore[no-any-return]
        return cls._of(Slices(*of_tensors(tensors)))  # type: ignore[no-any-return]

    @classmethod
    def from_generator(
        cls,
        generator: Callable[..., Any],
        output_types: Any = None,
        output_shapes: Any = None,
        args: Any = None,
        output_signature: Any = None,
        name: str | None = None,
    ) -> Dataset:
        """The elements of a Python generator.

        Args:
          generator: gives an object that can be iterated; every iteration of the dataset calls it again.
          output_types: a nest of the dtypes of an element's components.
          output_shapes: a nest of their shapes; None leaves them open.
          args: values that become tensors; `generator` is called with their values, NumPy arrays and scalars.
          output_signature: a nest of specs, instead of `output_types` and `output_shapes`.
          name: accepted.

        Raises:
          TypeError: if `generator` cannot be called, or the signature is missing or given twice. While it is
            iterated, for an element that does not fit the signature: the next call goes on behind it.
        """
        if not callable(generator):
            raise TypeError("`generator` must be a Python callable.")
        spec = signature_of(output_types, output_shapes, output_signature)
        given = [] if args is None else [convert_to_tensor(value) for value in args]
        return cls._of(Generated(generator, spec, given))  # type: ignore[no-any-return]

    @classmethod
    def list_files(
        cls, file_pattern: Any, shuffle: bool | None = None, seed: Any = None, name: str | None = None
    ) -> Dataset:
        """The names of the files that match patterns.

        Args:
          file_pattern: a string or several, with `*`, `?` and `[...]`; or a string tensor.
          shuffle: whether they come in random order, another one in every iteration; None is True.
          seed: fixes the order together with `random.set_seed`.
          name: accepted.

        Raises:
          InvalidArgumentError: if no file matches.
        """
        pattern = convert_to_tensor(file_pattern, dtypes.string)
        found = matching_files(pattern)
        text = reduce_join(reshape(pattern, [-1]), separator=", ")
        some = assert_(greater(shape(found)[0], 0), [join(["No files matched pattern: ", text])])
        with control_dependencies([] if some is None else [some]):
            found = identity(found)
        made = cls.from_tensor_slices(found)
        count = maximum(shape(found, out_type=dtypes.int64)[0], np.int64(1))
        return made if shuffle is False else made.shuffle(count, seed=seed)  # type: ignore[no-any-return]

    @classmethod
    def random(
        cls, seed: Any = None, rerandomize_each_iteration: bool | None = None, name: str | None = None
    ) -> Dataset:
        """Random integers in [0, 2**32), as int64, without end.

        Args:
          seed: fixes them together with `random.set_seed`.
          rerandomize_each_iteration: whether every iteration has other numbers.
          name: accepted.
        """
        first, second = get_seed(seed)
        seeds = None if first is None or second is None else (first, second)
        return cls._of(Random(seeds, bool(rerandomize_each_iteration)))  # type: ignore[no-any-return]

    @classmethod
    def counter(cls, start: Any = 0, step: Any = 1, dtype: Any = dtypes.int64, name: str | None = None) -> Dataset:
        """Numbers from `start` on, without end.

        Args:
          start, step: scalars.
          dtype: of the elements.
          name: accepted.
        """
        kind = dtypes.as_dtype(dtype)
        return cls._of(Count(convert_to_tensor(start, kind), convert_to_tensor(step, kind), kind))  # type: ignore[no-any-return]

    # ---- what it is

    def cardinality(self) -> Any:
        """The number of elements as an int64 scalar; INFINITE_CARDINALITY or UNKNOWN_CARDINALITY if it is no number."""
        return counted(self._node, self._options)

    def fingerprint(self) -> Any:
        """A uint64 scalar that tells datasets apart: a hash of what they do, the same in every process.

        Datasets with equal fingerprints have the same elements, as long as the files that they read, and the variables
        and tables that their functions use, hold the same. Others may have the same elements too. It is another
        number than TensorFlow's, and may change with the version.

        Raises:
          UnimplementedError: for a Python function that cannot be pickled, and what else is no data, with the reason.
        """
        return fingerprint(self._node, self._options)

    def options(self) -> Options:
        """Its execution: fields that cannot be set here, see `with_options`."""
        return self._options.fixed()  # type: ignore[no-any-return]

    def with_options(self, options: Options, name: str | None = None) -> Dataset:
        """The same elements, run otherwise.

        Args:
          options: the fields that are set replace those of this dataset.
          name: accepted.
        """
        return self._of(self._node, self._options.merge(options))  # type: ignore[no-any-return]

    def __repr__(self) -> str:
        users_own = type(self).element_spec is not Dataset.element_spec
        return f"<{type(self).__name__ if users_own else self._node.name} element_spec={self.element_spec!r}>"

    def __debug_string__(self) -> str:
        """The dataset and those that it reads, one a line, indented by how deep they are."""
        lines, waiting = [], [(0, self._node)]
        while waiting:
            depth, node = waiting.pop()
            lines.append("--" * depth + repr(self if node is self._node else self._of(node)))
            waiting += [(depth + 1, source) for source in reversed(node.inputs)]
        return "\n".join(lines)

    def __len__(self) -> int:
        """The number of elements.

        Raises:
          TypeError: if it is infinite or not known, or while a graph is built.
        """
        if not context.executing_eagerly():
            raise TypeError(
                "`tf.data.Dataset` only supports `len` in eager mode. Use `tf.data.Dataset.cardinality()` instead."
            )
        found = self._node.cardinality(Iteration(self._options))
        if found == INFINITE:
            raise TypeError("The dataset is infinite.")
        if found == UNKNOWN:
            raise TypeError("The dataset length is unknown.")
        return found

    def __bool__(self) -> bool:
        return True

    # ---- consuming

    def __iter__(self) -> IteratorBase:
        """An iterator: of eager tensors, or of symbolic ones inside a function that is traced.

        Raises:
          RuntimeError: while a graph is built that is no function's.
        """
        graph = graph_in_force()
        if graph is None:
            return OwnedIterator(self._node, self._options)
        if not graph.building_function:
            raise RuntimeError(
                "`tf.data.Dataset` only supports Python-style iteration in eager mode or within tf.function."
            )
        return function_iterator(graph, self._node, self._options)

    def _walk(self) -> Any:
        graph = graph_in_force()
        if graph is None or not graph.building_function:
            return None
        made = function_iterator(graph, self._node, self._options)
        return walk_over(made._handle, self._node.element)._replace(widens=True)

    def as_numpy_iterator(self) -> NumpyIterator:
        """Iterates eagerly: every element is a nest of NumPy arrays and scalars.

        Raises:
          RuntimeError: while a graph is built.
          TypeError: if a component is neither a tensor nor ragged nor sparse.
        """
        if graph_in_force() is not None:
            raise RuntimeError("`tf.data.Dataset.as_numpy_iterator()` is only supported in eager mode.")
        for spec in nest.flatten(self.element_spec):
            if isinstance(spec, DatasetSpec):
                raise TypeError(
                    "`tf.data.Dataset.as_numpy_iterator()` is not supported for datasets that produce values of type "
                    f"{spec.value_type}"
                )
        return NumpyIterator(self)

    def reduce(self, initial_state: Any, reduce_func: Callable[..., Any], name: str | None = None) -> Any:
        """The last state of `state = reduce_func(state, element)`.

        Args:
          initial_state: a nest of values that become tensors.
          reduce_func: gives the next state, nested like it, with the same dtypes.
          name: accepted.

        Raises:
          TypeError: if the state changes its structure or dtypes.
        """
        return reduced(self._node, self._options, initial_state, reduce_func)

    def get_single_element(self, name: str | None = None) -> Any:
        """The only element.

        Raises:
          InvalidArgumentError: if there is none, or more than one.
        """
        return single(self._node, self._options)

    def apply(self, transformation_func: Callable[[Any], Any]) -> Dataset:
        """The result of a function of the dataset.

        Args:
          transformation_func: takes a dataset and returns one.

        Raises:
          TypeError: if it returns something else.
        """
        made = transformation_func(self)
        if not isinstance(made, Dataset):
            raise TypeError(f"`transformation_func` must return a `tf.data.Dataset` object. Got {type(made)}.")
        return made

    # ---- inside

    def __init__(self, node: Any = None, options: Options | None = None) -> None:
        """A dataset of a node; a user's own class, which has an `element_spec`, gives the tensor of another dataset.

        A class written for 1.x gives that tensor by a method `_as_variant_tensor`, which is called here.
        """
        if node is None and hasattr(self, "_as_variant_tensor"):
            node = self._as_variant_tensor()
        if isinstance(node, Tensor) and node.dtype is dtypes.variant:
            if type(self).element_spec is Dataset.element_spec:
                raise TypeError(f"{type(self).__name__} says by a property element_spec what its elements are")
            node = DatasetSpec(self.element_spec)._of_tensor(node)._node
        if not isinstance(node, Node):
            raise TypeError("make a dataset with Dataset.range, from_tensor_slices, from_generator or the like")
        self._node = node
        self._options = options or Options()

    @classmethod
    def _of(cls, node: Node, options: Options | None = None) -> Any:
        return Dataset(node, options)

    def __getattr__(self, name: str) -> Any:
        raise AttributeError(f"'Dataset' object has no attribute {name!r}", name=name, obj=self)

    def _dataset_spec(self) -> DatasetSpec:
        return DatasetSpec(self.element_spec)

    @staticmethod
    def _array(datasets: Sequence[Dataset]) -> DatasetArray:
        """Datasets as one component of an element.

        Raises:
          TypeError, ValueError: if their elements differ in structure or dtypes.
        """
        spec = DatasetSpec(shared_spec([dataset.element_spec for dataset in datasets]), [len(datasets)])
        return DatasetArray(spec, stack([dataset._variant_tensor for dataset in datasets]))

    @property
    def _type_spec(self) -> DatasetSpec:
        return self._dataset_spec()

    @property
    def _variant_tensor(self) -> Any:
        """The tensor that stands for it, which users' own classes of datasets hand on."""
        return dataset_tensor(self._node, self._options)

    def _components(self) -> list[Any]:
        return [dataset_tensor(self._node, self._options)]

    def _rebuild(self, components: Sequence[Any]) -> Any:
        return self._dataset_spec()._of_tensor(components[0])

    def _kind(self) -> Any:
        return self._dataset_spec()


MADE_BY["datasets"] = Dataset
LOADED = (graph_node_readers,)
"""The modules that say how datasets are written and read as parts of graphs."""
INFINITE_CARDINALITY: int = export("data.INFINITE_CARDINALITY", "data.experimental.INFINITE_CARDINALITY")(INFINITE)
UNKNOWN_CARDINALITY: int = export("data.UNKNOWN_CARDINALITY", "data.experimental.UNKNOWN_CARDINALITY")(UNKNOWN)


@export("data.experimental.Counter")
def counter(start: Any = 0, step: Any = 1, dtype: Any = dtypes.int64) -> Dataset:
    """`Dataset.counter` under its older name.

    Args:
      start, step: scalars.
      dtype: of the elements.
    """
    return Dataset.counter(start, step, dtype)
