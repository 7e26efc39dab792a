"""The suites that grade each chapter, and the plain loops they compare with."""
