"""The server's time for each page of the dashboard, on a bank of a hundred thousand memories."""
