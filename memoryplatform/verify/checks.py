"""All checks of `manage.py verify`, in the order in which they run."""

from memoryplatform.verify import (
    counts,
    isolation,
    ledgers,
    names,
    operations,
    provenance,
    references,
    revisions,
    text_index,
    validity,
    vectors,
)

DATABASE_CHECKS = [*isolation.CHECKS, *operations.DATABASE_CHECKS]
TENANT_CHECKS = [*references.CHECKS, *ledgers.CHECKS, *operations.CHECKS]
BANK_CHECKS = [
    *provenance.CHECKS,
    *validity.CHECKS,
    *revisions.CHECKS,
    *names.CHECKS,
    *counts.CHECKS,
    *vectors.CHECKS,
    *text_index.CHECKS,
]
