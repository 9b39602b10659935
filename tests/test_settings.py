from datetime import timedelta
from pathlib import Path

import pytest

from bot.approvals.times import NEVER
from bot.oauth_settings import ID_ALONE, NO_CLIENT_ID, NO_KEY, NO_REDIRECT, NO_TEAMS, ONE_OR_SEVERAL
from bot.settings import BadSettings, Mode, Settings, load_env_file, misspelt

BOT, APP, SECRET = "xoxb-1-hush", "xapp-1-hush", "hush" * 8
FULL = {"SLACK_BOT_TOKEN": BOT, "SLACK_APP_TOKEN": APP, "SLACK_SIGNING_SECRET": SECRET}


@pytest.fixture(autouse=True)
def _clean(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.chdir(tmp_path)
    for name in Settings.model_fields:
        monkeypatch.delenv(name.upper(), raising=False)


@pytest.fixture
def env(monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest) -> dict[str, str]:
    given: dict[str, str] = request.param
    for name, value in given.items():
        monkeypatch.setenv(name, value)
    return given


def test_the_defaults_are_the_documented_ones() -> None:
    settings = Settings.from_environment()
    assert settings.slack_api_url == "https://slack.com/api/"
    assert (settings.bot_host, settings.bot_port) == ("127.0.0.1", 3000)
    assert settings.bot_database_url == "sqlite:///bot.db"
    assert (settings.bot_agent, settings.bot_model, settings.policy_file) == (None, None, None)


def test_the_policy_beside_the_working_directory_is_found() -> None:
    Path("approvals.toml").touch()
    assert Settings.from_environment().policy_file == Path("approvals.toml")


@pytest.mark.parametrize(
    ("env", "mode"),
    [
        ({}, Mode.SOCKET),
        ({"SLACK_APP_TOKEN": APP}, Mode.SOCKET),
        ({"SLACK_SIGNING_SECRET": SECRET}, Mode.HTTP),
        ({"SLACK_APP_TOKEN": APP, "SLACK_SIGNING_SECRET": SECRET}, Mode.SOCKET),
        ({"SLACK_APP_TOKEN": APP, "SLACK_SIGNING_SECRET": SECRET, "BOT_MODE": "http"}, Mode.HTTP),
        ({"SLACK_APP_TOKEN": "", "SLACK_SIGNING_SECRET": SECRET}, Mode.HTTP),
    ],
    indirect=["env"],
)
def test_the_mode_follows_from_the_secrets_unless_it_is_named(env: dict[str, str], mode: Mode) -> None:  # noqa: ARG001 - set by the fixture
    assert Settings.from_environment().mode is mode


@pytest.mark.parametrize(
    ("env", "problems"),
    [
        (FULL, []),
        ({}, ["SLACK_BOT_TOKEN is not set", "Neither SLACK_APP_TOKEN"]),
        ({"SLACK_BOT_TOKEN": BOT}, ["Neither SLACK_APP_TOKEN"]),
        ({"SLACK_BOT_TOKEN": APP, "SLACK_APP_TOKEN": BOT}, ["SLACK_BOT_TOKEN is", "SLACK_APP_TOKEN is"]),
        (
            {**FULL, "SLACK_APP_TOKEN": "", "BOT_MODE": "socket"},
            ["BOT_MODE is socket, which needs SLACK_APP"],
        ),
        (
            {**FULL, "SLACK_SIGNING_SECRET": "", "BOT_MODE": "http"},
            ["BOT_MODE is http, which needs SLACK_SIG"],
        ),
        ({**FULL, "SLACK_API_URL": "slack.com/api"}, ["SLACK_API_URL is not right: has to start with https"]),
        ({**FULL, "BOT_PORT": "70000"}, ["BOT_PORT is not right"]),
        ({**FULL, "BOT_MODE": "both"}, ["BOT_MODE is not right"]),
        ({**FULL, "SLACK_BOT_TOKEN": "xoxb-a b"}, ["SLACK_BOT_TOKEN is not right: has characters"]),
        (
            {**FULL, "SLACK_SIGNING_SECRET": "hush\u2026"},
            ["SLACK_SIGNING_SECRET is not right: has characters"],
        ),
        (
            {"SLACK_BOT_TOKEN": "hush", "BOT_PORT": "-1", "BOT_MODE": "x", "SLACK_API_URL": "x"},
            ["SLACK_BOT_TOKEN is", "SLACK_API_URL is", "BOT_PORT is", "BOT_MODE is", "Neither SLACK_APP"],
        ),
    ],
    indirect=["env"],
)
def test_every_problem_is_told_at_once_and_no_value_with_it(env: dict[str, str], problems: list[str]) -> None:
    told: list[str] = []
    rest: Settings | None = None
    try:
        rest = Settings.from_environment(for_slack=True)
    except BadSettings as bad:
        told, rest = bad.problems, bad.rest
    assert rest is not None
    assert len(told) == len(problems), told
    for problem, sentence in zip(problems, told, strict=True):
        assert sentence.startswith(problem)
        assert sentence.endswith(".")
        assert "hush" not in sentence
    assert env is not None


@pytest.mark.parametrize(
    "env",
    [{**FULL, "BOT_DATABASE_URL": "postgresql://bot:hush@db/bot"}],
    indirect=True,
)
def test_no_secret_is_in_a_repr(env: dict[str, str]) -> None:
    settings = Settings.from_environment(for_slack=True)
    assert "hush" in env["BOT_DATABASE_URL"]
    assert "hush" not in repr(settings) + str(settings) + f"{settings!r:>10}"


@pytest.mark.parametrize(
    "env", [{"SLACK_BOT_TOKEN": f" {BOT}\n", "SLACK_API_URL": "http://x"}], indirect=True
)
def test_what_copying_adds_is_taken_away(env: dict[str, str]) -> None:  # noqa: ARG001 - set by the fixture
    settings = Settings.from_environment()
    assert settings.slack_bot_token
    assert settings.slack_bot_token.get_secret_value() == BOT
    assert settings.slack_api_url == "http://x/"


def test_the_env_file_is_read_and_the_environment_wins(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("BOT_MODEL", "BOT_HOST", "TEAMS_OWN_KEY"):
        monkeypatch.setenv(name, "")  # so that it is put back afterwards
        monkeypatch.delenv(name)
    Path(".env").write_text("# ours\nBOT_MODEL=a:b\nexport BOT_HOST='::1'\nBOT_PORT=1\nTEAMS_OWN_KEY=k\n")
    monkeypatch.setenv("BOT_PORT", "2")
    load_env_file()
    settings = Settings.from_environment()
    assert (settings.bot_model, settings.bot_host, settings.bot_port) == ("a:b", "::1", 2)


@pytest.mark.parametrize(
    ("content", "problem"),
    [
        (b"BOT_PORT=1\n\n'xoxb-hush and more\n", "line 3: this is not NAME=value."),
        (b"BOT_MODEL=a\0b\n", "line 1: this is not NAME=value."),
        (b"\xff\xfehush", "it is not UTF-8 text."),
    ],
)
def test_a_broken_env_file_is_told_without_its_text(content: bytes, problem: str) -> None:
    Path(".env").write_bytes(content)
    with pytest.raises(BadSettings, match=r"\.env") as refused:
        load_env_file()
    assert problem in str(refused.value)
    assert "hush" not in str(refused.value)


def test_a_name_that_is_nearly_a_setting_is_noticed() -> None:
    environment = {"BOT_DATABSE_URL": "x", "BOT_MODEL": "y", "BOT_OF_OUR_OWN": "z", "SLACK_BOT_TOKN": "hush"}
    assert misspelt(environment) == [
        "BOT_DATABSE_URL is set, but there is no such setting; did you mean BOT_DATABASE_URL?",
        "SLACK_BOT_TOKN is set, but there is no such setting; did you mean SLACK_BOT_TOKEN?",
    ]


@pytest.mark.parametrize(
    ("written", "keep"), [(None, timedelta(days=30)), ("12h", timedelta(hours=12)), ("never", NEVER)]
)
def test_how_long_the_agent_remembers_is_a_duration_or_never(
    monkeypatch: pytest.MonkeyPatch, written: str | None, keep: timedelta
) -> None:
    monkeypatch.delenv("BOT_KEEP_CHECKPOINTS", raising=False)
    if written:
        monkeypatch.setenv("BOT_KEEP_CHECKPOINTS", written)
    assert Settings.from_environment().bot_keep_checkpoints == keep


@pytest.mark.parametrize("written", ["30", "soon", "0d", "366d"])
def test_what_is_no_duration_is_told_in_a_sentence(monkeypatch: pytest.MonkeyPatch, written: str) -> None:
    monkeypatch.setenv("BOT_KEEP_CHECKPOINTS", written)
    with pytest.raises(BadSettings, match=r"^BOT_KEEP_CHECKPOINTS is not a duration .*never"):
        Settings.from_environment()


KEY, OTHER_KEY = "A" * 42 + "E=", "B" * 42 + "E="
SEVERAL = {
    "SLACK_CLIENT_ID": "11.22",
    "SLACK_CLIENT_SECRET": "hush-hush",
    "SLACK_REDIRECT_URI": "https://bot.example.org/slack/oauth_redirect",
    "SLACK_TEAMS": "T0ONE, E0GRID",
    "BOT_TOKENS_KEY": f"{KEY}, {OTHER_KEY}",
    "SLACK_APP_TOKEN": APP,
}


@pytest.mark.parametrize(
    ("env", "problems"),
    [
        (SEVERAL, []),
        ({**SEVERAL, "SLACK_BOT_TOKEN": BOT}, [ONE_OR_SEVERAL]),
        ({**SEVERAL, "SLACK_CLIENT_ID": ""}, [NO_CLIENT_ID]),
        ({**SEVERAL, "SLACK_CLIENT_SECRET": ""}, [ID_ALONE]),
        ({**SEVERAL, "SLACK_REDIRECT_URI": ""}, [NO_REDIRECT]),
        ({**SEVERAL, "SLACK_TEAMS": ""}, [NO_TEAMS]),
        ({**SEVERAL, "BOT_TOKENS_KEY": ""}, [NO_KEY]),
        ({**SEVERAL, "BOT_TOKENS_KEY": " , "}, [NO_KEY]),
        ({**SEVERAL, "BOT_TOKENS_KEY": "hush"}, ["BOT_TOKENS_KEY is not right: it is no Fernet key; make"]),
        (
            {**SEVERAL, "BOT_TOKENS_KEY": f"{KEY},hush{KEY}"},
            ["BOT_TOKENS_KEY is not right: key number 2 of it is no Fernet key; make"],
        ),
        (
            {**SEVERAL, "SLACK_CLIENT_ID": "hush"},
            ["SLACK_CLIENT_ID is not right: has to be two numbers"],
        ),
        ({**SEVERAL, "SLACK_TEAMS": "U0ONE"}, ["SLACK_TEAMS is not right: has to be ids of workspaces"]),
        ({**SEVERAL, "SLACK_TEAMS": "any,T0ONE"}, ["SLACK_TEAMS is not right: has to be ids of workspaces"]),
        (
            {**SEVERAL, "SLACK_REDIRECT_URI": "http://bot.example.org/slack/oauth_redirect"},
            ["SLACK_REDIRECT_URI is not right: has to start with https"],
        ),
        ({**SEVERAL, "SLACK_REDIRECT_URI": "http://[::1]:8000/slack/oauth_redirect"}, []),
        (
            {**SEVERAL, "SLACK_REDIRECT_URI": "https:///slack/oauth_redirect"},
            ["SLACK_REDIRECT_URI is not right: has to start with https"],
        ),
        (
            {**SEVERAL, "SLACK_REDIRECT_URI": "https://bot.example.org/slack/oauth_redirect?x=1"},
            ["SLACK_REDIRECT_URI is not right: has to end in /slack/oauth_redirect"],
        ),
        (
            {**SEVERAL, "SLACK_REDIRECT_URI": "https://[bot/slack/oauth_redirect"},
            ["SLACK_REDIRECT_URI is not right: is no address"],
        ),
        (
            {**SEVERAL, "SLACK_CONFIG_TOKEN": "hush"},
            ["SLACK_CONFIG_TOKEN is not right: does not"],
        ),
        ({**SEVERAL, "SLACK_APP_TOKEN": ""}, ["Neither SLACK_APP_TOKEN"]),
        ({"SLACK_CLIENT_ID": "11.22", "SLACK_APP_TOKEN": APP}, [ID_ALONE, NO_REDIRECT, NO_TEAMS, NO_KEY]),
    ],
    indirect=["env"],
)
def test_an_installation_by_oauth_is_whole_or_told_what_it_lacks(
    env: dict[str, str], problems: list[str]
) -> None:
    told: list[str] = []
    try:
        Settings.from_environment(for_slack=True)
    except BadSettings as bad:
        told = bad.problems
    assert len(told) == len(problems), told
    for problem, sentence in zip(problems, told, strict=True):
        assert sentence.startswith(problem)
        assert sentence.endswith(".")
        assert "hush" not in sentence
    assert env is not None


@pytest.mark.parametrize("env", [SEVERAL], indirect=True)
def test_what_an_installation_by_oauth_needs_is_read_and_no_secret_is_in_a_repr(env: dict[str, str]) -> None:
    settings = Settings.from_environment(for_slack=True)
    assert settings.is_for_several
    assert settings.token_keys == (KEY, OTHER_KEY)
    assert settings.teams is not None
    assert sorted(settings.teams) == ["E0GRID", "T0ONE"]
    shown = repr(settings) + str(settings)
    assert "hush" not in shown
    assert KEY not in shown
    assert env is not None


@pytest.mark.parametrize("env", [{**SEVERAL, "SLACK_TEAMS": "any"}], indirect=True)
def test_any_workspace_may_install_only_where_it_is_said(env: dict[str, str]) -> None:
    assert Settings.from_environment(for_slack=True).teams is None
    assert Settings(_env_file=None, slack_teams=None).teams == frozenset() or env is None
