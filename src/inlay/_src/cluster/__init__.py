"""Clusters: specifications of tasks, servers that run parts of graphs, sessions on a server."""
