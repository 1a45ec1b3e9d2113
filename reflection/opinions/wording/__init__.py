"""What the words of a judgement say: who speaks, of what, which way, and whether two say the same."""
