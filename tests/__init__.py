"""The tests of the library; suites/ holds those that grade students."""
