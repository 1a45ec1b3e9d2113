"""What every question to a model needs: text of others fenced, answers read with tolerance, paid for once, counted."""
