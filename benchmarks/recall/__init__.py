"""How good and how fast recall is, through the real retain and recall use-cases."""
