"""Review of opinions by people: a queue in the admin, and a page for each opinion."""
