"""Schedules: the thread or executor of a step, and its time."""
