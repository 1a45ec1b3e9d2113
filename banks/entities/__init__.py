"""The people and things that memories are about: their names, mentions and descriptions."""
