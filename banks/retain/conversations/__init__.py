"""Retaining conversations: messages become episodes, chunks and facts."""
