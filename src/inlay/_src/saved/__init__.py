"""Saved models: folders with a graph, its functions, variables and files, that load where nothing of it was defined."""
