"""`/stats` and `/stats/memories-timeseries`: how much a bank holds, and since when."""

from django.utils import timezone
from rest_framework.request import Request
from rest_framework.response import Response

from memoryplatform.api.compat.hindsight.hindsight_view import HindsightView
from memoryplatform.api.compat.hindsight.tolerance import read_query
from memoryplatform.api.v1.bank_stats import StatsView, TimeseriesInput, describe_series
from memoryplatform.operations.banks.profile import get_bank
from memoryplatform.operations.banks.stats import count_by_time
from tenants.transactions import tenant_transaction


class HindsightStatsView(HindsightView, StatsView):
    pass


class HindsightTimeseriesView(HindsightView):
    def get(self, request: Request, bank_id: str) -> Response:
        wanted = read_query(TimeseriesInput, request)
        with tenant_transaction(self.tenant_id):
            buckets = count_by_time(get_bank(self.access, bank_id), now=timezone.now(), **wanted)
        return Response(describe_series(bank_id, wanted, buckets))
