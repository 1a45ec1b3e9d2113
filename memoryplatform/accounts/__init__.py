"""Sign-up and log-in: the places where django-allauth asks this project."""
