"""The solved course: one module per chapter, from which the stubs in coursework/ are generated."""
