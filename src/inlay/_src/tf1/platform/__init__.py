"""The surroundings of programs: flags, a main function, tests, files that come with them."""
