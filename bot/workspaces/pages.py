"""What the browser shows during an installation: one plain sentence, and where to go on."""

import html
from collections.abc import Mapping
from typing import Final

from aiohttp import web

from bot.approvals.words import spoken_tag

_PAGE: Final = """\
<!doctype html>
<html lang="{tag}">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Approval Bot</title>
<style>
body {{ font: 1.125rem/1.5 system-ui, sans-serif; max-width: 34rem; margin: 15vh auto; padding: 0 1.25rem }}
a {{ display: inline-block; padding: .5rem 1rem; border-radius: .25rem; background: #1d3557; color: #fff }}
</style>
<h1>Approval Bot</h1>
<p>{sentence}</p>
{link}
</html>
"""

_HEADERS: Final = {
    "Cache-Control": "no-store",
    "Content-Security-Policy": "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'",
    "Referrer-Policy": "no-referrer",
    "X-Content-Type-Options": "nosniff",
}


def page(sentence: str, *, link: Mapping[str, str] | None = None, status: int = 200) -> web.Response:
    """A page with a sentence, and with links by their words; in the language that is spoken."""
    links = "".join(
        f'<p><a href="{html.escape(where)}">{html.escape(words)}</a></p>'
        for words, where in (link or {}).items()
    )
    return web.Response(
        text=_PAGE.format(tag=spoken_tag(), sentence=html.escape(sentence), link=links),
        status=status,
        content_type="text/html",
        charset="utf-8",
        headers=_HEADERS,
    )
