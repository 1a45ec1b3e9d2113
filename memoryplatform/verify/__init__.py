"""`manage.py verify`: the invariants of the database, of a tenant and of a bank. `checks.py` lists them."""
