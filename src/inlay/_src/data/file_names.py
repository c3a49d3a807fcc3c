"""The names of files as elements: `list_files`."""

from __future__ import annotations

from typing import Any

import numpy as np

from inlay._src.base.types import dtypes
from inlay._src.core.eager.convert import convert_to_tensor
from inlay._src.data.node import Node
from inlay._src.data.shuffling import shuffle as shuffled
from inlay._src.data.sources import from_tensor_slices
from inlay._src.ops.array import identity, reshape, shape
from inlay._src.ops.control import control_dependencies
from inlay._src.ops.files import matching_files
from inlay._src.ops.math import greater, maximum
from inlay._src.ops.printing import assert_
from inlay._src.ops.strings import join, reduce_join


def list_files(file_pattern: Any, shuffle: bool | None = None, seed: Any = None, name: str | None = None) -> Node:
    """The names of the files that match patterns.

    Args:
      file_pattern: a string or a list of strings with `*`, `?` and `[...]`, or a string tensor.
      shuffle: whether the order is random, and another one in every iteration; None is True.
      seed: fixes the order together with `random.set_seed`.

    Raises:
      InvalidArgumentError: if no file matches.
    """
    pattern = convert_to_tensor(file_pattern, dtypes.string)
    names = matching_files(pattern)
    text = reduce_join(reshape(pattern, [-1]), separator=", ")
    some = assert_(greater(shape(names)[0], 0), [join(["No files matched pattern: ", text])])
    with control_dependencies([] if some is None else [some]):
        names = identity(names)
    dataset = from_tensor_slices(names)
    count = maximum(shape(names, out_type=dtypes.int64)[0], np.int64(1))
    return dataset if shuffle is False else shuffled(dataset, count, seed)
