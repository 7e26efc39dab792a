"""What crosses between an examiner and a candidate: messages, and stand-ins for what stays."""
