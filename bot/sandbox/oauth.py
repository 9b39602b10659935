"""Slack's side of an installation: the page that asks, and sends back with a code."""

import html
import secrets
import time
from typing import Final
from urllib.parse import urlencode

from aiohttp import web

from bot.sandbox.core import Code, Core

CODE_SECONDS: Final = 600.0

PAGE: Final = """\
<!doctype html><html lang="en"><meta charset="utf-8"><title>Allow {app}?</title>
<meta name="viewport" content="width=device-width, initial-scale=1">
<style>body{{font:16px/1.5 system-ui,sans-serif;max-width:36em;margin:4em auto;padding:0 1em}}
button{{font:inherit;padding:.5em 1em;margin:0 .5em .5em 0}}</style>
<h1>Allow {app}?</h1><p>It wants to be installed, with these scopes:</p><p>{scopes}</p>
<form method="post">{hidden}{buttons}<button name="team" value="">Cancel</button></form></html>
"""


class Authorize:
    """`/oauth/v2/authorize`: somebody is asked, and sent back to the app."""

    def __init__(self, core: Core) -> None:
        self._core = core

    async def ask(self, request: web.Request) -> web.StreamResponse:
        """Show what the app wants, with a button for each workspace that it could be for."""
        asked = dict(request.query)
        if problem := self._problem(asked):
            return web.Response(status=400, text=problem)
        teams = [one.workspace.team for one in self._core.everywhere]
        hidden = "".join(
            f'<input type="hidden" name="{name}" value="{html.escape(asked.get(name, ""))}">'
            for name in ("client_id", "scope", "redirect_uri", "state")
        )
        buttons = "".join(
            f'<button name="team" value="{html.escape(team.id)}">Allow in {html.escape(team.name)}</button>'
            for team in teams
            if asked.get("team") in (None, "", team.id)
        )
        organisations = sorted({team.enterprise_id for team in teams if team.enterprise_id})
        buttons += "".join(
            f'<button name="team" value="{id}">Allow in all of Grid ({id})</button>' for id in organisations
        )
        scopes = html.escape(", ".join(sorted(asked.get("scope", "").split(","))))
        page = PAGE.format(app="the app", scopes=scopes, hidden=hidden, buttons=buttons)
        return web.Response(text=page, content_type="text/html")

    async def answer(self, request: web.Request) -> web.StreamResponse:
        """Send the person back, with a code or with the news that they did not allow it."""
        asked = {name: value for name, value in (await request.post()).items() if isinstance(value, str)}
        if problem := self._problem(asked):
            return web.Response(status=400, text=problem)
        chosen = asked.get("team")
        team = next((one for one in self._core.everywhere if chosen and chosen in _ids(one)), None)
        back = {"state": asked.get("state", "")}
        if team is None:
            back["error"] = "access_denied"
        else:
            back["code"] = code = f"{secrets.randbelow(10**12)}.{secrets.token_hex(16)}"
            self._core.codes[code] = Code(
                core=team,
                redirect_uri=asked["redirect_uri"],
                expires=time.time() + CODE_SECONDS,
                is_org_wide=chosen == team.workspace.team.enterprise_id,
            )
        raise web.HTTPFound(f"{asked['redirect_uri']}?{urlencode(back)}")

    def _problem(self, asked: dict[str, str]) -> str | None:
        options = self._core.options
        if asked.get("client_id") != options.client_id:
            return "invalid_client_id"
        if asked.get("redirect_uri") not in options.redirect_uris:
            return "bad_redirect_uri"
        wanted = set(asked.get("scope", "").split(","))
        return None if wanted <= options.scopes else f"invalid_scope: {sorted(wanted - options.scopes)}"


def _ids(core: Core) -> set[str | None]:
    """What may be chosen to have it here: the workspace, or its whole organisation."""
    return {core.workspace.team.id, core.workspace.team.enterprise_id}
