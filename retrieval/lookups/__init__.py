"""The statements that all channels share, each read once for a recall."""
