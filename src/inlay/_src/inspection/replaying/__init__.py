"""Record and replay of host functions.

    record ─▶ values.encoded ─▶ log.LogWriter ─▶ file ─▶ index.Recording ─▶ values.decoded ─▶ replay
                                                              │
                                                    matching.Lane: which recorded call answers a call
"""
