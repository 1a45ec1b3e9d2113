"""New facts against the opinions that they bear on: who judges, and what a verdict moves."""
