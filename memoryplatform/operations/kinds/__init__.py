"""One file for each kind of operation. Importing this package registers them all."""

from memoryplatform.operations.kinds import delete_bank, retain

__all__ = ["delete_bank", "retain"]
