"""This course, whose chapters, suites and solutions the tests are about."""

from pathlib import Path

from examiner.project import find_project

COURSE = find_project(Path(__file__))
CHAPTERS = COURSE.catalogue.chapters
