"""Where host functions run: threads, an event loop, processes, a cluster, or any `concurrent.futures.Executor`."""
