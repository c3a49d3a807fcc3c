"""The rows about datasets: `python -m benchmarks.data`, with the options of `benchmarks.run`.

Beside `tf.data` stands, where there is one, a bare loop: the same body called by Python alone, without a dataset.
"""

from __future__ import annotations

import sys

from benchmarks import run

if __name__ == "__main__":
    sys.exit(run.main("^data_"))
