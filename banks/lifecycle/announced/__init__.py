"""Ends that lie ahead: announced, put off, handed on, and come."""
