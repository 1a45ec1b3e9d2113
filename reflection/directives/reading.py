from banks.models import Bank
from reflection.directives.scope import applies
from reflection.models import Directive
from reflection.reflect.types import AppliedDirective, ReflectQuery


def read_directives(bank: Bank, query: ReflectQuery) -> tuple[AppliedDirective, ...]:
    """Those that the answer must follow, the weightiest first. Call inside a tenant transaction."""
    asked, every = query.recall.filters.tags, query.applies_all_directives
    rows = Directive.objects.of_bank(bank).active().by_priority()
    return tuple(AppliedDirective(row.id, row.name, row.content) for row in rows if every or applies(row.tags, asked))
