"""Host functions inside the compilers of others: JAX's and PyTorch's."""
