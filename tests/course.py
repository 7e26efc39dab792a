"""This course, whose chapters, suites and solutions the tests are about."""

from pathlib import Path

from nextword.project import find_project

COURSE = find_project(Path(__file__))
CHAPTERS = COURSE.catalogue.chapters
