"""The answer of a model: what it is shown, the talk with it, and what of its reply counts."""
