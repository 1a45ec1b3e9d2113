"""Which entity a mention means: candidates, scores, and who is asked where rules do not tell."""
