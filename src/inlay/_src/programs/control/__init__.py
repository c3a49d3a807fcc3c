"""Control flow: branches, loops, maps. Nodes hold programs and run them; there is no second interpreter."""
