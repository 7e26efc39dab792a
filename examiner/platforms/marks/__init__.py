"""Points in the form in which a learning platform imports them, from any way of grading."""
