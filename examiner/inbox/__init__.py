"""A queue of what students hand in, graded as it arrives. Leaves out who may hand in, and how."""
