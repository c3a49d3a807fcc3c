"""Which thread or executor runs a step, and when."""
