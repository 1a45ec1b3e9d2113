from django.db import models

from tenants.identifiers import uuid7


class Tenant(models.Model):
    """A customer: everything else belongs to one. The row itself stands behind the wall too, by its own id."""

    id = models.UUIDField(primary_key=True, default=uuid7, editable=False)
    slug = models.SlugField(max_length=63, unique=True)
    name = models.CharField(max_length=200)
    created_at = models.DateTimeField(auto_now_add=True)
    suspended_at = models.DateTimeField(null=True, blank=True, help_text="No key of a suspended tenant works.")

    def __str__(self) -> str:
        return self.name
