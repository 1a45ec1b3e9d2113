"""Webhook deliveries: checked addresses, message shapes, signatures, and a limit for each tenant."""
