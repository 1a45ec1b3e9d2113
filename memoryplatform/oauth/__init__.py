"""OAuth 2.1 for MCP clients and apps: allauth's authorization server, with the rules of this service."""
