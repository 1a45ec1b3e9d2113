"""How long a recall takes on a bank of ten thousand units, and where the time goes."""
