"""Controlled forgetting: old memories fade or are deleted, duplicates are united, old months are summarised."""
