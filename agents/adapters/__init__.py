"""Environments in the form that other libraries' learners expect; each module needs its library."""
