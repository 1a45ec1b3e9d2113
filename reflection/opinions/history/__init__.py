"""Every step of an opinion, written down, replayed, and taken back with evidence that goes."""
