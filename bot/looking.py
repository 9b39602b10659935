"""Which database the commands look into: the bot's, or that of one of several workspaces."""

from typing import Final

from bot.errors import CannotStart
from bot.settings import Settings
from bot.store.location import workspace_database

WHICH: Final = (
    "Each of several workspaces has a database of its own: say which one by BOT_TEAM, e.g. BOT_TEAM=T0ONE."
)


def settings_for_looking() -> Settings:
    """The settings, with the database that is meant; `CannotStart` if that is not clear."""
    settings = Settings.from_environment()
    if settings.bot_team:
        where = workspace_database(settings.bot_database_url, settings.bot_team)
        return settings.model_copy(update={"bot_database_url": where})
    if settings.is_for_several:
        raise CannotStart(WHICH)
    return settings
