"""Starts candidates behind walls, and tries whether the walls hold on this machine."""
