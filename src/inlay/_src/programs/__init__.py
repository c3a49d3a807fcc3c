"""What runs and composes graphs: functions, control flow, sessions, AutoGraph, GraphDef, modules."""
