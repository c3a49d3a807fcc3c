"""Values made of several tensors."""
