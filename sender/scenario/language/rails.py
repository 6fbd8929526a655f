"""Tokens and the networks that they are on: a pair that the provider has not is refused where it is written."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Self

from pydantic import model_validator

from sender.errors import RequestRefused
from sender.providers.paymos_networks import load_catalogue
from sender.scenario.language.part import Part
from sender.scenario.language.values import Currency, Network

if TYPE_CHECKING:
    from sender.providers.paymos_networks import Catalogue


class OnRail(Part):
    """A part that names a token and a network."""

    currency: Currency
    network: Network

    @model_validator(mode="after")
    def _is_on_it(self) -> Self:
        try:
            _catalogue().rail(self.currency, self.network)
        except RequestRefused as error:
            raise ValueError(str(error)) from None
        return self


@cache
def _catalogue() -> Catalogue:
    return load_catalogue()
