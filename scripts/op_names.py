"""Print the op types that graphs are written with and read: those whose declarations `make_op_defs.py` records.

python -m scripts.op_names > names.txt
"""

from __future__ import annotations

from inlay._src.base.export import load_all
from inlay._src.core.opdef import OPS
from inlay._src.programs.graph_def.absent_nodes import OLD_CONTROL_FLOW
from inlay._src.programs.graph_def.reading import READERS


def main() -> None:
    load_all()
    # Datasets, their iterators and the writers of summaries are objects of the process here, which no node says.
    live = ("inlay._src.data", "inlay._src.tf1.summaries")
    ops = {n for n, op in OPS.items() if not (op.scheduling.bind or op.kernel).__module__.startswith(live)}
    handles = {"DummyMemoryCache", "DummySeedGenerator"}  # but for these, which say nothing
    print("\n".join(sorted({*ops, *handles, *READERS, *OLD_CONTROL_FLOW})))


if __name__ == "__main__":
    main()
