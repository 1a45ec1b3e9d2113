"""How operations run: submitted, leased to one worker at a time, retried, swept, finished."""
