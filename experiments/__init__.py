"""What is run from the command line: one module of options and a `run` for each experiment."""
