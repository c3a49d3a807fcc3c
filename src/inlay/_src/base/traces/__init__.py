"""Traces: recordings of what ran, and their forms for viewers, tables and other tools."""
