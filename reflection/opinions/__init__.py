"""Opinions: beliefs of the agent, formed by answers and conversations, moved by evidence, reviewed by people."""
