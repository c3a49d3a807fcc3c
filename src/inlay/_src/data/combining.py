"""The methods of datasets that make one dataset of several."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Self

from inlay._src.base.types import dtypes, nest
from inlay._src.base.types.specs import TensorSpec
from inlay._src.core.eager.convert import convert_to_tensor
from inlay._src.core.graph import static_value_of
from inlay._src.core.tensor import SymbolicTensor
from inlay._src.data.chain import Chain
from inlay._src.data.mapped import Mapped
from inlay._src.data.mixing import Choose, Draws
from inlay._src.data.node import Node
from inlay._src.data.options import Options
from inlay._src.data.resampling import Resample
from inlay._src.data.shuffling import Seeds
from inlay._src.data.sources import LAST, Range, Tensors
from inlay._src.data.transforms import Concatenate, Repeat, Take, Zip
from inlay._src.ops.seeds import get_seed


class Combining(Chain):
    """Methods that every dataset has: see `Dataset`."""

    @classmethod
    def zip(cls, *args: Any, datasets: Any = None, name: str | None = None) -> Self:
        """The elements of several datasets side by side, up to the end of the shortest.

        Args:
          *args: datasets, or nests of them; several are a tuple.
          datasets: the same as one argument.
          name: accepted.

        Raises:
          TypeError: if there is none, if both are given, or if a part is no dataset; a list is none.
        """
        if not args and datasets is None:
            raise TypeError("Must pass at least one dataset to `zip`.")
        if args and datasets is not None:
            raise TypeError("Both `*args` and `datasets` cannot be set.")
        given = datasets if not args else args[0] if len(args) == 1 else args
        parts = nest.flatten(given)
        if _has_list(given):
            raise TypeError(
                "Invalid input to `zip`. Inputs are expected to be (nested) structures of `tf.data.Dataset` objects. "
                "Python `list` is not supported and you should use `tuple` instead."
            )
        for part in parts:
            if not isinstance(part, Chain):
                raise TypeError(
                    "Invalid input to `zip`. Inputs are expected to be (nested) structures of `tf.data.Dataset` "
                    f"objects but encountered object of type {type(part)}."
                )
        spec = nest.pack_sequence_as(given, [part._node.element.spec for part in parts])
        return cls._of(Zip(spec, [part._node for part in parts]), merged(parts))  # type: ignore[no-any-return]

    def concatenate(self, dataset: Chain, name: str | None = None) -> Self:
        """The elements of this dataset, then those of another.

        Args:
          dataset: the other; its elements have the same structure and dtypes.
          name: accepted.

        Raises:
          TypeError: if they do not.
        """
        spec = dataset.element_spec
        try:
            shared = shared_spec([self._node.element.spec, spec])
        except (TypeError, ValueError) as error:
            raise TypeError(f"Incompatible dataset elements:\n  {self._node.element.spec!r} vs.   {spec!r}") from error
        own = self._node
        before = own.inputs if isinstance(own, Concatenate) else (own,)  # a thousand in a row are no thousand stages
        return self._of(Concatenate([*before, dataset._node], shared), merged([self, dataset]))  # type: ignore[no-any-return]

    def enumerate(self, start: Any = 0, name: str | None = None) -> Self:
        """Pairs of a number and an element.

        Args:
          start: the first number, an int64 scalar.
          name: accepted.
        """
        first, last, apart = (convert_to_tensor(n, dtypes.int64) for n in (start, LAST, 1))
        numbers = Range(first, last, apart, dtypes.int64)
        spec = (numbers.element.spec, self._node.element.spec)
        return self._with(Zip(spec, [numbers, self._node]))  # type: ignore[no-any-return]

    @classmethod
    def choose_from_datasets(
        cls, datasets: Sequence[Chain], choice_dataset: Chain, stop_on_empty_dataset: bool = True
    ) -> Self:
        """Elements of several datasets, each of that which another dataset picks.

        Args:
          datasets: the datasets; their elements have the same structure and dtypes.
          choice_dataset: gives the number of one of them for each element, int64 scalars.
          stop_on_empty_dataset: whether it ends when a dataset is picked that has ended; otherwise that is passed over.

        Raises:
          ValueError: if there are no datasets.
          TypeError: if their elements differ, or those of `choice_dataset` are no int64 scalars.
          InvalidArgumentError: while it is iterated, if there is no dataset of a number.
        """
        spec = _alike(datasets)
        if not hasattr(choice_dataset, "_dataset_spec"):
            raise TypeError(
                "Invalid `choice_dataset`. `choice_dataset` should be a `tf.data.Dataset` but is "
                f"{type(choice_dataset)}."
            )
        choice = choice_dataset.element_spec
        if not (
            isinstance(choice, TensorSpec) and choice.dtype is dtypes.int64 and choice.shape.is_compatible_with(())
        ):
            raise TypeError(
                "Invalid `choice_dataset`. Elements of `choice_dataset` must be scalar `tf.int64` tensors but are "
                f"{choice!r}."
            )
        chosen = Choose(choice_dataset._node, [d._node for d in datasets], spec, bool(stop_on_empty_dataset))
        return cls._of(chosen, merged([*datasets, choice_dataset]))  # type: ignore[no-any-return]

    @classmethod
    def sample_from_datasets(
        cls,
        datasets: Sequence[Chain],
        weights: Any = None,
        seed: Any = None,
        stop_on_empty_dataset: bool = False,
        rerandomize_each_iteration: bool | None = None,
    ) -> Self:
        """Elements of several datasets, each of one that is drawn at random.

        Args:
          datasets: the datasets; their elements have the same structure and dtypes.
          weights: the probability of each: a float32 or float64 vector, or a dataset of such; None is equally.
          seed: fixes what is drawn together with `random.set_seed`.
          stop_on_empty_dataset: whether it ends when a dataset is drawn that has ended; otherwise another is drawn.
          rerandomize_each_iteration: whether every iteration draws anew.

        Raises:
          ValueError: if there are no datasets, or another number of weights.
          TypeError: if their elements differ, or the weights are no floats.
        """
        spec = _alike(datasets)
        if not isinstance(weights, Combining):
            given = convert_to_tensor([1.0] * len(datasets) if weights is None else weights)
            if given.dtype not in (dtypes.float32, dtypes.float64):
                raise TypeError(
                    "Invalid `weights`. `weights` type must be either `tf.float32` or `tf.float64` but is "
                    f"{given.dtype}."
                )
            if given.shape.rank is not None and given.shape[0] not in (None, len(datasets)):
                raise ValueError(
                    "Invalid `weights`. `weights` should have the same length as `datasets` but got "
                    f"`len(weights)={given.shape[0]}` vs. `len(datasets)={len(datasets)}`."
                )
            static = static_value_of(given) if isinstance(given, SymbolicTensor) else given.numpy()
            if static is not None:
                likely = [i for i, weight in enumerate(static.tolist()) if weight > 0]
                if not likely:
                    return cls._of(Take(datasets[0]._node, convert_to_tensor(0, dtypes.int64)), merged(datasets))  # type: ignore[no-any-return]
                if len(likely) == 1:
                    return cls._of(datasets[likely[0]]._node, merged(datasets))  # type: ignore[no-any-return]
                datasets = [datasets[i] for i in likely]
                given = convert_to_tensor(static[likely])
            source: Node = Tensors(TensorSpec(given.shape, given.dtype), [given])
            source = Repeat(source, convert_to_tensor(-1, dtypes.int64))
        else:
            source = weights._node
        first, second = get_seed(seed)
        fixed = None if first is None or second is None else (first, second)
        draws = Draws(source, Seeds(fixed, bool(rerandomize_each_iteration)))
        chosen = Choose(draws, [d._node for d in datasets], spec, bool(stop_on_empty_dataset))
        return cls._of(chosen, merged(datasets))  # type: ignore[no-any-return]

    def rejection_resample(
        self,
        class_func: Callable[..., Any],
        target_dist: Any,
        initial_dist: Any = None,
        seed: Any = None,
        name: str | None = None,
    ) -> Self:
        """Elements of classes with wanted frequencies: those of frequent classes are left out at random.

        Args:
          class_func: takes an element; gives the number of its class, an int32 scalar.
          target_dist: the wanted frequency of each class, a float vector.
          initial_dist: the frequency of each class; None counts while it is iterated.
          seed: fixes what is left out together with `random.set_seed`.
          name: accepted.

        Returns:
          A dataset of pairs: class and element.
        """
        first, second = get_seed(seed)
        fixed = None if first is None or second is None else (first, second)
        what = "Dataset.rejection_resample()"
        node = Resample(
            self._node,
            Mapped(class_func, self._node.element, what),
            convert_to_tensor(target_dist),
            None if initial_dist is None else convert_to_tensor(initial_dist),
            Seeds(fixed, True),
        )
        return self._with(node)  # type: ignore[no-any-return]


def _has_list(value: Any) -> bool:
    return isinstance(value, list) or (nest.is_nested(value) and any(_has_list(v) for _, v in nest._items(value)))


def merged(datasets: Sequence[Any]) -> Options:
    """The options of a dataset that is made of several."""
    options = Options()
    for dataset in datasets:
        options = options.merge(dataset._options)
    return options


def shared_spec(specs: Sequence[Any]) -> Any:
    """What holds of the elements of all.

    Raises:
      TypeError, ValueError: if their structures or dtypes differ.
    """
    first, *others = specs
    for other in others:
        nest.assert_same_structure(first, other)
        first = nest.map_structure(_wider, first, other)
    return first


def _alike(datasets: Sequence[Any]) -> Any:
    """What holds of the elements of datasets that one dataset is made of."""
    if not datasets:
        raise ValueError("Invalid `datasets`. `datasets` should not be empty.")
    for i, dataset in enumerate(datasets):
        if not hasattr(dataset, "element_spec"):
            raise TypeError(f"Invalid `datasets`. `datasets` must be datasets, number {i} is {dataset!r}.")
    specs = [dataset.element_spec for dataset in datasets]
    for i, spec in enumerate(specs):
        try:
            shared_spec([specs[0], spec])
        except (TypeError, ValueError) as error:
            raise TypeError(
                f"Invalid `datasets`. `datasets` must have compatible element specs.\n Dataset 0 "
                f"element_spec={specs[0]!r}.\nDataset {i} element_spec={spec!r}."
            ) from error
    return shared_spec(specs)


def _wider(one: Any, two: Any) -> Any:
    """The spec of elements that may be of either of two specs, whatever their names."""
    if isinstance(one, TensorSpec) and isinstance(two, TensorSpec) and one.name != two.name:
        one, two = (TensorSpec(spec.shape, spec.dtype) for spec in (one, two))
    return one.most_specific_compatible_type(two)
