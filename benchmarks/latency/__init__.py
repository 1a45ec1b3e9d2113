"""The latency of a recall on a bank of ten thousand units, by stage."""
