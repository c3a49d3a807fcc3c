"""The executor `Processes`: warm worker processes. `pool` tells how it works."""
