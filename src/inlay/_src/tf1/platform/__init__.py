"""What programs have around their graphs: flags, a main function, tests, files that come with them."""
