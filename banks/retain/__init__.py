"""Retain: the input of an agent becomes an archive, episodes, facts, entities and links."""
