"""What judges: runs a course's suites on students' code, which never shares a process with them.

Works for any folder with a catalogue, solutions and suites; imports nothing of a course's library.
"""
