"""The writes of retain that all its ways share: facts and units."""
