"""What a run costs as arrays get larger, loops longer and graphs bigger, next to TensorFlow.

`python -m benchmarks.work_growth`: about five minutes. Both libraries run the same program by turns; a point is seconds
of a run, and for graphs that are built anew, of building, planning and running one. Cost is judged by exponents, as in
`benchmarks.data_growth`.
"""

from __future__ import annotations

import sys

from benchmarks.cases.growing import PROGRAMS
from benchmarks.data_growth import run

if __name__ == "__main__":
    sys.exit(run("work_growth", __doc__, PROGRAMS, ("work_growth", "bare_work"), ((1, 0.02), (3, 0.1)), ("unit",)))
