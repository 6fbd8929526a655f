"""Projects and keys: there from the start, the same for the same seed, more of them when asked for (contract §5.1)."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from sender.clock import start_timeline
from sender.domain.access import ApiKey, KeyKind
from sender.errors import RequestRefused
from sender.store import access, world
from tests.providing import SEED, START, providing

if TYPE_CHECKING:
    from tests.providing import Provider


async def find(provider: Provider, key_id: str) -> ApiKey | None:
    """Return a key as the API looks it up."""
    async with provider.database.read() as session:
        return await access.find_key(session, key_id)


async def test_a_project_and_four_keys_are_there_from_the_start(database_url: str) -> None:
    """One project; payment and payout keys of both environments, with the prefixes of the contract, all different."""
    async with providing(database_url) as provider:
        (project,) = await provider.merchant.projects()
        assert project.id.startswith("prj_")
        keys = await provider.merchant.keys()
        assert [(key.kind, key.is_test, key.id[:8], key.secret[:8]) for key in keys] == [
            ("payment", True, "pk_test_", "sk_test_"),
            ("payout", True, "rk_test_", "sk_test_"),
            ("payment", False, "pk_live_", "sk_live_"),
            ("payout", False, "rk_live_", "sk_live_"),
        ]
        assert len({key.secret for key in keys}) == 4
        assert [await find(provider, key.id) for key in keys] == keys


async def test_they_follow_from_the_seed_and_outlive_a_restart(database_url: str) -> None:
    """The same seed gives the same credentials on any database, and preparing again changes nothing."""
    async with providing(database_url) as provider, providing("memory") as other:
        mine = await provider.merchant.keys(), await provider.merchant.projects()
        assert mine == (await other.merchant.keys(), await other.merchant.projects())
        await provider.merchant.add_key(KeyKind.PAYOUT)
        await world.prepare(provider.database, SEED + 1, start_timeline("manual", provider.clock.real_now(), START))
        assert (await provider.merchant.keys())[:4] == mine[0]
        assert len(await provider.merchant.keys()) == 5


async def test_another_seed_gives_others() -> None:
    """Two simulators with different seeds share no credential."""
    async with providing("memory") as provider, providing("memory", seed=SEED + 1) as other:
        mine = {key.secret for key in await provider.merchant.keys()}
        assert mine.isdisjoint(key.secret for key in await other.merchant.keys())
        assert await provider.merchant.projects() != await other.merchant.projects()


async def test_more_can_be_added(database_url: str) -> None:
    """Added projects and keys are found, in order, and no two keys share a secret."""
    async with providing(database_url) as provider:
        project = await provider.merchant.add_project("Second shop")
        assert (await provider.merchant.projects())[1:] == [project]
        async with provider.database.read() as session:
            assert await access.find_project(session, project.id) == project
        added = [await provider.merchant.add_key(kind, is_test=test) for kind in KeyKind for test in (True, False)]
        keys = await provider.merchant.keys()
        assert keys[4:] == added
        assert len({key.secret for key in keys}) == len({key.id for key in keys}) == 8
        with pytest.raises(RequestRefused):
            await provider.merchant.add_project(" ")


async def test_what_is_nobodys_id_finds_nobody(database_url: str) -> None:
    """Unknown ids, and text that no database can be asked for, find no key and no project."""
    async with providing(database_url) as provider:
        for one in ("", "pk_test_unknown", "pk_test_\0", "\ud800"):
            assert await find(provider, one) is None
            async with provider.database.read() as session:
                assert await access.find_project(session, one) is None


async def test_a_secret_is_not_in_what_is_printed() -> None:
    """The text form of a key, as it would come into a log, does not hold its secret."""
    async with providing("memory") as provider:
        key = (await provider.merchant.keys())[0]
        assert key.secret not in f"{key} {key!r}"
        assert key.id in repr(key)
