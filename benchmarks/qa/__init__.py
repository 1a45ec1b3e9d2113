"""`benchmark qa`: the share of questions that a reader answers rightly from memory, as a judge sees it."""
