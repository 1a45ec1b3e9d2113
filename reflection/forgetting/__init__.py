"""Controlled forgetting: what becomes of memories that are old, said twice, or better told in short."""
