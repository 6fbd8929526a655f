"""The networks, tokens and rates of Paymos, read from ``paymos_networks.json``, and the quotes made of them.

The data is JSON because it is read at every start, and reading YAML takes a hundred times as long. Each row says what
its values rest on (contract §6 leaves most of them open).
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal
from pathlib import Path
from typing import Any, Protocol

from sender.domain.money import converted, ratio, scale_of
from sender.domain.payment import Quote
from sender.durations import SECOND, Duration
from sender.errors import RequestRefused
from sender.providers.paymos_addresses import address_for

DATA = Path(__file__).with_name("paymos_networks.json")


class Priced(Protocol):
    """What can be quoted: an invoice, or the command that creates one."""

    @property
    def id(self) -> str:
        """The invoice's id, from which the address follows."""

    @property
    def amount(self) -> Decimal:
        """What is to be paid, in ``currency``."""

    @property
    def currency(self) -> str:
        """The currency of the order."""


@dataclass(frozen=True, slots=True)
class Network:
    """One rail: its chain, how many confirmations it wants and how long they are expected to take."""

    code: str
    chain_id: int
    family: str
    required_confirmations: int
    confirmation_time: Duration
    explorer: str


@dataclass(frozen=True, slots=True)
class Catalogue:
    """What can be paid with and where.

    ``contracts`` maps (currency, network) to the token's contract, ``None`` for a native coin, the preferred pair
    first. ``per_usd`` says how much of each currency one US dollar is.
    """

    networks: Mapping[str, Network]
    contracts: Mapping[tuple[str, str], str | None]
    per_usd: Mapping[str, Decimal]

    def quote(self, order: Priced, currency: str, network: str, fee_rate: Decimal) -> Quote:
        """Return what ``order`` costs in ``currency`` on ``network``, rounded up to the token's scale.

        Raises ``RequestRefused`` for a currency without a rate and for a pair that is not offered.
        """
        rail = self.rail(currency, network)
        rate = ratio(self._per_usd(order.currency), self._per_usd(currency))
        return Quote(
            currency=currency,
            network=network,
            chain_id=rail.chain_id,
            contract_address=self.contracts[currency, network],
            expected=converted(order.amount, rate, scale_of(currency)),
            address=address_for(rail.family, f"{order.id}/{network}"),
            exchange_rate=rate,
            fee_rate=fee_rate,
            required_confirmations=rail.required_confirmations,
            confirmation_time=rail.confirmation_time,
            explorer=rail.explorer,
        )

    def pair_for(self, currency: str, network: str | None) -> tuple[str, str]:
        """Return the preferred (currency, network) for an order: its own token, else any, on its own network, else any.

        Raises ``RequestRefused`` for a currency without a rate and where nothing fits.
        """
        self._per_usd(currency)
        own = {pair for pair in self.contracts if pair[0] == currency}
        for pair in self.contracts:
            if (not own or pair in own) and network in {None, pair[1]}:
                return pair
        raise self._no_pair(currency, network)

    def rail(self, currency: str, network: str) -> Network:
        """Return the network that carries a token. Raises ``RequestRefused`` for what is no token, and no such pair."""
        if not self.is_token(currency):
            tokens = ", ".join(dict.fromkeys(token for token, _ in self.contracts))
            message = f"{currency} is not a token that is taken; tokens are {tokens}"
            raise RequestRefused(message, code="validation_failed", field="currency")
        if (currency, network) not in self.contracts:
            raise self._no_pair(currency, network)
        return self.networks[network]

    def is_token(self, currency: str) -> bool:
        """Tell whether a currency is something that can itself be paid with."""
        return any(token == currency for token, _ in self.contracts)

    def _per_usd(self, currency: str) -> Decimal:
        if currency not in self.per_usd:
            message = "Currency is not supported."
            raise RequestRefused(message, code="validation_failed", field="currency")
        return self.per_usd[currency]

    def _no_pair(self, currency: str, network: str | None) -> RequestRefused:
        offered = ", ".join(rail for token, rail in self.contracts if token == currency)
        where = f"it can be paid on {offered}" if offered else f"networks are {', '.join(self.networks)}"
        message = f"{currency} cannot be paid on {network}; {where}"
        return RequestRefused(message, code="validation_failed", field="network")


def load_catalogue(path: Path = DATA) -> Catalogue:
    """Read the catalogue that ships with the package."""
    data = json.loads(path.read_bytes())
    return Catalogue(
        networks={row["network"]: _network(row) for row in data["networks"]},
        contracts={(row["currency"], row["network"]): row.get("contract") for row in data["pairs"]},
        per_usd={currency: Decimal(amount) for currency, amount in data["per_usd"].items()},
    )


def _network(row: dict[str, Any]) -> Network:
    return Network(
        code=row["network"],
        chain_id=row["chain_id"],
        family=row["family"],
        required_confirmations=row["required_confirmations"],
        confirmation_time=row["confirmation_seconds"] * SECOND,
        explorer=row["explorer"],
    )
