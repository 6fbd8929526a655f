"""The catalogue of Paymos: what it offers, what a quote says, what is refused."""

from __future__ import annotations

import base64
import binascii
import hashlib
import json
import re
from dataclasses import replace
from decimal import Decimal

import pytest

from sender.domain.invoice import InvoiceStatus
from sender.domain.invoice_transitions import transition
from sender.domain.money import converted, scale_of
from sender.errors import RequestRefused
from sender.providers.paymos import Paymos
from sender.providers.paymos_addresses import BASE58, address_for
from sender.providers.paymos_networks import DATA, load_catalogue
from tests.invoices import CREATE, START, invoice_in

PAYMOS = Paymos()
CATALOGUE = load_catalogue()
FRESH = invoice_in(InvoiceStatus.AWAITING_CLIENT)
SHAPES = {
    "tron": r"T[1-9A-HJ-NP-Za-km-z]{33}",
    "evm": r"0x[0-9a-f]{40}",
    "ton": r"UQ[0-9A-Za-z_-]{46}",
    "solana": r"[1-9A-HJ-NP-Za-km-z]{42,44}",
    "near": r"[0-9a-f]{64}",
    "sui": r"0x[0-9a-f]{64}",
}


def test_the_networks_and_pairs_of_the_contract() -> None:
    """Thirteen networks, USDT on eleven, USDC on ten, native TRX on one."""
    tokens = [currency for currency, _ in CATALOGUE.contracts]
    assert {currency: tokens.count(currency) for currency in tokens} == {"USDT": 11, "USDC": 10, "TRX": 1}
    assert len(CATALOGUE.networks) == 13
    assert {network for _, network in CATALOGUE.contracts} == set(CATALOGUE.networks)


def test_every_row_says_what_it_rests_on() -> None:
    """No value of the data file stands without its ``verified`` note."""
    data = json.loads(DATA.read_bytes())
    assert all(row["verified"] for row in [*data["networks"], *data["pairs"]])
    assert data["per_usd_verified"]


def test_every_rate_is_of_a_known_currency() -> None:
    """A currency that has a rate can also be counted, and every token has a rate."""
    assert all(scale_of(currency) >= 0 for currency in CATALOGUE.per_usd)
    assert all(currency in CATALOGUE.per_usd for currency, _ in CATALOGUE.contracts)


@pytest.mark.parametrize(("currency", "network"), CATALOGUE.contracts)
def test_every_pair_can_be_quoted(currency: str, network: str) -> None:
    """Each pair gives a quote with a chain, a contract unless native, an address of the right shape."""
    quote = PAYMOS.quote(FRESH, currency, network)
    assert (quote.currency, quote.network, quote.chain_id) == (currency, network, CATALOGUE.networks[network].chain_id)
    assert (quote.contract_address is None) == (currency == "TRX")
    assert re.fullmatch(SHAPES[CATALOGUE.networks[network].family], quote.address)
    assert quote.fee_rate == Decimal("0.01")


@pytest.mark.parametrize("order", CATALOGUE.per_usd)
@pytest.mark.parametrize("token", ["USDT", "USDC", "TRX"])
def test_expected_times_rate_reaches_the_order(order: str, token: str) -> None:
    """For every currency of an order, ``amount`` is ``expected`` times ``exchange_rate``, never less."""
    amount = Decimal(1234)
    _, network = CATALOGUE.pair_for(token, None)
    quote = PAYMOS.quote(replace(FRESH, amount=amount, currency=order), token, network)
    assert quote.expected * quote.exchange_rate >= amount
    assert quote.expected == converted(amount, quote.exchange_rate, 6)


def test_the_verified_values_of_usdt_on_tron() -> None:
    """The one pair that the provider documents in full has exactly its values."""
    quote = PAYMOS.quote(FRESH, "USDT", "TRC20")
    assert (quote.chain_id, quote.contract_address) == (728126428, "TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t")
    assert (quote.required_confirmations, quote.explorer) == (19, "https://tronscan.org/#/transaction/")


def test_addresses_belong_to_an_invoice_and_a_network() -> None:
    """The same invoice has the same address again, and another one elsewhere; another invoice has another."""
    first = PAYMOS.quote(FRESH, "USDT", "TRC20").address
    assert PAYMOS.quote(FRESH, "USDT", "TRC20").address == first
    assert PAYMOS.quote(replace(FRESH, id="inv_other"), "USDT", "TRC20").address != first
    assert PAYMOS.quote(FRESH, "USDT", "ERC20").address != PAYMOS.quote(FRESH, "USDT", "BEP20").address


def test_addresses_have_valid_checksums() -> None:
    """A receiver that checks a Tron or TON address finds its checksum right."""
    value = 0
    for character in address_for("tron", "x"):
        value = value * 58 + BASE58.index(character)
    raw = value.to_bytes(25, "big")
    assert raw[0] == 0x41
    assert hashlib.sha256(hashlib.sha256(raw[:21]).digest()).digest()[:4] == raw[21:]
    ton = base64.urlsafe_b64decode(address_for("ton", "x"))
    assert binascii.crc_hqx(ton, 0) == 0


@pytest.mark.parametrize(
    ("currency", "network", "field"),
    [
        ("USDT", "SUI", "network"),
        ("USDC", "TRC20", "network"),
        ("USDT", "tron", "network"),
    ],
)
def test_a_pair_that_is_not_offered_is_refused_with_what_is(currency: str, network: str, field: str) -> None:
    """The refusal names the member at fault and the networks there are."""
    with pytest.raises(RequestRefused, match="ERC20") as refused:
        PAYMOS.quote(FRESH, currency, network)
    assert refused.value.field == field


def test_a_currency_without_a_rate_is_refused_at_creation() -> None:
    """An order in a currency that nobody prices is refused before there is an invoice."""
    with pytest.raises(RequestRefused, match=r"^Currency is not supported\.$") as refused:
        PAYMOS.priced(replace(CREATE, currency="XAU"))
    assert refused.value.field == "currency"


def test_a_token_order_with_a_network_awaits_payment_at_once() -> None:
    """A crypto-denominated order that names its network is locked, with its address in the answer."""
    command = PAYMOS.priced(replace(CREATE, currency="USDC", network="BASE"))
    invoice = transition(None, command, START).resource
    assert invoice.status is InvoiceStatus.AWAITING_PAYMENT
    assert invoice.payment is not None
    assert (invoice.payment.quote.currency, invoice.payment.expected) == ("USDC", Decimal(100))


def test_a_fiat_order_with_a_network_waits_for_the_client() -> None:
    """A fiat order may name a network; the token is still the buyer's choice, on that network."""
    invoice = transition(None, PAYMOS.priced(replace(CREATE, network="BASE")), START).resource
    assert (invoice.status, invoice.network) == (InvoiceStatus.AWAITING_CLIENT, "BASE")
    assert PAYMOS.choose(invoice).quote.currency == "USDC"
    with pytest.raises(RequestRefused):
        PAYMOS.priced(replace(CREATE, network="tron"))


def test_the_preferred_pair_is_usdt_on_tron() -> None:
    """Who names nothing pays a fiat order in USDT on TRC20, and a token order in its own token."""
    choice = PAYMOS.choose(FRESH)
    assert (choice.quote.currency, choice.quote.network, choice.lifetime) == ("USDT", "TRC20", PAYMOS.payment_lifetime)
    assert PAYMOS.choose(replace(FRESH, currency="USDC")).quote.currency == "USDC"
    assert PAYMOS.choose(FRESH, "USDC", "SUI").quote.network == "SUI"


@pytest.mark.parametrize("currency", ["USD", "DAI"])
def test_a_choice_that_names_no_token_is_refused(currency: str) -> None:
    """A fiat or unknown currency is not quietly replaced by a token that the buyer did not name."""
    with pytest.raises(RequestRefused) as refused:
        PAYMOS.choose(FRESH, currency, "TRC20")
    assert refused.value.field == "currency"


def test_an_unknown_family_is_a_fault_of_the_data() -> None:
    """A family without addresses is an error of whoever wrote the data file."""
    with pytest.raises(ValueError, match="dogecoin"):
        address_for("dogecoin", "x")
