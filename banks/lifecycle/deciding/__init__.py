"""What becomes of a new fact beside what is known: judged before the write, settled under the lock."""
