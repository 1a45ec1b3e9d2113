"""From a passage to its facts, by whichever engine."""
