"""Flags and main functions: programs of their own, as both are of a whole process."""

from __future__ import annotations

import subprocess
import sys

PROGRAM = """
import inlay as tf

flags = tf.compat.v1.flags
flags.DEFINE_integer("steps", 3, "How many.")
flags.DEFINE_string(flag_name="name", default_value="n", docstring="Whose.")
flags.DEFINE_boolean("loud", False, "Whether.")
FLAGS = flags.FLAGS

def main(argv):
    print(argv[1:], FLAGS.steps, FLAGS.name, FLAGS.loud, FLAGS["steps"].value, "steps" in FLAGS)
    return 3
"""
RUN = "tf.compat.v1.app.run()"
READ = """
print(FLAGS.steps, FLAGS.is_parsed())
FLAGS.steps = 7
print(FLAGS.flag_values_dict()["steps"])
try:
    FLAGS.nothing
except AttributeError as error:
    print("no", error)
"""


def program(body: str, *arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-c", PROGRAM + body, *arguments], capture_output=True, text=True, timeout=60
    )


def test_a_main_function_gets_what_is_no_flag_and_says_the_exit_status() -> None:
    done = program(RUN, "--steps=5", "--unknown", "--loud", "rest")
    assert (done.returncode, done.stdout) == (3, "['--unknown', 'rest'] 5 n True 5 True\n"), done.stderr


def test_the_first_flag_that_is_read_has_the_command_line_read() -> None:
    done = program(READ, "--steps=5")
    assert done.stdout == "5 True\n7\nno nothing\n", done.stderr
    done = program(READ, "--unknown")
    assert done.returncode == 1 and "Unknown command line flag 'unknown'" in done.stderr


def test_a_flag_of_the_wrong_type_is_told_with_the_usage() -> None:
    done = program(RUN, "--steps=five")
    assert done.returncode == 1 and "flag --steps=five: invalid literal for int()" in done.stderr
    assert "How many." in program(RUN, "--help").stdout
