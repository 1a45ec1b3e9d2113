"""Observations: neutral summary sentences about an entity, written by a language model from the entity's facts."""
