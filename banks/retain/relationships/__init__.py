"""Relationships on their way into the tables: proven, begun, put off, ended, and the units that tell nothing else."""
