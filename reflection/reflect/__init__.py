"""Reflect: an answer from memory in the character of the agent, and the opinions that it forms."""
