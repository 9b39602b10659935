"""What the bot shows in Slack, as rows."""

from collections.abc import Sequence
from typing import Any, Final

from sqlalchemy import Row, bindparam, select, update
from sqlalchemy.dialects.postgresql import insert  # its ON CONFLICT is one that SQLite is given too
from sqlalchemy.ext.asyncio import AsyncConnection

from bot.approvals.conversation import Post, PostKind, PostState
from bot.approvals.ids import ApprovalId, ConversationId, PostId
from bot.store.carding import lead_of
from bot.store.rows import Values
from bot.store.tables import posts

_OWE: Final = (
    insert(posts)
    .inline()
    .on_conflict_do_nothing(index_elements=["id"])
    .execution_options(preserve_rowcount=True)  # tells whether it was new; else SQLAlchemy may not look
)
_GET: Final = select(posts).where(posts.c.id == bindparam("wanted"))
_GET_LOCKED: Final = _GET.with_for_update()
_CARDS: Final = (
    select(posts)
    .where(posts.c.approval == lead_of(bindparam("wanted")), posts.c.kind == PostKind.CARD.value)
    .order_by(posts.c.place != "", posts.c.seq)
)
_OF: Final = select(posts).where(posts.c.conversation == bindparam("wanted")).order_by(posts.c.seq)
_OWED: Final = (
    select(posts)
    .where(posts.c.state.in_([PostState.OWED.value, PostState.SENDING.value]))
    .order_by(posts.c.seq)
)
_SAVE: Final = (
    update(posts)
    .where(posts.c.id == bindparam("wanted"))
    .values({name: bindparam(name) for name in ("state", "channel", "ts", "drawn", "settled_by", "problem")})
)
_REWRITE: Final = update(posts).where(posts.c.id == bindparam("wanted")).values({"text": bindparam("words")})


class PostRows:
    """`Posts` in one transaction."""

    __slots__ = ("_connection", "_get")

    def __init__(self, connection: AsyncConnection, *, locking: bool = False) -> None:
        self._connection = connection
        self._get = _GET_LOCKED if locking else _GET

    async def owe(self, post: Post) -> bool:
        """Write a new one; False if its id exists."""
        return (await self._connection.execute(_OWE, post_values(post))).rowcount == 1

    async def get(self, id: PostId) -> Post | None:
        """The one with this id."""
        row = (await self._connection.execute(self._get, {"wanted": id})).one_or_none()
        return None if row is None else _post(row)

    async def cards(self, approval: ApprovalId) -> Sequence[Post]:
        """Every copy of an approval's card, the one in the thread first, then the oldest."""
        return [_post(row) for row in await self._connection.execute(_CARDS, {"wanted": approval})]

    async def of(self, conversation: ConversationId) -> Sequence[Post]:
        """A conversation's, oldest first."""
        return [_post(row) for row in await self._connection.execute(_OF, {"wanted": conversation})]

    async def save(self, post: Post) -> None:
        """Write where and how it is shown; `LookupError` if it was never owed."""
        written = await self._connection.execute(_SAVE, {"wanted": post.id} | _showing(post))
        if not written.rowcount:
            raise LookupError(f"post {post.id!r} is not in the store")

    async def rewrite(self, post: Post) -> None:
        """Write what it says, and nothing else of it; `LookupError` if it was never owed."""
        written = await self._connection.execute(_REWRITE, {"wanted": post.id, "words": post.text})
        if not written.rowcount:
            raise LookupError(f"post {post.id!r} is not in the store")

    async def owed(self) -> Sequence[Post]:
        """All that are owed or half sent, oldest first."""
        return [_post(row) for row in await self._connection.execute(_OWED)]


def post_values(post: Post) -> Values:
    """The row of a post."""
    return {
        "id": post.id,
        "conversation": post.conversation,
        "kind": post.kind.value,
        "text": post.text,
        "approval": post.approval,
        "place": post.place,
        **_showing(post),
    }


def _showing(post: Post) -> Values:
    """Where and how a post is shown, which is what changes in it."""
    return {
        "state": post.state.value,
        "channel": post.channel,
        "ts": post.ts,
        "drawn": post.drawn,
        "settled_by": post.settled_by,
        "problem": post.problem,
    }


def _post(row: Row[Any]) -> Post:
    """The post of a row."""
    return Post(
        id=row.id,
        conversation=row.conversation,
        kind=PostKind(row.kind),
        text=row.text,
        approval=row.approval,
        place=row.place,
        state=PostState(row.state),
        channel=row.channel,
        ts=row.ts,
        drawn=row.drawn,
        settled_by=row.settled_by,
        problem=row.problem,
    )
