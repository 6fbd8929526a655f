"""A payment channel and a deposit for tests, with the values of the provider's fixtures (contract §3.4, §3.5)."""

from __future__ import annotations

from dataclasses import replace
from decimal import Decimal

from sender.domain.channel import OpenChannel, Rail, RailStatus, Token, opened
from sender.domain.deposit import Deposit, DepositStatus, Sighting, confirmed, reorged, sighted
from sender.durations import SECOND, Instant

START: Instant = 1_700_000_000 * SECOND
SEEN_AT: Instant = 1_700_000_050 * SECOND
CONFIRMED_AT: Instant = 1_700_000_100 * SECOND

OPEN = OpenChannel(
    id="pc_1",
    project_id="prj_1",
    external_id="customer-42",
    applied_fee_percent=Decimal("1.5"),
    rails=(
        Rail("TRC20", RailStatus.ACTIVE, "TW7pMBrHnhSbrtgpBsFbLXwPfCiKtxaHhq", (Token("USDT", Decimal("1.00")),)),
        Rail("ERC20", RailStatus.PROVISIONING, None, (Token("USDT"),)),
    ),
)
CHANNEL = replace(opened(OPEN, START).resource, updated_at=CONFIRMED_AT)
SIGHTING = Sighting(
    id="pcd_9",
    transfer_id="trf_1",
    currency="USDT",
    network="TRC20",
    chain_id=728126428,
    contract_address="TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t",
    gross=Decimal("100.00"),
    tx_hash="9a2f1c",
    source_address="TPayerAddress",
    explorer="https://tronscan.org/#/transaction/",
)


def deposit_in(status: DepositStatus) -> Deposit:
    """Return a deposit in ``status``, seen and driven there at ``SEEN_AT``."""
    deposit = sighted(CHANNEL, SIGHTING, SEEN_AT).resource
    if status is DepositStatus.CONFIRMING:
        return deposit
    return (confirmed if status is DepositStatus.CONFIRMED else reorged)(deposit, SEEN_AT).resource
