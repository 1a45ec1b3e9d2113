"""One file for each kind of operation. Importing this package registers them all."""

from memoryplatform.operations.kinds import consolidate, delete_bank, retain, vector_index

__all__ = ["consolidate", "delete_bank", "retain", "vector_index"]
