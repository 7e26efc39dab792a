"""lti.toml, keys and the command that makes them: what is wrong gets one line."""

import pytest
from typer.testing import CliRunner

from examiner.errors import UserError
from examiner.platforms.lti import keys
from examiner.platforms.lti.settings import read_settings
from nextword.cli import app

HEAD = 'address = "https://grader.example.org"\nkeys = ["lti-key.pem"]\n'
PLATFORM = """[[platforms]]
issuer = "https://lms.example.org"
client_id = "c"
deployments = ["1"]
login = "https://lms.example.org/login"
token = "https://lms.example.org/token"
jwks = "https://lms.example.org/jwks"
"""


def read(tmp_path, text):
    path = tmp_path / "lti.toml"
    path.write_text(text, "utf-8")
    return read_settings(path)


def test_what_keys_writes_can_be_read(folder) -> None:
    settings = read_settings(folder / keys.SETTINGS)
    assert (settings.platforms, settings.port, settings.session_hours) == ((), 8766, 8)
    assert settings.target("sorting") == "https://grader.example.org/lti/launch/sorting"
    assert [path.stat().st_mode & 0o777 for path in folder.glob("lti*")] == [0o600, 0o600]


def test_a_platform_is_found_by_issuer_and_client(tmp_path) -> None:
    two = PLATFORM + PLATFORM.replace('"c"', '"d"')
    settings = read(tmp_path, HEAD + two)
    assert settings.platform("https://lms.example.org", "d").client_id == "d"
    assert settings.platform("https://lms.example.org") is None  # which of the two?
    assert settings.platforms[0].name == "lms.example.org"


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("address =", "is no TOML"),
        (HEAD.replace("https", "http"), "expected an address such as https"),
        (HEAD.replace(".org", ".org/?a"), "expected a host, and perhaps a path"),
        ('address = "https://a.example"\n', "keys = None"),
        (HEAD + "port = 'x'\n", "expected a number"),
        (HEAD + "ports = 1\n", "ports is not known"),
        (HEAD + "platforms = 1\n", r"expected \[\[platforms\]\]"),
        (HEAD + PLATFORM.replace("client_id", "client"), "client is not known"),
        (HEAD + PLATFORM.replace('client_id = "c"\n', ""), "client_id is missing"),
        (HEAD + PLATFORM.replace('"c"', "17"), 'client_id = 17: expected a text such as "17"'),
        (HEAD + PLATFORM.replace('["1"]', '"1"'), "expected texts such as"),
        (HEAD + PLATFORM.replace("https://lms.example.org/token", "file:///x"), "token = "),
        (HEAD + PLATFORM + PLATFORM, "the same issuer and client_id"),
    ],
)
def test_bad_settings_get_one_line(tmp_path, text, says) -> None:
    with pytest.raises(UserError, match=says) as raised:
        read(tmp_path, text)
    assert "\n" not in str(raised.value)


def test_settings_that_are_not_there(tmp_path) -> None:
    with pytest.raises(UserError, match="`lti keys` writes one"):
        read_settings(tmp_path / "lti.toml")


def test_settings_are_found_by_their_folder(folder) -> None:
    assert read_settings(folder) == read_settings(folder / keys.SETTINGS)


def test_an_address_that_is_none_is_quoted(tmp_path) -> None:
    for given, says in [
        ([], "needs --address, such as https"),
        (["--address", "grader"], "--address grader: expected where browsers reach"),
        (["--address", "https://a.example/?x"], "expected where browsers reach"),
    ]:
        found = CliRunner().invoke(app, ["lti", "keys", str(tmp_path / "new"), *given])
        assert found.exit_code == 2
        assert says in " ".join(found.output.split())


def test_keys_are_never_overwritten(folder) -> None:
    before = (folder / keys.KEY).read_bytes()
    with pytest.raises(UserError, match="exist already: give another folder, or remove them"):
        keys.make(folder, "https://a.example")
    assert (folder / keys.KEY).read_bytes() == before


def test_keys_that_are_none_or_open_to_others(folder, tmp_path) -> None:
    path = tmp_path / "key.pem"
    for text, mode, says in [
        (b"no key", 0o600, "is no private key"),
        ((folder / keys.KEY).read_bytes(), 0o644, "others can read the key"),
    ]:
        path.write_bytes(text)
        path.chmod(mode)
        with pytest.raises(UserError, match=says):
            keys.read([path])
    with pytest.raises(UserError, match="cannot be read"):
        keys.read([tmp_path / "none.pem"])


def test_platforms_see_every_public_key_and_nothing_private(folder, tmp_path) -> None:
    other = tmp_path / "other"
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(keys, "BITS", 2048)
        keys.make(other, "https://a.example")
    found = keys.read([folder / keys.KEY, other / keys.KEY]).published["keys"]
    assert len({key["kid"] for key in found}) == 2
    assert all(set(key) == {"kty", "n", "e", "kid", "alg", "use"} for key in found)
