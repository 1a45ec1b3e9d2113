"""Use-cases of a bank: profile, background, directives, retention rules, counts and graphs."""
