"""`python -m inlay`: the command line."""

from __future__ import annotations

from inlay._src.tools.command import main

if __name__ == "__main__":
    main(prog_name="inlay")
