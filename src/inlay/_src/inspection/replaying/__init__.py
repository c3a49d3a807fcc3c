"""Record and replay of host functions.

record ─▶ encoding.encoded ─▶ log.LogWriter ─▶ file ─▶ index.Recording ─▶ decoding ─▶ replay
                                                          │
                                                matching.Lane: which recorded call answers a call
"""
