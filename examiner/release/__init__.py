"""Makes what others get from the one source: stubs from solutions, a folder for students."""
