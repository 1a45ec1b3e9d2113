"""Finds the entity that a mention means: candidates, scores, and questions to a model."""
