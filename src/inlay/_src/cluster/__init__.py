"""Clusters: what tasks there are, servers that run parts of graphs for one of them, sessions on a server."""
