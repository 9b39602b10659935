"""What the bot says in a thread: the agent's answers, its own sentences, and what failed."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from slack_sdk.models.blocks import (
    Block,
    ContextBlock,
    MarkdownBlock,
    MarkdownTextObject,
    PlainTextObject,
    RichTextBlock,
    SectionBlock,
)

from bot.approvals.conversation import Post
from bot.approvals.ids import PostId, UserId
from bot.approvals.words import phrase, say
from bot.slack import buttons, verbs
from bot.slack.literal import Excerpt, excerpt, person, quoted, section, worded
from bot.slack.literal import plain as piece
from bot.slack.markdown import defuse, undefused
from bot.slack.message import File, Message, as_json
from bot.slack.splitting import in_messages
from bot.slack.text import clip, escape, mention, own_words, visible
from bot.slack.thumbs import thumbs

LONGEST_FALLBACK: Final = 3_000
"""Characters of a message's `text`; Slack takes 4,000 in an update."""
_LONGEST_SENTENCE: Final = 2_800
_OPENING: Final = 6_000
_AGENT_SAYS: Final = phrase("The agent says:")
"""Above every message that the agent wrote: its Markdown can look like anything, like a card of ours too."""
_BY_AN_AGENT: Final = phrase("Written by an AI agent, which can be wrong.")
"""At the end of what the agent wrote."""
NOT_RETRIED: Final = phrase("Over by now.")
FOLLOWS: Final = phrase("This is the beginning; the whole answer, {count:,} characters, follows below.")
TITLE: Final = phrase("The agent's whole answer")
MOST_MESSAGES: Final = 3
"""Messages of one answer; what is longer, 33,000 characters, nobody reads in a thread."""
_NOTHING: Final = phrase("The agent finished without saying anything.")


ASKED: Final = phrase("{who} asked:")
ASKED_AN_AGENT: Final = phrase("{who} asked {agent}:")


def answer(text: str, id: PostId, *, plainly: bool = False, files: bool = False) -> list[Message]:
    """The agent's words, in as many messages as they need, in order; at least one.

    Below the last one people can say what they think of it; `plainly`, with ordinary buttons. What needs
    more than a few has that below its first one, and goes on as a file, or in messages without `files`.
    """
    if not text.strip():
        return [notice(say(_NOTHING))]
    *parts, last = in_messages(defuse(visible(text)))
    if len(parts) >= MOST_MESSAGES:
        below = _small(say(FOLLOWS, count=len(text))), _small(_BY_AN_AGENT), thumbs(id, plainly=plainly)
        whole = Message(text=say(TITLE), blocks=[], file=File(title=say(TITLE), content=visible(text)))
        return [_part(parts[0], *below), *([whole] if files else map(_part, [*parts[1:], last]))]
    return [*map(_part, parts), _part(last, _small(_BY_AN_AGENT), thumbs(id, plainly=plainly))]


def notice(words: str) -> Message:
    """A sentence of the bot itself. People named in it by `<@U…>` are mentioned; no other markup is alive."""
    return sentence(own_words(words))


def failure(post: Post) -> Message:
    """What failed, with a Retry button until somebody pressed it."""
    if post.settled_by is None:
        retry = buttons.row(
            [buttons.button(verbs.RETRY, say("Retry"), post.id, about=say("what failed"))], "retry"
        )
        return sentence(f"⚠️ {escape(post.text)}", list(retry))
    told = say("Retried by {who}.", who=mention(post.settled_by)) if post.settled_by else say(NOT_RETRIED)
    small = ContextBlock(elements=[MarkdownTextObject(text=told, verbatim=True)], block_id="retried")
    message = sentence(f"⚠️ {escape(post.text)}", [small])
    return replace(message, text=f"{message.text} {told}")


def opening(requester: UserId, text: str, agent: str = "") -> Message:
    """The first message of a thread that a slash command started: who asked, and what, literally."""
    part = excerpt(text.strip() or "…", _OPENING)
    asked = ASKED_AN_AGENT if agent else ASKED
    line = section(*worded(asked, who=person(requester), agent=agent))
    words = [line, *quoted(part)]
    fallback = f"{say(asked, who=mention(requester), agent=agent)} {escape(text.strip())}"
    return Message(
        text=clip(fallback, LONGEST_FALLBACK),
        blocks=as_json([RichTextBlock(elements=words, block_id="asked")]),
    )


def _left_out(part: Excerpt) -> str:
    told = say("… {count:,} characters left out here …", count=part.left_out)
    return f"\n{told}\n" if part.left_out else ""


def refusal(words: str) -> str:
    """A refusal's text, for the person alone. The mentions that our own sentences hold stay readable."""
    return clip(own_words(words).strip(), LONGEST_FALLBACK) or "…"


def plain(message: Message) -> Message:
    """The message for a Slack that does not take its blocks: the words, literally."""
    words = "\n\n".join(str(block["text"]) for block in message.blocks if block["type"] == "markdown")
    part = excerpt(words.strip() or message.text, 9_000)
    literal = RichTextBlock(elements=[section(piece(part.head + _left_out(part) + part.tail))])
    below = [one for one in message.blocks if one.get("block_id") == "feedback"]
    return Message(
        text=message.text, blocks=[*as_json([_small(_AGENT_SAYS), literal, _small(_BY_AN_AGENT)]), *below]
    )


def _small(words: str) -> ContextBlock:
    return ContextBlock(elements=[PlainTextObject(text=say(words), emoji=False)])


def _part(markdown: str, *below: Block) -> Message:
    return Message(
        text=clip(escape(undefused(markdown)), LONGEST_FALLBACK),
        blocks=as_json([_small(_AGENT_SAYS), MarkdownBlock(text=markdown), *below]),
    )


def sentence(markup: str, below: Sequence[Block] = ()) -> Message:
    """A sentence in mrkdwn whose untrusted parts are escaped already, with more blocks below it."""
    text = clip(markup.strip(), _LONGEST_SENTENCE) or "…"
    told = SectionBlock(text=MarkdownTextObject(text=text, verbatim=True), block_id="sentence")
    return Message(text=text, blocks=as_json([told, *below]))
