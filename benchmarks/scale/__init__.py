"""`manage.py benchmark scale`."""
