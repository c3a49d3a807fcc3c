"""Tables of keys and values: static ones, made of tensors and text files, and ones that programs change."""
