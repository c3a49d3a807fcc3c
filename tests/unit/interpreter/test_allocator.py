"""Large arrays are made of memory that the process has: of hundreds of 3 MB, few pages are new."""

from __future__ import annotations

import os
import platform
import subprocess
import sys
import textwrap

import numpy as np
import pytest

from inlay._src.base.interpreter import allocator


@pytest.mark.skipif(platform.libc_ver()[0] != "glibc", reason="how glibc keeps memory")
def test_large_arrays_ask_the_system_for_no_memory_again_and_again() -> None:
    program = """
        import resource
        import numpy as np
        import inlay as tf
        x = tf.constant(np.ones(750_000, np.float32))
        for _ in range(3):
            made = [x + float(k) for k in range(8)]
        before = resource.getrusage(resource.RUSAGE_SELF).ru_minflt
        for _ in range(100):
            made = [x + float(k) for k in range(8)]
        print(resource.getrusage(resource.RUSAGE_SELF).ru_minflt - before)
    """
    environment = {k: v for k, v in os.environ.items() if not k.startswith("MALLOC_")}
    done = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(program)], capture_output=True, text=True, env=environment, check=True
    )
    assert int(done.stdout) < 20_000  # each of the 800 has 732 pages


def test_a_process_that_may_not_have_the_memory_goes_on(monkeypatch: pytest.MonkeyPatch) -> None:
    asked = []

    def refuse(*arguments: object) -> None:
        asked.append(arguments)
        raise MemoryError

    monkeypatch.setattr(np, "empty", refuse)
    allocator.keep_memory()
    assert asked
