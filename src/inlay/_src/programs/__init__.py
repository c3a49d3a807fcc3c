"""Execution and composition of graphs: functions, control flow, sessions, AutoGraph, GraphDef, modules."""
