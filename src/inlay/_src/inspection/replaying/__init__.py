"""Record and replay of host functions.

observing ─▶ writing.CallRecorder ─▶ encoding ─▶ log ─▶ file ─▶ index ─▶ decoding ─▶ calls, answering.Answers
                                                          │
                                                matching.Lane: the recorded call that answers a call
"""
