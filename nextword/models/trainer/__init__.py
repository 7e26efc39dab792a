"""`nextword train`: a transformer on any text and machine, with checkpoints, on many processes."""
