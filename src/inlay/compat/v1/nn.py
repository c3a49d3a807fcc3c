"""`tf.compat.v1.nn`: neural networks, with the 1.x signatures."""

# Written by scripts/update_generated.py from the `export` of each name: change that, then run `make generate`.
# fmt: off
# ruff: noqa
from inlay.nn import *
from inlay.ops.legacy import (
    avg_pool, conv2d, dropout, embedding_lookup, in_top_k, max_pool, moments, sigmoid_cross_entropy_with_logits,
    softmax_cross_entropy_with_logits, softmax_cross_entropy_with_logits_v2, sparse_softmax_cross_entropy_with_logits,
    weighted_cross_entropy_with_logits
)
