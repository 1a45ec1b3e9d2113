"""Who the agent is, in the first person: how news of it is merged in, and what it was before (formula 27)."""
