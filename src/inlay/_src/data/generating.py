"""Elements that a Python generator yields."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np

from inlay._src.base import errors
from inlay._src.base.interpreter import ownership
from inlay._src.base.types import dtypes, nest, shapes
from inlay._src.base.types.nest import composite_of
from inlay._src.base.types.specs import TensorSpec, TypeSpec, spec_of
from inlay._src.core.devices.device_tensor import value_of
from inlay._src.core.eager.convert import convert_to_tensor
from inlay._src.core.site import of_function
from inlay._src.core.tensor import EagerTensor, SymbolicTensor
from inlay._src.data.element import Values, values_of
from inlay._src.data.graph_rows import CAPTURES, graph_form
from inlay._src.data.node import Cursor, Iteration, Node, unresumable
from inlay._src.data.spec import Bound, DatasetSpec
from inlay._src.host.convert import fitted, numpy_argument


def signature_of(output_types: Any, output_shapes: Any, output_signature: Any) -> Any:
    """The spec of the elements, from what `from_generator` was given.

    Raises:
      TypeError: if too much or too little was.
    """
    if output_signature is None:
        if output_types is None:
            raise TypeError(
                "To specify the output signature you need to provide either the `output_signature` argument or the "
                "`output_types` argument."
            )
        return _typed(output_types, output_shapes)
    for name, argument in (("output_types", output_types), ("output_shapes", output_shapes)):
        if argument is not None:
            raise TypeError(f"The `{name}` argument can not be used together with the `output_signature` argument.")
    return _checked(output_signature)


def _typed(types: Any, sizes: Any) -> Any:
    if nest.is_nested(types) and not isinstance(types, list):
        parts = [None] * len(nest._items(types)) if sizes is None else [part for _, part in nest._items(sizes)]
        if len(parts) != len(nest._items(types)):
            raise TypeError(f"the shapes {sizes!r} are not nested like the dtypes {types!r}")
        pairs = zip(nest._items(types), parts, strict=True)
        return nest._like(types, [_typed(kind, part) for (_, kind), part in pairs])
    return TensorSpec(shapes.as_shape(sizes), dtypes.as_dtype(types))


def _checked(signature: Any) -> Any:
    if nest.is_nested(signature) and not isinstance(signature, (list, TypeSpec)):
        return nest._like(signature, [_checked(part) for _, part in nest._items(signature)])
    if not isinstance(signature, TypeSpec):
        raise TypeError(
            f"`output_signature` must contain objects that are subclass of `tf.TypeSpec` but found {type(signature)} "
            "which is not."
        )
    return signature


@graph_form("", CAPTURES, {"function": object, "label": str}, inputs=0)
class GeneratedNode(Node):
    """The elements of a generator; each iteration calls the function that makes it again.

    Args:
      function: gives an object that can be iterated.
      spec: of the elements.
      args: the tensors whose values it is called with.
    """

    __slots__ = ("function", "label")
    name = "_FlatMapDataset"

    def __init__(self, function: Callable[..., Any], spec: Any, args: Sequence[Any]) -> None:
        super().__init__(spec, (), args)
        self.function, self.label = function, of_function(function)

    def cursor(self, iteration: Iteration) -> Cursor:
        return GeneratedCursor(self, iteration)


def _iterator_of(value: Any) -> Iterator[Any]:
    """The iterator of what a generator function returned.

    Raises:
      TypeError: if it is not iterable.
    """
    try:
        return iter(value)
    except TypeError as error:
        if hasattr(type(value), "__iter__"):
            raise  # the user's own
        raise TypeError(str(error)) from None


class GeneratedCursor(Cursor):
    """One iteration of `GeneratedNode`. The generator is made for the first element, and dropped when it has ended."""

    __slots__ = ("_count", "_iteration", "_iterator", "_node", "_one")

    def __init__(self, node: GeneratedNode, iteration: Iteration) -> None:
        super().__init__()
        self._node, self._iteration = node, iteration
        self._iterator: Iterator[Any] | None = None
        self._count = 0
        self._one = node.element.spec.__class__ is TensorSpec

    def __next__(self) -> Values:
        if self._count < 0:
            raise StopIteration
        try:
            if self._iterator is None:
                arguments = [numpy_argument(v) for v in self._iteration.values(self._node.tensors)]
                self._iterator = _iterator_of(self._node.function(*arguments))
            box = [next(self._iterator)]
        except StopIteration:
            self.close()
            raise
        except errors.PASS_THROUGH:
            raise
        except BaseException as error:
            raised = errors.wrap(error, f"  raised in generator {self._node.label}, for element {self._count}")
            if isinstance(raised, errors.OutOfRangeError):  # it would be taken for the end of the dataset
                raised = errors.UnknownError(None, None, str(raised))
            if self._iterator is None:
                self.close()
            raise raised from raised.__cause__ or error
        self._count += 1
        try:
            return self._values(box)
        except TypeError as error:
            text = f"{error}\n  element {self._count - 1} of generator {self._node.label}"
            raise errors.refused(errors.InvalidArgumentError, TypeError, text) from error.__cause__

    def _values(self, box: list[Any]) -> Values:
        """The values of what was yielded, which `box` holds.

        Raises:
          TypeError: if it does not fit the declared spec.
        """
        spec = self._node.element.spec
        if self._one:
            return [_tensor_value(box, spec)]
        item = box.pop()
        try:
            parts = nest.flatten_up_to(spec, item)
        except (TypeError, ValueError) as error:
            raise _unlike(spec, item) from error
        del item
        out: Values = []
        for i, wanted in enumerate(nest.flatten(spec)):
            if wanted.__class__ is TensorSpec:
                alone, parts[i] = [parts[i]], None
                out.append(_tensor_value(alone, wanted))
            else:
                out += self._composite(parts[i], wanted)
        return out

    def _composite(self, part: Any, wanted: Any) -> Values:
        if isinstance(wanted, DatasetSpec) and hasattr(part, "_dataset_spec"):
            spec: Any = part._dataset_spec()
            if wanted.is_compatible_with(spec):
                return [Bound(part._node, self._iteration)]
        elif composite_of(part) is not None and wanted.is_compatible_with(part):
            return values_of(part._components())
        elif nest.is_nested(part):
            raise _unlike(wanted, part)
        else:
            spec = getattr(part, "_type_spec", None) or spec_of(part) or type(part)
        raise TypeError(f"`generator` yielded an element of {spec} where an element of {wanted} was expected.")

    def state(self) -> Any:
        raise unresumable("Dataset.from_generator", f"only the generator {self._node.label} knows its position")

    def restore(self, state: Any) -> None:
        self.state()

    def close(self) -> None:
        self._iterator, self._count = None, -1


def _unlike(spec: Any, item: Any) -> TypeError:
    """The error for an element that is nested in another way; the specs of tensors are said by their types."""
    plain = all(s.__class__ is TensorSpec for s in nest.flatten(spec))
    return TypeError(
        "`generator` yielded an element that did not match the expected structure. The expected structure was "
        f"{nest.map_structure(lambda s: s.dtype, spec) if plain else spec}, but the yielded element was {item}."
    )


def _tensor_value(box: list[Any], spec: TensorSpec) -> Any:
    """The value of a component that is a tensor.

    Args:
      box: holds it, and it alone if nobody else does; it is emptied, so that an array of its own is not copied.
      spec: the spec that the component must satisfy.

    Raises:
      TypeError: if it does not.
    """
    item, kind = box[0], spec.dtype
    if item.__class__ is not np.ndarray or item.dtype is not kind.np or kind is dtypes.string:
        if isinstance(item, EagerTensor):
            item = value_of(item)
        try:
            if isinstance(item, SymbolicTensor):
                raise TypeError("a symbolic tensor has no value")
            box[0] = fitted(item, kind)
        except (TypeError, ValueError) as error:
            raise TypeError(
                "`generator` yielded an element that could not be converted to the expected type. The expected type "
                f"was {kind.name}, but the yielded element was {item}."
            ) from error
    del item
    shape = np.shape(box[0])
    if not shapes.compatible(shape, spec.shape._dims):
        raise TypeError(
            f"`generator` yielded an element of shape {shape} where an element of shape {spec.shape} was expected."
        )
    return ownership.own(box)


def from_generator(
    generator: Callable[..., Any],
    output_types: Any = None,
    output_shapes: Any = None,
    args: Any = None,
    output_signature: Any = None,
    name: str | None = None,
) -> Node:
    """The elements of a Python generator.

    Args:
      generator: returns an iterable; every iteration of the dataset calls it again.
      output_types: a nest of the dtypes of an element's components.
      output_shapes: a nest of their shapes; None leaves them unknown.
      args: values that become tensors; `generator` receives their values as NumPy arrays and scalars.
      output_signature: a nest of specs, in place of `output_types` and `output_shapes`.

    Raises:
      TypeError: if `generator` is not callable, or if the signature is missing or given twice. During iteration, if an
        element does not match the signature; the next call continues after it.
    """
    if not callable(generator):
        raise TypeError("`generator` must be a Python callable.")
    spec = signature_of(output_types, output_shapes, output_signature)
    tensors = [] if args is None else [convert_to_tensor(value) for value in args]
    return GeneratedNode(generator, spec, tensors)
