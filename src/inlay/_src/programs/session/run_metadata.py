"""`RunMetadata` as a message: the steps of a run with their times, devices, results and memory, costs and graphs.

Fields as in TensorFlow's `config.proto`, `step_stats.proto`, `cost_graph.proto`, `tensor_description.proto` and
`allocation_description.proto`.
"""

from __future__ import annotations

from typing import Any

from inlay._src.base.export import export
from inlay._src.base.protos.graph import FILE as GRAPHS
from inlay._src.base.protos.schema import Field, messages
from inlay._src.base.protos.tensor import FILE as TENSORS

_TENSORS = {
    "AllocationDescription": {
        "requested_bytes": Field(1, "int64"),
        "allocated_bytes": Field(2, "int64"),
        "allocator_name": Field(3, "string"),
        "allocation_id": Field(4, "int64"),
        "has_single_reference": Field(5, "bool"),
        "ptr": Field(6, "uint64"),
    },
    "TensorDescription": {
        "dtype": Field(1, "DataType"),
        "shape": Field(2, "TensorShapeProto"),
        "allocation_description": Field(4, "AllocationDescription"),
    },
}

_STEPS = {
    "AllocationRecord": {"alloc_micros": Field(1, "int64"), "alloc_bytes": Field(2, "int64")},
    "AllocatorMemoryUsed": {
        "allocator_name": Field(1, "string"),
        "total_bytes": Field(2, "int64"),
        "peak_bytes": Field(3, "int64"),
        "live_bytes": Field(4, "int64"),
        "allocation_records": Field(6, "AllocationRecord", "repeated"),
        "allocator_bytes_in_use": Field(5, "int64"),
    },
    "NodeOutput": {"slot": Field(1, "int32"), "tensor_description": Field(3, "TensorDescription")},
    "MemoryStats": {
        "temp_memory_size": Field(1, "int64"),
        "persistent_memory_size": Field(3, "int64"),
        "persistent_tensor_alloc_ids": Field(5, "int64", "repeated"),
        "device_temp_memory_size": Field(2, "int64"),
        "device_persistent_memory_size": Field(4, "int64"),
        "device_persistent_tensor_alloc_ids": Field(6, "int64", "repeated"),
    },
    "NodeExecStats": {
        "node_name": Field(1, "string"),
        "all_start_micros": Field(2, "int64"),
        "op_start_rel_micros": Field(3, "int64"),
        "op_end_rel_micros": Field(4, "int64"),
        "all_end_rel_micros": Field(5, "int64"),
        "memory": Field(6, "AllocatorMemoryUsed", "repeated"),
        "output": Field(7, "NodeOutput", "repeated"),
        "timeline_label": Field(8, "string"),
        "scheduled_micros": Field(9, "int64"),
        "thread_id": Field(10, "uint32"),
        "referenced_tensor": Field(11, "AllocationDescription", "repeated"),
        "memory_stats": Field(12, "MemoryStats"),
        "all_start_nanos": Field(13, "int64"),
        "op_start_rel_nanos": Field(14, "int64"),
        "op_end_rel_nanos": Field(15, "int64"),
        "all_end_rel_nanos": Field(16, "int64"),
        "scheduled_nanos": Field(17, "int64"),
    },
    "DeviceStepStats": {
        "device": Field(1, "string"),
        "node_stats": Field(2, "NodeExecStats", "repeated"),
        "thread_names": Field(3, "string", "map uint32"),
    },
    "StepStats": {"dev_stats": Field(1, "DeviceStepStats", "repeated")},
}

_COSTS = {
    "CostGraphDef": {
        "node": Field(1, "CostGraphDef.Node", "repeated"),
        "cost": Field(2, "CostGraphDef.AggregatedCost", "repeated"),
    },
    "CostGraphDef.Node": {
        "name": Field(1, "string"),
        "device": Field(2, "string"),
        "id": Field(3, "int32"),
        "input_info": Field(4, "CostGraphDef.Node.InputInfo", "repeated"),
        "output_info": Field(5, "CostGraphDef.Node.OutputInfo", "repeated"),
        "temporary_memory_size": Field(6, "int64"),
        "is_final": Field(7, "bool"),
        "control_input": Field(8, "int32", "repeated"),
        "compute_cost": Field(9, "int64"),
        "host_temp_memory_size": Field(10, "int64"),
        "device_temp_memory_size": Field(11, "int64"),
        "persistent_memory_size": Field(12, "int64"),
        "compute_time": Field(14, "int64"),
        "memory_time": Field(15, "int64"),
        "device_persistent_memory_size": Field(16, "int64"),
        "inaccurate": Field(17, "bool"),
    },
    "CostGraphDef.Node.InputInfo": {"preceding_node": Field(1, "int32"), "preceding_port": Field(2, "int32")},
    "CostGraphDef.Node.OutputInfo": {
        "size": Field(1, "int64"),
        "alias_input_port": Field(2, "int64"),
        "shape": Field(3, "TensorShapeProto"),
        "dtype": Field(4, "DataType"),
    },
    "CostGraphDef.AggregatedCost": {"cost": Field(1, "float"), "dimension": Field(2, "string")},
}

_RUNS = {
    "SessionMetadata": {"name": Field(1, "string"), "version": Field(2, "int64")},
    "RunMetadata": {
        "step_stats": Field(1, "StepStats"),
        "cost_graph": Field(2, "CostGraphDef"),
        "partition_graphs": Field(3, "GraphDef", "repeated"),
        "function_graphs": Field(4, "RunMetadata.FunctionGraphs", "repeated"),
        "session_metadata": Field(5, "SessionMetadata"),
    },
    "RunMetadata.FunctionGraphs": {
        "partition_graphs": Field(1, "GraphDef", "repeated"),
        "pre_optimization_graph": Field(2, "GraphDef"),
        "post_optimization_graph": Field(3, "GraphDef"),
    },
}

_DOCS = {
    "AllocationDescription": "A protobuf message: the memory of a tensor.",
    "TensorDescription": "A protobuf message: the dtype, the shape and the memory of a tensor.",
    "AllocationRecord": "A protobuf message: when how many bytes were allocated; freed ones are negative.",
    "AllocatorMemoryUsed": "A protobuf message: the bytes that a step allocated of one allocator.",
    "NodeOutput": "A protobuf message: a result of a step.",
    "MemoryStats": "A protobuf message: the bytes that a step holds beside its results.",
    "NodeExecStats": "A protobuf message: an execution of a step, in times since 1970 and relative to its start.",
    "DeviceStepStats": "A protobuf message: the steps that ran on a device, in the order in which they began.",
    "StepStats": "A protobuf message: the steps of a run, by devices.",
    "CostGraphDef": "A protobuf message: the cost of the steps of a run.",
    "SessionMetadata": "A protobuf message: the name of a session.",
    "RunMetadata": """A protobuf message: the report of a run.

    `RunOptions.trace_level` asks for its steps, `RunOptions.output_partition_graphs` for the `GraphDef` of the nodes
    that it needed. `GraphOptions.build_cost_model`, a number n, asks for the cost of its steps in every n-th run that
    reports.
    """,
}

_made = messages(
    "inlay/protos/run_metadata.proto",
    {**_TENSORS, **_STEPS, **_COSTS, **_RUNS},
    __name__,
    _DOCS,
    uses=(TENSORS, GRAPHS),
)
NodeExecStats: Any = _made["NodeExecStats"]
StepStats: Any = _made["StepStats"]
RunMetadata: Any = export("RunMetadata")(_made["RunMetadata"])
