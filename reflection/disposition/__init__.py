"""How an agent is inclined, in the words that a language model is given (formula 23)."""
