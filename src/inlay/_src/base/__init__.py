"""What knows no graph: exports, errors, the interpreter, files, protos, dtypes and nested structures."""
