"""What a run costs as arrays get larger, loops longer and graphs bigger, next to TensorFlow.

`python -m benchmarks.work_growth`: about five minutes. Both libraries run the same program by turns; a point is seconds
of a run, and for graphs that are built anew, of building, planning and running one. Cost is judged by exponents, as in
`benchmarks.data_growth`.
"""

from __future__ import annotations

import argparse
import sys

from benchmarks import ledger
from benchmarks.cases.growing import PROGRAMS
from benchmarks.data_growth import line, measure
from benchmarks.growth import PEERS
from benchmarks.peers import Team


def main() -> int:
    """Measures, prints, appends to the ledger."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.work_growth", description=__doc__.split("\n\n")[0])
    parser.add_argument("--quick", action="store_true", help="one short round")
    parser.add_argument("--only", default="", help="programs whose title contains this")
    parser.add_argument("--no-install", action="store_true", help="a peer that is not installed is reported absent")
    parser.add_argument("--no-ledger", action="store_true", help="print only")
    options = parser.parse_args()
    shared = {**ledger.header("work_growth"), "quick": options.quick}
    rounds, seconds = (1, 0.02) if options.quick else (3, 0.1)
    well = True
    with Team(list(PEERS), not options.no_install) as team:
        for title, program in PROGRAMS.items():
            if options.only not in title:
                continue
            bare = "bare_work" if program.bare else None
            entry = measure(team, title, program.points, rounds, seconds, "work_growth", bare)
            print(line(entry), flush=True)
            well = well and entry["met"] is not False
            if not options.no_ledger:
                ledger.append([{**shared, **entry, "unit": program.unit}])
    return 0 if well else 1


if __name__ == "__main__":
    sys.exit(main())
