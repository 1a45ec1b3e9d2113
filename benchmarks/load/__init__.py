"""`manage.py benchmark load`."""
