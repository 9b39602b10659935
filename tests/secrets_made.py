"""Three hundred secrets that look real and are none: made when a test runs, so that no file holds one."""

import base64
import random
import string
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

RNG: Final = random.Random(20260302)  # noqa: S311 - the same ones every time
ALNUM: Final = string.ascii_letters + string.digits
HEX: Final = "0123456789abcdef"
UPPER: Final = string.ascii_uppercase + string.digits


@dataclass(frozen=True, slots=True)
class Secret:
    """A text with a secret in it, and the part of it that nobody may see."""

    kind: str
    text: str
    core: str


def some(count: int, letters: str = ALNUM) -> str:
    """So many random letters, a digit among them where digits are."""
    made = "".join(RNG.choice(letters) for _ in range(count))
    return made if not set(letters) & set(string.digits) else f"{made[:-2]}7{made[-1]}"


def encoded(count: int) -> str:
    return base64.urlsafe_b64encode(RNG.randbytes(count)).decode().rstrip("=")


Make = Callable[[], tuple[str, str]]
"""The whole token, and its core."""


def issued(before: str, count: int, letters: str = ALNUM, after: str = "") -> Make:
    def make() -> tuple[str, str]:
        core = some(count, letters)
        return f"{before}{core}{after}", core

    return make


def json_web_token() -> tuple[str, str]:
    head = base64.urlsafe_b64encode(b'{"alg":"HS256","typ":"JWT"}').decode().rstrip("=")
    core = encoded(32)
    return f"{head}.{encoded(60)}.{core}", core


def private_key(kind: str) -> Make:
    def make() -> tuple[str, str]:
        core = encoded(45)
        lines = "\n".join([encoded(45), core, encoded(45)])
        return f"-----BEGIN {kind}PRIVATE KEY-----\n{lines}\n-----END {kind}PRIVATE KEY-----", core

    return make


TOKENS: Final[dict[str, Make]] = {
    "slack bot": issued("xo" + "xb-", 24, after=""),
    "slack user": issued("xo" + "xp-1234567890-", 24),
    "slack app": issued("xa" + "pp-1-A0123-", 40),
    "slack refresh": issued("xo" + "xe-1-", 40),
    "github": issued("gh" + "p_", 36),
    "github oauth": issued("gh" + "o_", 36),
    "github app": issued("gh" + "s_", 36),
    "github fine": issued("github" + "_pat_", 60),
    "gitlab": issued("gl" + "pat-", 20),
    "openai": issued("s" + "k-", 48),
    "openai project": issued("s" + "k-proj-", 60),
    "anthropic": issued("s" + "k-ant-api03-", 60),
    "stripe": issued("s" + "k_live_", 24),
    "stripe restricted": issued("r" + "k_live_", 24),
    "stripe hook": issued("wh" + "sec_", 32),
    "aws": issued("AK" + "IA", 16, UPPER),
    "aws temporary": issued("AS" + "IA", 16, UPPER),
    "google": issued("AI" + "za", 35),
    "google oauth": issued("ya" + "29.", 60),
    "google client": issued("GOC" + "SPX-", 28),
    "sendgrid": issued("S" + "G." + some(22) + ".", 43),
    "twilio": issued("S" + "K", 32, HEX),
    "mailgun": issued("key" + "-", 32, HEX),
    "npm": issued("np" + "m_", 36),
    "pypi": issued("py" + "pi-", 80),
    "rubygems": issued("ruby" + "gems_", 48, HEX),
    "docker": issued("dckr" + "_pat_", 27),
    "digitalocean": issued("dop" + "_v1_", 64, HEX),
    "huggingface": issued("h" + "f_", 34),
    "databricks": issued("da" + "pi", 32, HEX),
    "shopify": issued("sh" + "pat_", 32, HEX),
    "square": issued("sq" + "0atp-", 22),
    "telegram": issued("123456789:A" + "A", 33),
    "discord": issued("M" + some(23) + "." + some(6) + ".", 27),
    "atlassian": issued("ATA" + "TT3x", 60),
    "linear": issued("lin" + "_api_", 40),
    "notion": issued("nt" + "n_", 46),
    "figma": issued("fi" + "gd_", 40),
    "airtable": issued("pa" + "t" + some(14) + ".", 64, HEX),
    "new relic": issued("NR" + "AK-", 27, UPPER),
    "sentry": issued("sntr" + "ys_", 60),
    "grafana": issued("gl" + "sa_", 32),
    "vault": issued("hv" + "s.", 90),
    "postman": issued("PM" + "AK-" + some(24, HEX) + "-", 34, HEX),
    "planetscale": issued("pscale" + "_tkn_", 43),
    "doppler": issued("dp" + ".pt.", 43),
    "age": issued("AGE-SECRET" + "-KEY-1", 58, UPPER),
    "supabase": issued("sb" + "p_", 40, HEX),
    "jwt": json_web_token,
    "rsa": private_key("RSA "),
    "ec": private_key("EC "),
    "openssh": private_key("OPENSSH "),
    "pkcs8": private_key(""),
}
"""By who issues them."""

AROUND: Final = (
    "{}",
    "please use {} for it",
    'curl -H "X-Auth: {}" https://api.example/v1',
    '{{"value": "{}", "ttl": 60}}',
)
"""How a token stands in a text."""

NAMED: Final = (
    "password={}",
    "DB_PASSWORD={}",
    'export API_KEY="{}"',
    '{{"password": "{}"}}',
    "{{'client_secret': '{}'}}",
    '{{\\"api_key\\": \\"{}\\"}}',
    "--password {}",
    "--api-key={}",
    "mysql --user=root --password={} shop",
    "postgres://app:{}@db.example:5432/shop",
    "redis://:{}@cache.example/0",
    "mongodb+srv://app:{}@cluster.example/x",
    "amqps://app:{}@queue.example//",
    "https://deploy:{}@git.example/repo.git",
    "https://{}@git.example/repo.git",
    "Authorization: Bearer {}",
    "authorization: Basic {}",
    "Authorization: Token {}",
    "Cookie: session={}; theme=dark",
    "Set-Cookie: sid={}; Secure",
    "curl -u bob:{} https://api.example",
    "https://api.example/v1?access_token={}&page=2",
    "https://files.example/x?sig={}&se=2030",
    "https://hooks.slack.com/services/T000/B000/{}",
    "AccountName=x;AccountKey={};EndpointSuffix=core",
    "Server=db;User Id=sa;Password={};",
    "aws_secret_access_key = {}",
    "private_key: {}",
    "token: {}",
    "secret := {}",
    "passphrase => '{}'",
    "the key={} is new",
)
"""How a secret without a shape of its own stands behind its name."""


def secrets() -> list[Secret]:
    """Three hundred of them, each another one."""
    made = []
    for kind, make in TOKENS.items():
        for around in AROUND:
            whole, core = make()
            made.append(Secret(kind, around.format(whole), core))
    for around in NAMED:
        for length in (20, 24, 32):
            core = some(length)
            made.append(Secret(around, around.format(core), core))
    return made[:300]
