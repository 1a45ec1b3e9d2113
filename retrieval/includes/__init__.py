"""What comes along with the results, each kind with one statement and within tokens of its own."""
