"""The same questions through this service and through other memories, in one run."""
