"""The ways to find a memory: one file a channel, each with one function that gives a list of hits, best first."""
