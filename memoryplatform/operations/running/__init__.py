"""How operations run: accepted with what they need, leased to one worker at a time, tried again, swept up, ended."""
