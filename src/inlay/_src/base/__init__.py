"""Modules that know no graph: exports, errors, the interpreter, files, protos, dtypes and nested structures."""
