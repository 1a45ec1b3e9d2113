"""Carrying deliveries to the addresses that tenants gave: where to, in which words, signed, and with what answer."""
