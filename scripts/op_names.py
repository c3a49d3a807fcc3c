"""Print the op types that graphs are written with and read: those whose declarations `make_op_defs.py` records.

python -m scripts.op_names > names.txt
"""

from __future__ import annotations

import inlay as tf
from inlay.core.opdef import OPS
from inlay.graph_def.reading import OLD_CONTROL_FLOW, READERS
from tests.conformance import sampling


def main() -> None:
    assert tf.import_graph_def and sampling  # the ops are declared
    print("\n".join(sorted({*OPS, *READERS, *OLD_CONTROL_FLOW})))


if __name__ == "__main__":
    main()
