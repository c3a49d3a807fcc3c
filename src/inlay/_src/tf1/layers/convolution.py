"""Convolutions as layers: of sequences, images and volumes, and transposed ones."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar

from inlay._src.base.export import export
from inlay._src.base.parameters import constructor
from inlay._src.base.types import shapes
from inlay._src.base.types.shapes import TensorShape
from inlay._src.core.eager.attributes import whole, wholes
from inlay._src.core.tensor import Tensor
from inlay._src.ops import array, conv, convolutions, nn, slicing, stacking
from inlay._src.tf1.layers.dense import Weighted, layout_of
from inlay._src.tf1.layers.layer import InputSpec, as_tensor, dims_of, functional

FORMATS = {
    "channels_last": {1: "NWC", 2: "NHWC", 3: "NDHWC"},
    "channels_first": {1: "NCW", 2: "NCHW", 3: "NCDHW"},
}


def each_side(value: Any, sides: int, what: str) -> tuple[int, ...]:
    """One number for each side.

    Raises:
      ValueError: for another number of them.
    """
    try:
        several = [value] * sides if isinstance(value, int) else wholes(value, what)
    except TypeError:
        several = []
    if len(several) != sides:
        raise ValueError(f"The `{what}` argument must be a tuple of {sides} integers. Received: {value!r}")
    return tuple(several)


def padding_of(padding: str) -> str:
    """ "valid", "same" or "causal"; ValueError for another one."""
    name = padding.lower() if isinstance(padding, str) else str(padding)
    if name not in ("valid", "same", "causal"):
        raise ValueError(
            'The `padding` argument must be a list/tuple or one of "valid", "same" (or "causal", only for `Conv1D). '
            f"Received: {padding}"
        )
    return name


@constructor()
class Convolution(Weighted):
    """A convolution, a bias and an activation.

    Args:
      filters: the number of results per position.
      kernel_size, strides, dilation_rate: one number, or one for each side: the window, its steps, the distance of its
        points.
      padding: "valid" or "same".
      data_format: "channels_last" or "channels_first".

    Attributes:
      kernel: [sides..., channels, filters].
      bias: the vector of `filters`, or None.
    """

    rank: ClassVar[int]
    """The number of sides of the inputs."""

    _causal: ClassVar[bool] = False
    """Whether padding may be of the past only."""

    def __init__(
        self,
        filters: int,
        kernel_size: Any,
        strides: Any = 1,
        padding: str = "valid",
        data_format: str = "channels_last",
        dilation_rate: Any = 1,
        **weights: Any,
    ) -> None:
        super().__init__(**weights)
        self.filters: int = whole(filters, "filters")
        if self.filters <= 0:
            raise ValueError(
                f"Invalid value for argument `filters`. Expected a strictly positive value. Received filters={filters}."
            )
        sides = self.rank
        self.kernel_size: tuple[int, ...] = each_side(kernel_size, sides, "kernel_size")
        self.strides: tuple[int, ...] = each_side(strides, sides, "strides")
        self.dilation_rate: tuple[int, ...] = each_side(dilation_rate, sides, "dilation_rate")
        for what in ("kernel_size", "strides"):
            if not all(getattr(self, what)):
                raise ValueError(f"The argument `{what}` cannot contain 0(s). Received: {getattr(self, what)}")
        if max(self.strides) > 1 and max(self.dilation_rate) > 1:
            raise ValueError(
                "`strides > 1` not supported in conjunction with `dilation_rate > 1`. Received: strides="
                f"{self.strides} and dilation_rate={self.dilation_rate}"
            )
        self.padding: str = padding_of(padding)
        self.data_format: str = layout_of(data_format)
        if self.padding == "causal" and not self._causal:
            raise ValueError("Causal padding is only supported for `Conv1D` and `SeparableConv1D`.")
        self.input_spec = InputSpec(ndim=sides + 2)

    # ---- shapes

    @property
    def layout(self) -> str:
        """The layout as ops call it."""
        return FORMATS[self.data_format][self.rank]

    def channels(self, input_shape: Any) -> int:
        """The number of channels of inputs of a shape; they are held against it from now on.

        Raises:
          ValueError: if that is not known.
        """
        shape, axis = shapes.as_shape(input_shape), 1 if self.data_format == "channels_first" else -1
        size = dims_of(shape, self.rank + 2, self.rank + 2)[axis]
        if size is None:
            raise ValueError(
                f"The channel dimension of the inputs should be defined. The input_shape received is {shape}, where "
                f"axis {axis} (0-based) is the channel dimension, which found to be `None`."
            )
        self.input_spec = InputSpec(ndim=self.rank + 2, axes={axis: size})
        return size

    def _length(self, size: int | None, side: int) -> int | None:
        """The length of a side of the result."""
        if size is None:
            return None
        window = (self.kernel_size[side] - 1) * self.dilation_rate[side] + 1
        whole = size if self.padding in ("same", "causal") else size - window + 1
        return (whole + self.strides[side] - 1) // self.strides[side]

    def compute_output_shape(self, input_shape: Any) -> TensorShape:
        """The shape of the result.

        Raises:
          ValueError: if a side would be empty.
        """
        dims = dims_of(input_shape, self.rank + 2, self.rank + 2)
        first = self.data_format == "channels_first"
        inner = dims[2:] if first else dims[1:-1]
        sides = [self._length(size, side) for side, size in enumerate(inner)]
        if any(size is not None and size <= 0 for size in sides):
            raise ValueError(
                f"One of the dimensions in the output is <= 0 due to downsampling in {self.name}. Consider increasing "
                f"the input size. Received input shape {dims} which would produce output shape with a zero or "
                "negative value in a dimension."
            )
        return TensorShape([dims[0], self.filters, *sides] if first else [dims[0], *sides, self.filters])

    # ---- weights and results

    def build(self, input_shape: Any) -> None:
        """Makes the weights."""
        self.compute_output_shape(input_shape)
        self.make_weights([*self.kernel_size, self.channels(input_shape), self.filters])

    def make_weights(self, kernel: Sequence[int]) -> None:
        """Makes the kernel, of a shape, and the bias."""
        self.kernel = self.add_weight(
            "kernel", kernel, initializer=self.kernel_initializer, regularizer=self.kernel_regularizer,
            constraint=self.kernel_constraint, trainable=True,
        )  # fmt: skip
        self.make_bias()

    def make_bias(self) -> None:
        """Makes the bias, if there is one."""
        if self.use_bias:
            self.bias = self.add_weight(
                "bias", [self.filters], initializer=self.bias_initializer, regularizer=self.bias_regularizer,
                constraint=self.bias_constraint, trainable=True,
            )  # fmt: skip
        self.built = True

    def past_padded(self, inputs: Any) -> Tensor:
        """Inputs with zeros before them where padding is of the past only."""
        if self.padding != "causal":
            return inputs
        before = [self.dilation_rate[0] * (self.kernel_size[0] - 1), 0]
        steps = [[0, 0], before] if self.data_format == "channels_first" else [before, [0, 0]]
        return slicing.pad(inputs, [[0, 0], *steps])

    @property
    def op_padding(self) -> str:
        """The padding as ops call it."""
        return "VALID" if self.padding == "causal" else self.padding.upper()

    def call(self, inputs: Any) -> Tensor:
        """The convolution, the bias, the activation."""
        outputs = convolutions.convolution(
            self.past_padded(inputs), self.kernel, list(self.strides), self.op_padding, self.layout,
            list(self.dilation_rate), type(self).__name__,
        )  # fmt: skip
        return self.finished(outputs)

    def finished(self, outputs: Any) -> Tensor:
        """A result with the bias and the activation."""
        if self.use_bias:
            outputs = nn.bias_add(outputs, self.bias, self.layout)
        return outputs if self.activation is None else self.activation(outputs)


@export("compat.v1.layers.Conv1D")
@constructor()
class Conv1D(Convolution):
    """A convolution of sequences, a bias and an activation.

    Args:
      padding: "valid", "same" or "causal".
    """

    rank = 1
    _causal = True


@export("compat.v1.layers.Conv2D")
@constructor(strides=(1, 1), dilation_rate=(1, 1))
class Conv2D(Convolution):
    """A convolution of images, a bias and an activation."""

    rank = 2


@export("compat.v1.layers.Conv3D")
@constructor(strides=(1, 1, 1), dilation_rate=(1, 1, 1))
class Conv3D(Convolution):
    """A convolution of volumes, a bias and an activation."""

    rank = 3


# ---------------------------------------------------------------- transposed


class _Transposed(Convolution):
    """A convolution's gradient to its inputs, as a layer: it makes images larger.

    Args:
      kernel_size, strides: one number, or one for each side: the window, and how many times larger the result is.

    Attributes:
      kernel: [sides..., filters, channels].
      bias: the vector of `filters`, or None.
    """

    def build(self, input_shape: Any) -> None:
        """Makes the weights."""
        self.make_weights([*self.kernel_size, self.filters, self.channels(input_shape)])

    def _length(self, size: Any, side: int) -> Any:
        if size is None:
            return None
        more = max(self.kernel_size[side] - self.strides[side], 0) if self.padding == "valid" else 0
        return size * self.strides[side] + more

    def call(self, inputs: Any) -> Tensor:
        """The transposed convolution, the bias, the activation."""
        inputs = as_tensor(inputs)
        sizes, static_sizes = array.shape(inputs), dims_of(inputs.shape, self.rank + 2, self.rank + 2)
        first = self.data_format == "channels_first"
        at = 2 if first else 1
        sides = [
            self._length(sizes[at + side] if static_sizes[at + side] is None else static_sizes[at + side], side)
            for side in range(self.rank)
        ]
        shape = [sizes[0], self.filters, *sides] if first else [sizes[0], *sides, self.filters]
        transposed = conv.conv2d_transpose if self.rank == 2 else conv.conv3d_transpose
        outputs = transposed(
            inputs, self.kernel, stacking.stack(shape), list(self.strides), self.padding.upper(), self.layout
        )
        if not inputs.shape.is_fully_defined():
            outputs.set_shape(self.compute_output_shape(inputs.shape))
        return self.finished(outputs)


@export("compat.v1.layers.Conv2DTranspose")
@constructor("dilation_rate", strides=(1, 1))
class Conv2DTranspose(_Transposed):
    """A transposed convolution of images, a bias and an activation."""

    rank = 2


@export("compat.v1.layers.Conv3DTranspose")
@constructor("dilation_rate", strides=(1, 1, 1))
class Conv3DTranspose(_Transposed):
    """A transposed convolution of volumes, a bias and an activation."""

    rank = 3


conv1d: Any = export("compat.v1.layers.conv1d")(functional(Conv1D, "conv1d"))
conv2d: Any = export("compat.v1.layers.conv2d")(functional(Conv2D, "conv2d"))
conv3d: Any = export("compat.v1.layers.conv3d")(functional(Conv3D, "conv3d"))
conv2d_transpose: Any = export("compat.v1.layers.conv2d_transpose")(functional(Conv2DTranspose, "conv2d_transpose"))
conv3d_transpose: Any = export("compat.v1.layers.conv3d_transpose")(functional(Conv3DTranspose, "conv3d_transpose"))
