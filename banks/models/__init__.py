from banks.models.bank import Bank

__all__ = ["Bank"]
