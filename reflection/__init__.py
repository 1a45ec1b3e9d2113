"""CARA: answers with a disposition, opinions with a history, observations without a bias."""
