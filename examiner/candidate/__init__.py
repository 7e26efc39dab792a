"""What runs beside a student's code, and locks it in. Holds no secret of the course."""
