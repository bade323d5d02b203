"""Judging spam outside of the core: labelled texts, training, and the file that a model is kept in.

Only `training` needs scikit-learn, which is optional; whoever judges needs numbers alone.
"""
