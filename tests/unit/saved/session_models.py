"""Small saved models as TensorFlow 1 wrote them: a graph with a reference variable, a table and a signature."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np

from inlay._src.base.protos.saved_model import SavedModel
from inlay._src.base.protos.schema import parsed_text
from inlay._src.base.types import dtypes
from inlay._src.training import tensor_bundle

_GRAPH = """
node { name: 'x' op: 'Placeholder' attr { key: 'dtype' value { type: DT_FLOAT } }
       attr { key: 'shape' value { shape { dim { size: -1 } } } } }
node { name: 'w' op: 'VariableV2' attr { key: 'dtype' value { type: DT_FLOAT } }
       attr { key: 'shape' value { shape { } } } attr { key: 'container' value { s: '' } }
       attr { key: 'shared_name' value { s: '' } } }
node { name: 'w/read' op: 'Identity' input: 'w' attr { key: 'T' value { type: DT_FLOAT } } }
node { name: 'y' op: 'Mul' input: 'x' input: 'w/read' attr { key: 'T' value { type: DT_FLOAT } } }
node { name: 'odd' op: 'Fancy' input: 'y' }
node { name: 'Const' op: 'Placeholder' attr { key: 'dtype' value { type: DT_STRING } }
       attr { key: 'shape' value { shape { } } } }
node { name: 'names' op: 'Const' attr { key: 'dtype' value { type: DT_STRING } } attr { key: 'value' value { tensor {
       dtype: DT_STRING tensor_shape { dim { size: 1 } } string_val: 'w' } } } }
node { name: 'slices' op: 'Const' attr { key: 'dtype' value { type: DT_STRING } } attr { key: 'value' value { tensor {
       dtype: DT_STRING tensor_shape { dim { size: 1 } } string_val: '' } } } }
node { name: 'values' op: 'RestoreV2' input: 'Const' input: 'names' input: 'slices'
       attr { key: 'dtypes' value { list { type: DT_FLOAT } } } }
node { name: 'Assign' op: 'Assign' input: 'w' input: 'values' attr { key: 'T' value { type: DT_FLOAT } } }
node { name: 'restore_all' op: 'NoOp' input: '^Assign' }
versions { producer: 27 }
"""
_META = """
meta_graphs {
  meta_info_def { %s tensorflow_version: '1.15.0' }
  graph_def { %s }
  saver_def { filename_tensor_name: 'Const:0' restore_op_name: 'restore_all' version: V2 }
  signature_def { key: 'serving_default' value {
    inputs { key: 'numbers' value { name: 'x:0' dtype: DT_FLOAT tensor_shape { dim { size: -1 } } } }
    outputs { key: 'scaled' value { name: 'y:0' dtype: DT_FLOAT tensor_shape { dim { size: -1 } } } }
    method_name: 'tensorflow/serving/predict' } }
  signature_def { key: 'fancy' value {
    inputs { key: 'numbers' value { name: 'x:0' dtype: DT_FLOAT } }
    outputs { key: 'odd' value { name: 'odd:0' dtype: DT_FLOAT } } } }
}
"""


def session_model(path: Path, *tag_sets: Sequence[str], fancy: bool = True) -> Path:
    """Writes a model whose signature multiplies by a variable, which is 3.

    Args:
      path: its folder.
      *tag_sets: the tags of each of its graphs; by default it has one for serving.
      fancy: whether it has an op that nobody knows, and a signature that needs it.
    """
    metas = ""
    for tags in tag_sets or (["serve"],):
        metas += _META % (" ".join(f"tags: '{tag}'" for tag in tags), _GRAPH)
    message = parsed_text(SavedModel, metas)
    if not fancy:
        for meta in message.meta_graphs:
            del meta.signature_def["fancy"]
            kept = [node for node in meta.graph_def.node if node.op != "Fancy"]
            del meta.graph_def.node[:]
            meta.graph_def.node.extend(kept)
    (path / "variables").mkdir(parents=True)
    (path / "saved_model.pb").write_bytes(message.SerializeToString())
    values = {"w": (np.float32(3.0), dtypes.float32)}
    tensor_bundle.write(str(path / "variables" / "variables"), values, {})
    return path
