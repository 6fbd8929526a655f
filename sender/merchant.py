"""The merchant that the simulator plays the provider for: its projects, keys and balances."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sender.domain.access import ApiKey, KeyKind, Project, make_key, make_project
from sender.domain.text import check_text
from sender.store import access, balances, world

if TYPE_CHECKING:
    from sender.store.balances import Balance
    from sender.store.engine import Database

NAME_MAX = 128


class Merchant:
    """The one merchant of a simulator. A project and four keys are there from the start, made from the seed."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def projects(self) -> list[Project]:
        """Return every project, oldest first."""
        async with self._database.read() as session:
            return await access.read_projects(session)

    async def keys(self) -> list[ApiKey]:
        """Return every key with its secret, oldest first."""
        async with self._database.read() as session:
            return await access.read_keys(session)

    async def add_project(self, name: str) -> Project:
        """Add a project. Raises ``RequestRefused`` for a name that is blank or too long."""
        check_text(name, "name", NAME_MAX)
        async with self._database.write() as session:
            numbers = await world.reserve(session, 1)
            project = make_project(numbers.seed, numbers.first, name)
            await access.add_project(session, project)
        return project

    async def add_key(self, kind: KeyKind, *, is_test: bool = True) -> ApiKey:
        """Add a key pair."""
        async with self._database.write() as session:
            numbers = await world.reserve(session, 1)
            key = make_key(numbers.seed, numbers.first, kind, is_test=is_test)
            await access.add_key(session, key)
        return key

    async def revoke_key(self, key_id: str) -> bool:
        """Take a key pair back; tell whether it was there."""
        async with self._database.write() as session:
            return await access.remove_key(session, key_id)

    async def balances(self, *, is_test: bool = True) -> list[Balance]:
        """Return what the merchant can dispose of in an environment."""
        async with self._database.read() as session:
            return await balances.read_balances(session, is_test=is_test)
