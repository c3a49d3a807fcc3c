"""Marks and options for AutoGraph."""

from inlay.conversion.calls import do_not_convert as do_not_convert
from inlay.conversion.directives import set_loop_options as set_loop_options
from inlay.conversion.public import Feature as Feature
