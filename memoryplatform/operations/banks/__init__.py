"""What a caller does with a bank: its profile, rules and directives, and what it holds at a glance."""
