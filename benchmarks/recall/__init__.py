"""Quality and speed of recall, measured through the real retain and recall use-cases."""
