"""The process whose instructions `benchmarks.instructions` counts: `python -m benchmarks.counted CASES` in callgrind.

CASES is a JSON list of [case, warm-up calls, counted calls, blocks]. The counters of callgrind are written and begin
anew at each call of `getppid`: before and after each block of calls. The second block of a case has twice as many calls
as the first, so that the cost of a block by itself can be subtracted. A case whose calls take long has one block: the
cost of that by itself is little beside them.
"""

from __future__ import annotations

import gc
import json
import os
import subprocess
import sys
from collections.abc import Sequence

from benchmarks.cases import inlay_


def run(cases: Sequence[tuple[str, int, int, int]]) -> None:
    """Runs the cases one after another. The first that fails ends the process with its error.

    Args:
      cases: name, calls before the first block, calls of the first block, and 1 or 2 blocks.
    """
    module = inlay_.load()
    for name, warm, calls, blocks in cases:
        timed = inlay_.CASES[name](module)
        timed(warm)
        gc.collect()
        gc.disable()
        _switch("on")
        if blocks > 1:
            timed(2)
        os.getppid()
        for block in range(blocks):
            timed((block + 1) * calls)
            os.getppid()
        _switch("off")
        gc.enable()
        del timed


def _switch(state: str) -> None:
    """Switches the counting on or off."""
    command = ["callgrind_control", "-i", state, str(os.getpid())]
    subprocess.run(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=True)


if __name__ == "__main__":
    run(json.loads(sys.argv[1]))
    sys.stdout.flush()
    os._exit(0)  # the end of the interpreter is not counted
