"""Telling others what happened: who wants to know, and the deliveries that are written with what they tell."""
