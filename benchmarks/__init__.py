"""Measures how good and how fast the service is. Nothing else imports this package."""
