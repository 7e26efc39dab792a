"""`nextword train --by`: a trained network is tuned by instruction, by preference or by a reward.

The losses and the steps are the reader's own, of chapter 7. Leaves out: the book's own trials of
them (nextword.models.recipes), and training from first weights (nextword.models.trainer).
"""
