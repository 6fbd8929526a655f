"""Projects and API keys, as the API looks them up and as they are there from the start."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sqlalchemy import bindparam, delete, insert, select

from sender.domain.access import ApiKey, KeyKind, Project, first_keys, make_project
from sender.domain.text import can_travel
from sender.store.schema import api_keys, projects

if TYPE_CHECKING:
    from sqlalchemy import Row

    from sender.store.engine import Session

_PROJECTS = select(projects.c.id, projects.c.name).order_by(projects.c.seq)
_PROJECT = select(projects.c.id, projects.c.name).where(projects.c.id == bindparam("b_id"))
_KEY_COLUMNS = (api_keys.c.id, api_keys.c.secret, api_keys.c.kind, api_keys.c.is_test)
_KEYS = select(*_KEY_COLUMNS).order_by(api_keys.c.seq)
_KEY = select(*_KEY_COLUMNS).where(api_keys.c.id == bindparam("b_id"))


async def seed_access(session: Session, seed: int) -> None:
    """Enter the merchant's first project and its four keys, payment and payout, sandbox and production."""
    await add_project(session, make_project(seed, 0))
    for key in first_keys(seed):
        await add_key(session, key)


async def add_project(session: Session, project: Project) -> None:
    """Store a new project."""
    await session.run(insert(projects), {"id": project.id, "name": project.name})


async def add_key(session: Session, key: ApiKey) -> None:
    """Store a new key."""
    columns = {"id": key.id, "secret": key.secret, "kind": key.kind.value, "is_test": key.is_test}
    await session.run(insert(api_keys), columns)


async def read_projects(session: Session) -> list[Project]:
    """Return every project, oldest first."""
    return [Project(*row) for row in await session.rows(_PROJECTS)]


async def find_project(session: Session, project_id: str) -> Project | None:
    """Return a project, if there is one of this id."""
    if can_travel(project_id):
        for row in await session.rows(_PROJECT, {"b_id": project_id}):
            return Project(*row)
    return None


async def read_keys(session: Session) -> list[ApiKey]:
    """Return every key with its secret, oldest first."""
    return [_key(row) for row in await session.rows(_KEYS)]


async def find_key(session: Session, key_id: str) -> ApiKey | None:
    """Return a key with its secret, if there is one of this id."""
    if can_travel(key_id):
        for row in await session.rows(_KEY, {"b_id": key_id}):
            return _key(row)
    return None


async def remove_key(session: Session, key_id: str) -> bool:
    """Remove a key; tell whether it was there."""
    return can_travel(key_id) and await session.run(delete(api_keys).where(api_keys.c.id == key_id)) == 1


def _key(row: Row[Any]) -> ApiKey:
    return ApiKey(row.id, row.secret, KeyKind(row.kind), row.is_test)
