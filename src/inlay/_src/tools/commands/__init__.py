"""The commands of the command line, each in the module that needs what it needs: `tools.command` loads one of them."""
