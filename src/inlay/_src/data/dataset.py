"""`tf.data.Dataset`: the fluent form of nodes. Each method makes a node and wraps it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Concatenate, Final, Generic, ParamSpec, TypeVar, overload

from inlay._src.base.export import export
from inlay._src.base.types import dtypes
from inlay._src.base.types.nest import Composite
from inlay._src.core.eager.emit import ANSWERS
from inlay._src.core.pictured import Pictured
from inlay._src.core.tensor import SymbolicTensor, Tensor
from inlay._src.data import (
    batching,
    bucketing,
    caching,
    choosing,
    combining,
    consuming,
    file_names,
    filtering,
    fingerprinting,
    flattening,
    former_nodes,
    generating,
    graph_node_readers,
    grouping,
    interleaving,
    legacy,
    mixing,
    padding,
    parallel,
    prefetching,
    random_numbers,
    rebatching,
    repeating,
    resampling,
    scanning,
    shuffling,
    sources,
    sparse_batching,
    stored,
    storing,
    taking,
    windows,
)
from inlay._src.data.composite_rules import answer
from inlay._src.data.graph_iterators import E_co, IteratorBase, function_iterator, graph_in_force, walk_over
from inlay._src.data.iterating import NumpyIterator, OwnedIterator
from inlay._src.data.node import INFINITE, UNKNOWN, Iteration, Node
from inlay._src.data.options import Options
from inlay._src.data.pipeline import Pipeline, as_method
from inlay._src.data.reducing import counted, dataset_tensor, length, reduced, single
from inlay._src.data.spec import MADE_BY, DatasetSpec, array_of

__all__ = ["Dataset"]

P = ParamSpec("P")
R = TypeVar("R")
if TYPE_CHECKING:
    import numpy as np

    Numbers = Tensor | np.ndarray[Any, Any] | np.generic | list[Any] | int | float | str | bytes
E = TypeVar("E")
A = TypeVar("A")
B = TypeVar("B")
K = TypeVar("K")
Mapped = TypeVar("Mapped", bound="Tensor | tuple[Tensor, ...] | dict[str, Tensor] | tuple[dict[str, Tensor], Tensor]")
"""The values of a mapped function that elements keep; others become tensors."""


def _source(function: Callable[P, Node]) -> classmethod[Dataset, P, Dataset[Tensor]]:
    """A class method for a source of tensors: a function that returns a node."""

    def method(cls: type[Dataset], *args: P.args, **kwargs: P.kwargs) -> Dataset[Tensor]:
        return Dataset(function(*args, **kwargs))

    return classmethod(as_method(method, function))


def _any_source(function: Callable[P, Node]) -> classmethod[Dataset, P, Dataset]:
    """A class method for a source of elements of any kind."""
    return _source(function)


def _same(function: Callable[Concatenate[Node, P], Node]) -> Callable[Concatenate[Dataset[E], P], Dataset[E]]:
    """A method for a transformation whose elements are of the kind of those of the dataset."""
    return _transformation(function)


def _transformation(function: Callable[Concatenate[Node, P], Node]) -> Callable[Concatenate[Dataset, P], Dataset]:
    """A method for a transformation: a function from a node and arguments to a node."""

    def method(self: Dataset, *args: P.args, **kwargs: P.kwargs) -> Dataset:
        return Dataset(function(self._node, *args, **kwargs), self._options)

    return as_method(method, function, passed=1)


def _numbered(
    function: Callable[Concatenate[Node, P], Node],
) -> Callable[Concatenate[Dataset[E], P], Dataset[tuple[Tensor, E]]]:
    """A method for a transformation into pairs of a tensor and an element."""
    return _transformation(function)


def _combination(function: Callable[P, tuple[Node, Options]]) -> classmethod[Dataset, P, Dataset]:
    """A class method for a function of several datasets, which returns a node and merged options."""

    def method(cls: type[Dataset], *args: P.args, **kwargs: P.kwargs) -> Dataset:
        return Dataset(*function(*args, **kwargs))

    return classmethod(as_method(method, function))


def _method(function: Callable[Concatenate[Any, P], R]) -> Callable[Concatenate[Dataset, P], R]:
    """A method for a function of a dataset that returns something else."""

    def method(self: Dataset, *args: P.args, **kwargs: P.kwargs) -> R:
        return function(self, *args, **kwargs)

    return as_method(method, function, passed=1)


@export("data.Dataset")
class Dataset(Pictured, Pipeline, Composite, Generic[E_co]):
    """A sequence of elements, made one after the other when it is iterated.

    Elements are tensors, composites, or nests of them; `element_spec` is their spec. A dataset is immutable: methods
    return other datasets.
    """

    _picture_kind = "dataset"

    # ---- sources

    from_tensors: Final = _any_source(sources.from_tensors)
    from_generator: Final = _any_source(generating.from_generator)
    load: Final = _any_source(stored.load)
    range: Final = _source(sources.range_)
    counter: Final = _source(sources.counter)
    from_sparse_tensor_slices: Final = _any_source(legacy.from_sparse_tensor_slices)
    list_files: Final = _source(file_names.list_files)
    random: Final = _source(random_numbers.random)

    # ---- transformations

    batch: Final = _same(batching.batch)
    bucket_by_sequence_length: Final = _transformation(bucketing.bucket_by_sequence_length)
    cache: Final = _same(caching.cache)
    filter: Final = _same(filtering.filter_)
    filter_with_legacy_function: Final = _same(filtering.filter_with_legacy_function)
    flat_map: Final = _transformation(flattening.flat_map)
    group_by_window: Final = _transformation(grouping.group_by_window)
    ignore_errors: Final = _same(choosing.ignore_errors)
    interleave: Final = _transformation(interleaving.interleave)
    map_with_legacy_function: Final = _transformation(parallel.map_with_legacy_function)
    padded_batch: Final = _same(padding.padded_batch)
    prefetch: Final = _same(prefetching.prefetch)
    ragged_batch: Final = _transformation(batching.ragged_batch)
    rebatch: Final = _same(rebatching.rebatch)
    rejection_resample: Final = _transformation(resampling.rejection_resample)
    repeat: Final = _same(repeating.repeat)
    scan: Final = _transformation(scanning.scan)
    shard: Final = _same(choosing.shard)
    shuffle: Final = _same(shuffling.shuffle)
    skip: Final = _same(taking.skip)
    snapshot: Final = _same(stored.snapshot)
    sparse_batch: Final = _transformation(sparse_batching.sparse_batch)
    take: Final = _same(taking.take)
    take_while: Final = _same(filtering.take_while)
    unbatch: Final = _transformation(batching.unbatch)
    unique: Final = _same(choosing.unique)
    window: Final = _transformation(windows.window)
    enumerate: Final = _numbered(combining.enumerate_)

    # ---- several datasets

    choose_from_datasets: Final = _combination(mixing.choose_from_datasets)
    sample_from_datasets: Final = _combination(mixing.sample_from_datasets)

    def concatenate(self: Dataset[E], dataset: Dataset[E], name: str | None = None) -> Dataset[E]:
        """The elements of this dataset, then those of another.

        Args:
          dataset: the other dataset; its elements have the same structure and dtypes.
          name: accepted.

        Raises:
          TypeError: if structures or dtypes differ.
        """
        return Dataset(*combining.concatenate(self, dataset))

    # ---- methods whose elements follow from their arguments

    @overload
    @classmethod
    def from_tensor_slices(cls, tensors: Numbers, name: str | None = None) -> Dataset[Tensor]: ...
    @overload
    @classmethod
    def from_tensor_slices(
        cls, tensors: tuple[Numbers, Numbers], name: str | None = None
    ) -> Dataset[tuple[Tensor, Tensor]]: ...
    @overload
    @classmethod
    def from_tensor_slices(cls, tensors: Mapping[K, Numbers], name: str | None = None) -> Dataset[dict[K, Tensor]]: ...
    @overload
    @classmethod
    def from_tensor_slices(cls, tensors: Any, name: str | None = None) -> Dataset: ...
    @classmethod
    def from_tensor_slices(cls, tensors: Any, name: str | None = None) -> Dataset:
        """The rows of tensors, one per element.

        Args:
          tensors: a nest of values that become tensors of rank at least 1, or of composites; all have the same number
            of rows. The elements of a list of datasets are these datasets.
          name: accepted.

        Raises:
          ValueError: if there is no component, if a component is a scalar, or if numbers of rows differ.
        """
        return Dataset(sources.from_tensor_slices(tensors))

    @overload
    def map(
        self: Dataset[tuple[A, B]], map_func: Callable[[A, B], Mapped], num_parallel_calls: Any = None,
        deterministic: bool | None = None, synchronous: bool | None = None, use_unbounded_threadpool: bool = False,
        name: str | None = None, *, executor: Any = None, batch: int | None = None,
    ) -> Dataset[Mapped]: ...  # fmt: skip
    @overload
    def map(
        self: Dataset[E], map_func: Callable[[E], Mapped], num_parallel_calls: Any = None,
        deterministic: bool | None = None, synchronous: bool | None = None, use_unbounded_threadpool: bool = False,
        name: str | None = None, *, executor: Any = None, batch: int | None = None,
    ) -> Dataset[Mapped]: ...  # fmt: skip
    @overload
    def map(
        self, map_func: Callable[..., Any], num_parallel_calls: Any = None,
        deterministic: bool | None = None, synchronous: bool | None = None, use_unbounded_threadpool: bool = False,
        name: str | None = None, *, executor: Any = None, batch: int | None = None,
    ) -> Dataset: ...  # fmt: skip
    def map(
        self, map_func: Callable[..., Any], num_parallel_calls: Any = None,
        deterministic: bool | None = None, synchronous: bool | None = None, use_unbounded_threadpool: bool = False,
        name: str | None = None, *, executor: Any = None, batch: int | None = None,
    ) -> Dataset:  # fmt: skip
        """Applies a function to each element.

        Without `num_parallel_calls` and `executor` the function runs on demand, in the thread of the consumer.

        ```python
        squares = tf.data.Dataset.range(4).map(lambda x: x * x)
        print([int(x) for x in squares])  # [0, 1, 4, 9]
        ```

        Args:
          map_func: takes an element, the components of a tuple as separate arguments. It is traced once. Its
            result is the new element; a list becomes a tuple.
          num_parallel_calls: the number of elements processed concurrently; AUTOTUNE chooses.
          deterministic: whether concurrent calls keep the order; None takes the option of that name.
          synchronous: True runs the function in the thread of the consumer, whatever the other arguments are.
          use_unbounded_threadpool, name: accepted.
          executor: the executor that runs the whole function: "inline", "threads", "processes", "ray", an executor with
            options such as `tf.Processes(workers=4)`, or any `concurrent.futures.Executor`; None takes threads. "auto"
            lets AUTOTUNE leave the process, if all host functions are `stateful=False`. A function for other
            processes is sent once, and called on several small elements at a time. Its random values depend on the
            element's index, so that results are equal wherever it runs.
          batch: the number of elements per call. They are stacked along a new first axis, and must have equal shapes;
            the last call may have fewer. The function returns as many rows, which are the new elements.

        Raises:
          TypeError: if the result of the function is no element, if `executor` is no executor, or if the function
            captures a value that cannot be sent to it, such as a variable.
          ValueError: if there is no executor of that name, or if it may run a function with effects twice.
        """
        return self._with(
            parallel.map_(
                self._node, map_func, num_parallel_calls, deterministic, synchronous, executor=executor, batch=batch
            )
        )

    @overload
    @classmethod
    def zip(cls, one: Dataset[A], two: Dataset[B], /, *, name: str | None = None) -> Dataset[tuple[A, B]]: ...
    @overload
    @classmethod
    def zip(cls, datasets: tuple[Dataset[A], Dataset[B]], /, *, name: str | None = None) -> Dataset[tuple[A, B]]: ...
    @overload
    @classmethod
    def zip(cls, *args: Any, datasets: Any = None, name: str | None = None) -> Dataset: ...
    @classmethod
    def zip(cls, *args: Any, datasets: Any = None, name: str | None = None) -> Dataset:
        """Combines corresponding elements of several datasets, up to the end of the shortest.

        Args:
          *args: a nest of datasets, or several datasets, which stand for a tuple.
          datasets: the nest as one argument.
          name: accepted.

        Raises:
          TypeError: if no dataset or both arguments are given, or if a leaf is no dataset; lists are not nests here.
        """
        return Dataset(*combining.zip_(*args, datasets=datasets))

    # ---- elements outside of datasets

    as_jax_iterator: Final = _method(consuming.as_jax_iterator)
    as_keras_adapter: Final = _method(consuming.as_keras_adapter)
    as_torch_dataset: Final = _method(consuming.as_torch_dataset)
    save: Final = _method(storing.save)
    stats: Final = _method(consuming.stats)
    fingerprint: Final = _method(fingerprinting.fingerprint)

    # ---- 1.x

    make_one_shot_iterator: Final = _method(legacy.make_one_shot_iterator)
    make_initializable_iterator: Final = _method(legacy.make_initializable_iterator)

    @property
    def output_types(self) -> Any:
        """A nest of the dtypes of the components."""
        return legacy.get_output_types(self)

    @property
    def output_shapes(self) -> Any:
        """A nest of the partial shapes of the components."""
        return legacy.get_output_shapes(self)

    @property
    def output_classes(self) -> Any:
        """A nest of the classes of the components."""
        return legacy.get_output_classes(self)

    # ---- what it is

    def cardinality(self) -> Tensor:
        """The number of elements, an int64 scalar; it may be INFINITE_CARDINALITY or UNKNOWN_CARDINALITY."""
        return counted(self._node, self._options)

    def options(self) -> Options:
        """The options of its execution, which are read-only; see `with_options`."""
        return self._options.fixed()  # type: ignore[no-any-return]

    def with_options(self, options: Options, name: str | None = None) -> Dataset[E_co]:
        """The dataset with other options of execution.

        Args:
          options: fields that are set replace those of this dataset.
          name: accepted.
        """
        return self._of(self._node, self._options.merge(options))  # type: ignore[no-any-return]

    def __repr__(self) -> str:
        users_own = type(self).element_spec is not Dataset.element_spec
        return f"<{type(self).__name__ if users_own else self._node.name} element_spec={self.element_spec!r}>"

    def __len__(self) -> int:
        """The number of elements.

        Raises:
          TypeError: if it is infinite or not known, or while a graph is built.
        """
        return length(self._node, self._options)

    def __bool__(self) -> bool:
        return True

    # ---- consuming

    def __iter__(self) -> IteratorBase[E_co]:
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
        iterator = function_iterator(graph, self._node, self._options)
        return walk_over(iterator._handle, self._node.element)._replace(widens=True)

    def as_numpy_iterator(self) -> NumpyIterator:
        """An eager iterator whose elements are nests of NumPy arrays and scalars.

        Raises:
          RuntimeError: if a graph is being built.
          TypeError: if a component is neither a dense nor a ragged nor a sparse tensor.
        """
        return NumpyIterator(self)

    @overload
    def reduce(self, initial_state: Numbers, reduce_func: Callable[..., Any], name: str | None = ...) -> Tensor: ...
    @overload
    def reduce(self, initial_state: Any, reduce_func: Callable[..., Any], name: str | None = ...) -> Any: ...
    def reduce(self, initial_state: Any, reduce_func: Callable[..., Any], name: str | None = None) -> Any:
        """Reduces the elements to a state by `state = reduce_func(state, element)`.

        Args:
          initial_state: a nest of values that become tensors.
          reduce_func: takes a state and an element; returns the next state, of the same structure and dtypes.
          name: accepted.

        Raises:
          TypeError: if the state changes its structure or dtypes.
        """
        return reduced(self._node, self._options, initial_state, reduce_func)

    def get_single_element(self, name: str | None = None) -> E_co:
        """The element of a dataset that has exactly one.

        Args:
          name: accepted.

        Raises:
          InvalidArgumentError: if there is no element, or more than one.
        """
        return single(self._node, self._options)

    def apply(self, transformation_func: Callable[[Any], Dataset[E]]) -> Dataset[E]:
        """Applies a function to the dataset.

        Args:
          transformation_func: takes a dataset and returns one.

        Raises:
          TypeError: if it returns something else.
        """
        result = transformation_func(self)
        if not isinstance(result, Dataset):
            raise TypeError(f"`transformation_func` must return a `tf.data.Dataset` object. Got {type(result)}.")
        return result

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
        if not any(isinstance(tensor, SymbolicTensor) for tensor in node.tensors):
            node.check(Iteration(self._options))

    @classmethod
    def _of(cls, node: Node, options: Options | None = None) -> Any:
        return Dataset(node, options)

    def _dataset_spec(self) -> DatasetSpec:
        return DatasetSpec(self.element_spec)

    _array: Final = staticmethod(array_of)

    @property
    def _type_spec(self) -> DatasetSpec:
        return self._dataset_spec()

    @property
    def _variant_tensor(self) -> Any:
        """The variant tensor of the dataset, which users' own classes of datasets pass on."""
        return dataset_tensor(self._node, self._options)

    def _components(self) -> list[Any]:
        return [dataset_tensor(self._node, self._options)]

    def _rebuild(self, components: Sequence[Any]) -> Any:
        return self._dataset_spec()._of_tensor(components[0])

    def _kind(self) -> Any:
        return self._dataset_spec()


MADE_BY["datasets"] = Dataset
ANSWERS[Dataset] = answer
LOADED = (former_nodes, graph_node_readers)
"""The modules that write datasets to graphs and read them, and that of nodes which only stored graphs have."""
INFINITE_CARDINALITY: int = export("data.INFINITE_CARDINALITY", "data.experimental.INFINITE_CARDINALITY")(INFINITE)
UNKNOWN_CARDINALITY: int = export("data.UNKNOWN_CARDINALITY", "data.experimental.UNKNOWN_CARDINALITY")(UNKNOWN)
