"""The commands of the command line, in modules of which `tools.command` loads the one that is asked for."""
