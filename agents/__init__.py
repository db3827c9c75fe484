"""Agents that play any game through `tabletop`: one file each, found by the file's name."""
