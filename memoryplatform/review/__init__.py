"""Where people review opinions: a queue in the admin, and a page for each opinion with all that is behind it."""
