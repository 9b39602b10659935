"""Secrets in texts, by their shape: tokens, keys, passwords in addresses and behind their names. Pure.

Everything here runs over text that an agent chose, so every pattern is linear: it begins with something rare,
and whatever repeats in it is bounded or cannot begin twice at one place.

What is masked is never more than the secret. Where a value could be a command (`password=$(…)`), it is not
taken for a secret: a mask must not be a place to hide what runs.
"""

import re
from typing import Final

from bot.approvals.masks import begins_with_mask, mask

_PREFIXES: Final = (
    "whsec|shp[a-z]{2}|npm|hf|dckr_pat|dckr_oat|lin_api|lin_oauth|ntn|secret|figd|nfp|sbp|glc|glsa|r8|fw|gsk|tfp"
    "|pplx|xai|tvly|rnd|CLOJARS|pscale_(?:tkn|pw|oauth)|sntry[su]|rubygems|do[opr]_v1|EZ[AT]K|lsv2_(?:pt|sk)"
    "|key_live|tskey"
)
_ISSUED: Final = (
    r"xox[a-z](?:\.xox[a-z])?-[\w-]{8,400}",  # Slack
    r"x(?:app|wfp)-[\w-]{8,400}",
    r"gh[a-z]_[A-Za-z0-9]{20,300}",  # GitHub
    r"github_pat_\w{20,300}",
    r"gl[a-z]{2,5}-[\w.-]{16,300}",  # GitLab
    r"[sr]k_(?:live|test|prod)_\w{8,300}",  # Stripe
    rf"(?:{_PREFIXES})[_-](?=[\w=+/.-]{{0,200}}\d)[\w=+/.-]{{16,300}}",
    r"sk-(?=[\w-]{0,300}\d)[\w-]{16,400}",  # OpenAI, Anthropic and those who took it over from them
    r"(?:AKIA|ASIA|ABIA|ACCA|LTAI|AKID)[A-Z0-9a-z]{12,36}",  # Amazon, Alibaba, Tencent
    r"AIza[\w-]{30,60}",  # Google
    r"ya29\.[\w-]{16,500}",
    r"GOCSPX-[\w-]{16,60}",
    r"1//0[\w-]{20,300}",
    r"SG\.[\w-]{12,60}\.[\w-]{12,100}",  # SendGrid
    r"SK[0-9a-f]{32}",  # Twilio
    r"key-[0-9a-f]{24,64}",  # Mailgun
    r"[0-9a-f]{32}-us\d{1,2}",  # Mailchimp
    r"xkeysib-[0-9a-f]{32,80}(?:-\w{4,40})?",  # Brevo
    r"pypi-[\w-]{16,500}",
    r"dapi[0-9a-f]{32}(?:-\d)?",  # Databricks
    r"NR(?:AK|JS|II)-[\w-]{16,64}",  # New Relic
    r"HRKU-[\w-]{16,100}",  # Heroku
    r"PMAK-[0-9a-f]{16,32}-[0-9a-f]{16,64}",  # Postman
    r"dp\.(?:pt|st|ct|sa|scim|audit)\.[\w.-]{16,120}",  # Doppler
    r"hv[sbr]\.[\w-]{16,300}",  # Vault
    r"\w{14}\.atlasv1\.[\w-]{20,120}",  # Terraform
    r"pul-[0-9a-f]{20,60}",  # Pulumi
    r"sq0(?:atp|csp|idp)-[\w-]{16,80}",  # Square
    r"AT(?:ATT|CTT|BB|CFX|DL)\w{1,4}[\w=-]{16,400}",  # Atlassian
    r"pat[A-Za-z0-9]{14}\.[0-9a-f]{32,80}",  # Airtable
    r"sl\.[\w-]{40,300}",  # Dropbox
    r"(?:AQVN|t1\.|y0_)[\w-]{30,300}",  # Yandex
    r"[\w~.-]{3}\dQ~[\w~.-]{30,40}",  # Microsoft Entra
    r"AGE-SECRET-KEY-1[A-Z0-9]{30,80}",
    r"v1\.0-[0-9a-f]{20,40}-[0-9a-f]{60,200}",  # Cloudflare
    r"FlyV1 fm\d_[\w+/=,-]{16,800}",
    r"\d{8,10}:AA[\w-]{32,34}",  # Telegram
    r"[MNO][\w-]{22,27}\.[\w-]{6}\.[\w-]{27,45}",  # Discord
    r"eyJ[\w-]{8,4000}\.[\w-]{4,8000}(?:\.[\w-]{0,2000}){0,3}",  # JSON Web Token
    r"EAA[A-Za-z0-9]{40,300}",  # Meta, Square
)
"""What the services that issue them begin them with, so that they can be found; and what they are made of."""

_TOKEN: Final = re.compile(rf"(?<![A-Za-z0-9])(?:{'|'.join(_ISSUED)})")
_BLOCK: Final = re.compile(
    r"-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----"
    r"(?:[^-]|-(?!----))*(?:-----END [A-Z0-9 ]{0,60}-----)?"
    r"|PuTTY-User-Key-File-\d[^\x00]{0,8000}"
)
_HOOK: Final = re.compile(
    r"((?:hooks\.slack(?:-gov)?\.com/(?:services|workflows|triggers)|discord(?:app)?\.com/api/webhooks"
    r"|outlook\.office\.com/webhook|chat\.googleapis\.com/v1/spaces)/)([^\s\"'<>]{8,500})",
    re.IGNORECASE,
)
_IN_ADDRESS: Final = re.compile(r"(://[^\s/:@\"'<>]{0,128}:)([^\s/\"'<>]{1,256})(?=@)")
_ALONE_IN_ADDRESS: Final = re.compile(r"(://)([^\s/:@\"'<>]{20,256})(?=@)")
_SCHEME: Final = re.compile(
    r"(\b(?:Bearer|Basic|Token|Negotiate|ApiKey)[ \t]{1,8})"
    r"(?=[\w.~+/=-]{0,80}[\d=]|[\w.~+/=-]{24})([\w.~+/=-]{8,4000})",
    re.IGNORECASE,
)
_COOKIE: Final = re.compile(
    r"(\b(?:set-)?cookie[\"']?\s{0,4}:\s{0,4}[\"']?)([^\r\n\"']{4,4000})", re.IGNORECASE
)
_CURL: Final = re.compile(r"((?<!\S)(?:-u|--user)[ =][\"']?[^\s:\"']{1,64}:)([^\s\"'`;|&$]{3,256})")

_BARE: Final = r"(?:[^\s\"'`,;&|<>(){}\[\]\\$]|\$(?![({])){%d,512}"
_QUOTED: Final = r"(?<=\")(?:[^\"\n\\`$]|\$(?![({])){%d,512}(?=\"|\\)|(?<=')[^'\n\\]{%d,512}(?='|\\)"
_MEANS: Final = r"[\w-]{0,24}\\{0,8}[\"']?\s{0,4}(?:=>|:=|[:=])\s{0,4}"
_SCHEMES: Final = r"(?:(?:Bearer|Basic|Token|Digest|ApiKey)[ \t]{1,4})?"


def _named(names: str, least: int, like: str = "") -> re.Pattern[str]:
    """A value behind one of these names and `=` or `:`; at least so long, and like that."""
    value = f"{_QUOTED % (least, least)}|{_BARE % least}"
    return re.compile(
        rf"((?:{names}){_MEANS}\\{{0,8}}[\"']?{_SCHEMES}){like}({value})|"
        rf"((?<!-)--[\w-]{{0,20}}?(?:{names})[\w-]{{0,20}}[ \t]{{1,4}}[\"']?){like}({value})",
        re.IGNORECASE,
    )


_PASSWORD: Final = _named(
    r"pass(?:word|wd|phrase|code)|(?<![A-Za-z])p(?:ass|wd|wort)(?![A-Za-z])|secret|credential|authorization"
    r"|(?<![A-Za-z])pin[_-]?code|private[_-]?key|account[_-]?key|shared[_-]?access[_-]?key|api[_-]?key|apikey",
    3,
)
_RANDOM: Final = _named(
    r"token|(?<![A-Za-z])key|access[_-]?key|signature|(?<![A-Za-z])sig(?![A-Za-z])|(?<![A-Za-z])auth(?![A-Za-z])"
    r"|session(?:[_-]?id)?|jwt|bearer|nonce|salt|seed|csrf|otp|hmac",
    8,
    r"(?=[^\s\"',;&]{0,80}\d)",
)


def masked_text(text: str) -> str:
    """The text with a mask in the place of every secret that can be known by its shape."""
    text = _BLOCK.sub(_whole, text)
    text = _TOKEN.sub(_whole, text)
    for pattern in (_HOOK, _IN_ADDRESS, _ALONE_IN_ADDRESS, _COOKIE, _SCHEME, _CURL, _PASSWORD, _RANDOM):
        text = pattern.sub(_after_its_name, text)
    return text


def _whole(found: re.Match[str]) -> str:
    return mask(len(found[0]))


def _after_its_name(found: re.Match[str]) -> str:
    name, secret = (group for group in found.groups() if group is not None)
    if secret.lower() in _NOTHING or begins_with_mask(found.string, found.end() - len(secret)):
        return found[0]
    return f"{name}{mask(len(secret))}"


_NOTHING: Final = frozenset(
    {"null", "none", "true", "false", "undefined", "required", "string", "***"}
    | {"bearer", "basic", "token", "digest", "negotiate", "apikey"}
)
"""What stands behind a secret's name when there is no secret, or before it."""
