"""Which names mean the same thing: pure functions over values, so that they can be tried without a database."""
