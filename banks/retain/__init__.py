"""Retain: what an agent sees and says becomes an archive, episodes, facts, entities and links."""
