import pytest

from bot.slack.private import is_slacks

API = "https://slack.com/api/"
LOCAL = "http://127.0.0.1:8800/api/"


@pytest.mark.parametrize(
    ("url", "api"),
    [
        ("https://hooks.slack.com/actions/T1/1/x", API),
        ("https://hooks.slack-gov.com/actions/T1/1/x", API),
        ("https://slack.com/x", API),
        ("http://127.0.0.1:8800/response/1", LOCAL),
        ("https://hooks.slack.com/actions/T1/1/x", LOCAL),
    ],
)
def test_slacks_own_addresses_are_answered(url: str, api: str) -> None:
    assert is_slacks(url, api)


@pytest.mark.parametrize(
    "url",
    [
        "",
        "x",
        "http://hooks.slack.com/actions",
        "https://hooks.slack.com.evil.example/",
        "https://hooks.slack.com@evil.example/",
        "https://evil.example/?hooks.slack.com",
        "https://evil.example#hooks.slack.com",
        "https://evil.example/hooks.slack.com",
        "https://hooks.slack.com:444/",
        "https://hooks.slack.com:@evil.example/",
        "https://user@hooks.slack.com/",
        "https://hooks.slack.com\\@evil.example/",
        "https://hooks.sl\u0430ck.com/",
        "https://hooks.slack.com./",
        "ftp://hooks.slack.com/",
        "file:///etc/passwd",
        "//hooks.slack.com/",
        "https://[hooks.slack.com]/",
        "https://127.0.0.1/",
        "http://169.254.169.254/latest",
        "http://slack.com/api/",
        "javascript:alert(1)",
    ],
)
def test_any_other_address_is_not(url: str) -> None:
    assert not is_slacks(url, API)
