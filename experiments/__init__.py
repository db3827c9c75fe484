"""What is done with games and agents: one dataclass of options each, which is the command line and the saved config."""
