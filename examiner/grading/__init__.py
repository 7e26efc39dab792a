"""Grades submissions from outside: tests run here, students' code runs in another process."""
