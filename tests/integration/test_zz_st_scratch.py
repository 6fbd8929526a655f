import pytest, schemathesis
from types import SimpleNamespace
from hypothesis import settings, HealthCheck
from requests.auth import AuthBase
from urllib.parse import urlsplit
from tests.api import sign, serving_beside, PAYMENT, PAYOUT
from sender.web.merchant.api import merchant_operations
from sender.web.openapi.document import make_document
from sender.providers.paymos import Paymos
class Sign(AuthBase):
    def __call__(self, r):
        p=urlsplit(r.url)
        body=r.body or b""
        if isinstance(body,str): body=body.encode()
        target=r.path_url
        key=PAYOUT if "/withdrawals" in p.path or "/balances" in p.path else PAYMENT
        r.headers.update(sign(r.method, target, body, key))
        return r
prof=Paymos()
none=SimpleNamespace(database=None, runtime=SimpleNamespace(clock=None), invoices=None,withdrawals=None,channels=None,profile=prof)
schema=schemathesis.openapi.from_dict(make_document(merchant_operations(none), prof.catalogue, "/"))
schema.auth.set_from_requests(Sign())
@pytest.fixture(scope="module")
def api():
    with serving_beside() as b:
        yield b
@schema.parametrize()
@settings(max_examples=40, deadline=None, suppress_health_check=list(HealthCheck))
def test_api(case, api):
    case.call_and_validate(base_url=api.base)
