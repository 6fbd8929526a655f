"""The webhook secrets that are accepted right now."""

from __future__ import annotations

from typing import TYPE_CHECKING

from receiver_fixture.errors import Refused

if TYPE_CHECKING:
    from collections.abc import Sequence


class Keyring:
    """Holds the secrets, never shows them."""

    def __init__(self, secrets: Sequence[str]) -> None:
        self._secrets = tuple(secrets)

    @property
    def secrets(self) -> tuple[str, ...]:
        """Return the secrets, for verifying and nothing else."""
        return self._secrets

    def replace(self, secrets: object) -> int:
        """Accept these and no others from now on; return how many. Raises ``Refused``, quoting none of them."""
        if not isinstance(secrets, list) or not secrets:
            raise Refused("secrets must be a list of at least one webhook secret")
        if not all(isinstance(secret, str) and secret.strip() for secret in secrets):
            raise Refused("every one of the secrets must be non-blank text")
        self._secrets = tuple(secrets)
        return len(self._secrets)
