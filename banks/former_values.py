"""Former values of memory units, as SQL: the columns of a unit before each change of it.

`banks_unitchange` holds changes of units. An app whose units change in another way registers a source of its own when
it starts, so that a recall under `known_at` needs to know none of them.
"""

# Rows of (before, changed_at, id) for the alias `unit`. `before` has the former value of each column that changed. The
# oldest row since a moment holds the values of that moment. `$1` is the tenant, `{known}` the moment.
UNIT_CHANGES = """
SELECT change.before, change.changed_at, change.id FROM banks_unitchange AS change
WHERE change.tenant_id = $1 AND change.unit_id = unit.id AND change.changed_at > {known}
"""
_sources = [UNIT_CHANGES]


def register_former_values(source: str) -> None:
    """Call in `AppConfig.ready`."""
    if source not in _sources:
        _sources.append(source)


def write_former_values(known: str) -> str:
    """All sources, for the moment that the SQL expression `known` gives."""
    return "UNION ALL".join(source.format(known=known) for source in _sources)
