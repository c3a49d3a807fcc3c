"""`warm_start`: a model begins with the variables of an earlier one, with their rows moved where its words moved."""

from __future__ import annotations

import functools
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from inlay._src.base.export import export
from inlay._src.base.files.named_file import GFile
from inlay._src.core import graph as graphs
from inlay._src.host.api import numpy_function
from inlay._src.ops.variables.collections import GraphKeys
from inlay._src.ops.variables.variable import Variable
from inlay._src.training import checkpoint_files
from inlay._src.training.checkpoint_state import CheckpointReader, load_checkpoint
from inlay._src.training.first_values import begin_with, init_from_checkpoint
from inlay._src.training.saver import full_names
from inlay._src.training.wholes import Whole, wholes


@export("compat.v1.train.VocabInfo")
class VocabInfo(NamedTuple):
    """The vocabularies of the rows or columns of a variable, in this model and in an earlier one.

    Attributes:
      new_vocab: path of a file with a word in each line.
      new_vocab_size: the number of its words in use.
      num_oov_buckets: the number of rows for other words.
      old_vocab: path of the file of the earlier model.
      old_vocab_size: the number of its words in use; -1 is all.
      backup_initializer: an initializer for words that the earlier model lacks; None gives zeros.
      axis: 0 for rows, 1 for columns.
    """

    new_vocab: Any
    new_vocab_size: int
    num_oov_buckets: int
    old_vocab: Any
    old_vocab_size: int = -1
    backup_initializer: Any = None
    axis: int = 0


@export("compat.v1.train.warm_start")
def warm_start(
    ckpt_to_initialize_from: Any,
    vars_to_warm_start: Any = ".*",
    var_name_to_vocab_info: Mapping[str, VocabInfo] | None = None,
    var_name_to_prev_var_name: Mapping[str, str] | None = None,
) -> None:
    """Has variables of the default graph take their first values out of a checkpoint of an earlier model.

    Args:
      ckpt_to_initialize_from: the checkpoint's path, or a folder, of which the latest is meant.
      vars_to_warm_start: a regular expression of names of trainable variables; a list of such, of names of any
        variables; a list of variables; or None for those in `var_name_to_vocab_info`.
      var_name_to_vocab_info: name -> `VocabInfo` of variables whose words changed.
      var_name_to_prev_var_name: name -> the name in the checkpoint, where that is another one.

    Raises:
      NotFoundError: if there is no such checkpoint; also a ValueError.
      ValueError: if one of the names is of no variable that is chosen, or a value is not there or does not fit.
    """
    infos, renamed = dict(var_name_to_vocab_info or {}), dict(var_name_to_prev_var_name or {})
    chosen = wholes(_chosen(vars_to_warm_start, infos))
    for what, named in (("var_name_to_prev_var_name", renamed), ("var_name_to_vocab_info", infos)):
        unused = sorted(set(named) - set(chosen))
        if unused:
            raise ValueError(
                f"You provided the following variables in {what} that were not used: {unused}. Here is the list of "
                f"viable variable names: {sorted(chosen)}"
            )
    reader = load_checkpoint(ckpt_to_initialize_from)
    with checkpoint_files.opened(reader._prefix) as opened:
        by_name = full_names(opened)
    for name, whole in chosen.items():
        key = renamed.get(name, name)
        key = by_name.get(key, key)
        if name in infos:
            _begin_with_words(whole, reader, key, infos[name])
        else:
            init_from_checkpoint(ckpt_to_initialize_from, {key: list(whole.variables)})


def _chosen(meant: Any, infos: Mapping[str, VocabInfo]) -> list[Any]:
    graph = graphs.default_graph()
    if meant is None:
        trainable = graph.get_collection(GraphKeys.TRAINABLE_VARIABLES)
        return [v for name, whole in wholes(trainable).items() if name in infos for v in whole.variables]
    if isinstance(meant, str):
        return list(graph.get_collection(GraphKeys.TRAINABLE_VARIABLES, meant))
    if all(isinstance(v, str) for v in meant):
        every = [v for scope in meant for v in graph.get_collection(GraphKeys.GLOBAL_VARIABLES, scope)]
        return list({id(v): v for v in every}.values())
    if not all(isinstance(v, Variable) for v in meant):
        raise ValueError(
            f"vars_to_warm_start must be a regular expression, or a list of them or of variables: {meant!r}"
        )
    return list(meant)


def _begin_with_words(whole: Whole, reader: CheckpointReader, key: str, info: VocabInfo) -> None:
    """Gives a variable its first value: the checkpoint's row or column of each word, at the word's current place."""
    if info.axis not in (0, 1):
        raise ValueError(f"axis must be 0 or 1, got {info.axis}")
    dims: list[Any] = list(whole.shape.as_list() or ())
    new, old = _words(info.new_vocab, info.new_vocab_size), _words(info.old_vocab, info.old_vocab_size)
    at = {word: i for i, word in enumerate(old)}
    pairs = [(i, at[word]) for i, word in enumerate(new) if word in at]
    if dims[info.axis] != info.new_vocab_size + info.num_oov_buckets:
        raise ValueError(
            f"{whole.name} has {dims[info.axis]} entries along axis {info.axis}, the vocabulary of "
            f"{info.new_vocab_size} words with {info.num_oov_buckets} buckets has another number"
        )
    stored_dims = reader.get_variable_to_shape_map().get(key)
    if stored_dims is None:
        raise ValueError(f"Tensor {key} is not found in checkpoint {reader._prefix}")
    others = [size for axis, size in enumerate(dims) if axis != info.axis]
    if [size for axis, size in enumerate(stored_dims) if axis != info.axis] != others or stored_dims[info.axis] < len(
        old
    ):
        raise ValueError(
            f"Shape of variable {whole.name} ({dims}) doesn't match with shape of tensor {key} ({stored_dims})"
        )
    backup = info.backup_initializer
    first = np.zeros(dims, whole.dtype.np) if backup is None else backup(dims, dtype=whole.dtype)
    moved = functools.partial(_moved, reader, key, info.axis, pairs)
    value = numpy_function(moved, [first], whole.dtype, name="checkpoint_initializer")
    value.set_shape(whole.shape)
    for variable, part in whole.cut(value):
        begin_with(variable, part)


def _moved(reader: CheckpointReader, key: str, axis: int, pairs: Sequence[tuple[int, int]], first: Any) -> Any:
    values = np.array(first)
    if pairs:
        to, source = (list(places) for places in zip(*pairs, strict=True))
        stored = np.asarray(reader.get_tensor(key))
        if axis:
            values[:, to] = stored[:, source]
        else:
            values[to] = stored[source]
    return values


def _words(path: Any, count: int) -> list[str]:
    with GFile(path) as file:
        words = file.read().splitlines()
    if count > len(words):
        raise ValueError(f"{path} has {len(words)} words, fewer than {count}")
    return words if count < 0 else words[:count]
