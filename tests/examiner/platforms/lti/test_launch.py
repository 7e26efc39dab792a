"""Login and launch: who is let in, and what is refused."""

import base64
import json
import time
from urllib.parse import parse_qs, urlsplit

import jwt
import pytest

from examiner.platforms.lti.launch import INSTRUCTOR, MEMBERS, STUDENT, Gate, RefusedError
from examiner.platforms.lti.members import Member, students_of
from examiner.platforms.lti.memory import Memory
from tests.examiner.platforms.lti.conftest import ADDRESS
from tests.examiner.platforms.lti.platform import (
    CLAIM,
    CLIENT,
    DEEP,
    DEPLOYMENT,
    ROLES,
    new_key,
    public_pem,
)

TARGET = f"{ADDRESS}/lti/launch/sorting"
CLOCK = ("exp", "iat", "nbf")  # given in seconds from now: tests begin long after they are read


class Tool:
    """A gate, and a browser that goes through it."""

    def __init__(self, registered) -> None:
        self.platform = registered.platform
        targets = [TARGET, f"{ADDRESS}/lti/launch"]
        self.gate = Gate(registered.settings, registered.keys, targets)

    def log_in(self, **given):
        """Begin; return what the platform is asked, and the browser's cookies."""
        usual = {"iss": self.platform.address, "login_hint": "hint", "target_link_uri": TARGET}
        usual |= {"client_id": CLIENT, "lti_deployment_id": DEPLOYMENT, **given}
        where, cookies = self.gate.login(usual)
        asked = {name: values[0] for name, values in parse_qs(urlsplit(where).query).items()}
        return asked, dict(cookies)

    def launch(self, token, asked, cookies):
        return self.gate.launch({"id_token": token, "state": asked["state"]}, cookies)

    def launched(self, how=None, **claims):
        """Log in, and launch with these claims; `how` says how they are signed."""
        asked, cookies = self.log_in()
        said = self.platform.claims(asked["nonce"], TARGET, **claims)
        return self.launch(self.platform.sign(said, **(how or {})), asked, cookies)


@pytest.fixture
def tool(registered):
    return Tool(registered)


def test_a_login_asks_the_platform_as_the_specification_says(tool) -> None:
    asked, cookies = tool.log_in()
    assert asked["redirect_uri"] == f"{ADDRESS}/lti/launch"
    fixed = {"scope": "openid", "response_type": "id_token", "response_mode": "form_post"}
    assert fixed.items() <= asked.items()
    assert cookies == {asked["state"]: asked["state"]}


def test_a_student_is_let_in(tool) -> None:
    found = tool.launched()
    assert (found.user, found.role, found.name) == ("u1", STUDENT, "Ada Lovelace")
    assert (found.link, found.context) == ("link-1", "Algorithms")


def test_half_of_a_sign_at_the_end_of_a_title_keeps_nobody_out(tool, ledger) -> None:
    """A platform that cuts long titles may leave it there; nobody could open the assignment."""
    titled = {"id": "link-1", "title": "Sort \ud83d"}
    found = tool.launched(
        **{f"{CLAIM}resource_link": titled, f"{CLAIM}context": {"title": "Algorithms \ud83d"}}
    )
    link = ledger.link(ledger.enter(found, "sorting").link)
    assert (link.title, link.context) == ("Sort ?", "Algorithms ?")


@pytest.mark.parametrize(
    ("claims", "found"),
    [
        ({"name": None, "given_name": "Ada", "family_name": "L"}, {"name": "Ada L"}),
        ({"name": None, "family_name": None}, {"name": ""}),
        ({f"{CLAIM}resource_link": {"id": 5}}, {"link": "5"}),
        ({f"{CLAIM}context": "null"}, {"context": ""}),
        ({MEMBERS: "null"}, {"members": ""}),
        ({"iat": 50, "exp": 300}, {"user": "u1"}),
        ({"iat": -300, "exp": -50}, {"user": "u1"}),
    ],
)
def test_what_platforms_leave_out_or_say_otherwise_keeps_nobody_out(tool, claims, found) -> None:
    now = int(time.time())
    said = {key: now + value if key in CLOCK else value for key, value in claims.items()}
    launch = tool.launched(**said)
    assert {name: getattr(launch, name) for name in found} == found


def test_assignments_without_an_id_are_not_taken_for_one(tool) -> None:
    with pytest.raises(RefusedError, match="without an id"):
        tool.launched(**{f"{CLAIM}resource_link": {"id": ["5"]}})


def test_members_that_are_none_hide_no_others() -> None:
    rows = [
        *(None, "x", {"user_id": 5, "roles": None}, {"user_id": 6, "roles": "Learner"}),
        {"user_id": "7", "given_name": "Ada", "family_name": "L", "roles": ["Learner"]},
    ]
    assert students_of(rows) == [Member("6", "", ""), Member("7", "Ada L", "")]


@pytest.mark.parametrize(
    ("roles", "role"),
    [
        (["Learner"], STUDENT),
        (["Instructor"], INSTRUCTOR),
        (["Learner", "Instructor"], INSTRUCTOR),
        (["Mentor"], ""),
        ([], ""),
    ],
)
def test_roles(tool, roles, role) -> None:
    named = [f"{ROLES}{each}" for each in roles]
    assert tool.launched(**{f"{CLAIM}roles": named}).role == role


def test_only_the_course_makes_an_instructor(tool) -> None:
    """Who teaches elsewhere in the school, or keeps the platform running, may learn here."""
    elsewhere = "http://purl.imsglobal.org/vocab/lis/v2/institution/person#Instructor"
    system = "http://purl.imsglobal.org/vocab/lis/v2/system/person#Administrator"
    roles = [elsewhere, system, f"{ROLES}Learner"]
    assert tool.launched(**{f"{CLAIM}roles": roles}).role == STUDENT
    helper = "http://purl.imsglobal.org/vocab/lis/v2/membership/Instructor#TeachingAssistant"
    assert tool.launched(**{f"{CLAIM}roles": [helper]}).role == INSTRUCTOR


@pytest.mark.parametrize(
    ("claims", "why"),
    [
        ({"exp": -120, "iat": -400}, "expired"),
        ({"exp": None}, "exp"),
        ({"iat": 600, "exp": 900}, "not yet valid"),
        ({"nbf": 600}, "not yet valid"),
        ({"aud": "another-client"}, "another client"),
        ({"aud": [CLIENT, "another-client"]}, "another client"),
        ({"aud": ["another-client", CLIENT]}, "another client"),
        ({"azp": "another-client"}, "another client"),
        ({"iss": "https://elsewhere.example.org"}, "issuer"),
        ({"nonce": "another"}, "nonce"),
        ({"sub": None}, "sub"),
        ({f"{CLAIM}deployment_id": "dep-2"}, "deployment"),
        ({f"{CLAIM}deployment_id": None}, "deployment"),
        ({f"{CLAIM}target_link_uri": f"{ADDRESS}/lti/launch/other"}, "target"),
        ({f"{CLAIM}target_link_uri": None}, "target"),
        ({f"{CLAIM}version": "1.1"}, "version"),
        ({f"{CLAIM}message_type": "LtiSomethingElse"}, "message type"),
        ({f"{CLAIM}resource_link": None}, "Resource Link"),
        ({f"{CLAIM}roles": None}, "Roles"),
    ],
)
def test_what_a_platform_did_not_say_so_is_refused(tool, claims, why) -> None:
    now = int(time.time())
    claims = {key: now + said if key in CLOCK and said else said for key, said in claims.items()}
    with pytest.raises(RefusedError, match=f"(?i){why}"):
        tool.launched(**claims)


def unsigned(claims) -> str:
    parts = ({"alg": "none", "typ": "JWT", "kid": "platform-key"}, claims)
    texts = [base64.urlsafe_b64encode(json.dumps(each).encode()).rstrip(b"=") for each in parts]
    return b".".join([*texts, b""]).decode()


def confused(platform, claims) -> str:
    """Sign by the public key, as if it were a shared secret: PyJWT itself refuses to."""
    import hashlib
    import hmac

    head = {"alg": "HS256", "typ": "JWT", "kid": platform.kid}
    texts = [
        base64.urlsafe_b64encode(json.dumps(each).encode()).rstrip(b"=") for each in (head, claims)
    ]
    body = b".".join(texts)
    made = hmac.new(public_pem(platform.key), body, hashlib.sha256).digest()
    return b".".join([body, base64.urlsafe_b64encode(made).rstrip(b"=")]).decode()


def test_signatures_that_are_none(tool) -> None:
    platform = tool.platform
    asked, cookies = tool.log_in()
    good = platform.sign(platform.claims(asked["nonce"], TARGET)).split(".")
    other = platform.sign(platform.claims(asked["nonce"], TARGET, "u2")).split(".")
    forged = {
        "another key": lambda said: platform.sign(said, key=new_key()),
        "another key's name": lambda said: platform.sign(said, kid="unknown"),
        "none": unsigned,
        "the public key as a secret": lambda said: confused(platform, said),
        "another token's": lambda said: ".".join([*good[:2], other[2]]),
        "half a token": lambda said: platform.sign(said).rpartition(".")[0],
        "no token": lambda said: "",
        "rubbish": lambda said: "a.b.c",
        "a list": lambda said: jwt.encode({}, "k" * 32).replace("e30", "W10"),
    }
    for name, forge in forged.items():
        asked, cookies = tool.log_in()
        token = forge(platform.claims(asked["nonce"], TARGET))
        with pytest.raises(RefusedError):
            pytest.fail(f"{name}: {tool.launch(token, asked, cookies)}")


def test_a_launch_works_once(tool) -> None:
    asked, cookies = tool.log_in()
    token = tool.platform.sign(tool.platform.claims(asked["nonce"], TARGET))
    assert tool.launch(token, asked, cookies).user == "u1"
    with pytest.raises(RefusedError, match="used"):
        tool.launch(token, asked, cookies)


def test_a_used_nonce_is_refused_in_another_login(tool) -> None:
    first, cookies = tool.log_in()
    token = tool.platform.sign(tool.platform.claims(first["nonce"], TARGET))
    tool.launch(token, first, cookies)
    second, cookies = tool.log_in()
    with pytest.raises(RefusedError, match="nonce"):
        tool.launch(token, second, cookies)


def test_another_browsers_login_is_refused(tool) -> None:
    """Who makes somebody else launch, to have them hand in under a foreign name."""
    mine, my_cookies = tool.log_in()
    theirs, their_cookies = tool.log_in()
    token = tool.platform.sign(tool.platform.claims(mine["nonce"], TARGET))
    for asked, cookies in [(mine, their_cookies), (theirs, my_cookies), (mine, {})]:
        with pytest.raises(RefusedError, match="no login in progress"):
            tool.launch(token, asked, cookies)
    with pytest.raises(RefusedError, match="nonce"):  # my token in their login
        tool.launch(token, theirs, their_cookies)
    made_up = {"state": "state-made-up"}
    with pytest.raises(RefusedError, match="unknown"):
        tool.launch(token, made_up, {"state-made-up": "state-made-up"})


@pytest.mark.parametrize(
    ("given", "why"),
    [
        ({"iss": "https://elsewhere.example.org"}, "unknown platform"),
        ({"iss": ""}, "unknown platform"),
        ({"client_id": "another"}, "unknown platform"),
        ({"target_link_uri": "https://elsewhere.example.org/lti/launch"}, "unknown target"),
        ({"target_link_uri": f"{TARGET}/../other"}, "unknown target"),
        ({"lti_deployment_id": "dep-2"}, "another deployment of .* lacks 'dep-2'"),
        ({"login_hint": ""}, "login hint"),
    ],
)
def test_logins_that_are_refused(tool, given, why) -> None:
    with pytest.raises(RefusedError, match=why):
        tool.log_in(**given)


def test_the_client_may_be_left_out_where_there_is_one(tool) -> None:
    asked, _ = tool.log_in(client_id="", lti_deployment_id="")
    assert asked["client_id"] == CLIENT


def test_deep_links(tool) -> None:
    asked, cookies = tool.log_in(target_link_uri=f"{ADDRESS}/lti/launch")
    said = tool.platform.deep_claims(asked["nonce"], f"{ADDRESS}/lti/launch")
    found = tool.launch(tool.platform.sign(said), asked, cookies)
    assert found.deep is not None
    assert found.returns == f"{tool.platform.address}/deep"
    assert found.role == INSTRUCTOR


@pytest.mark.parametrize(
    ("claims", "why"),
    [
        ({f"{CLAIM}roles": [f"{ROLES}Learner"]}, "no instructor"),
        ({f"{DEEP}deep_linking_settings": None}, "Deep Linking"),
    ],
)
def test_deep_links_that_are_refused(tool, claims, why) -> None:
    asked, cookies = tool.log_in(target_link_uri=f"{ADDRESS}/lti/launch")
    said = tool.platform.deep_claims(asked["nonce"], f"{ADDRESS}/lti/launch", **claims)
    with pytest.raises(RefusedError, match=why):
        tool.launch(tool.platform.sign(said), asked, cookies)


def test_an_unsigned_deep_link_is_refused(tool) -> None:
    asked, cookies = tool.log_in(target_link_uri=f"{ADDRESS}/lti/launch")
    said = tool.platform.deep_claims(asked["nonce"], f"{ADDRESS}/lti/launch")
    with pytest.raises(RefusedError, match="RS256"):
        tool.launch(unsigned(said), asked, cookies)


def test_a_platform_may_change_its_key_but_is_not_asked_at_will(tool, monkeypatch) -> None:
    from examiner.platforms.lti import calls

    tool.launched()
    tool.platform.key, tool.platform.kid = new_key(), "next-key"
    with pytest.raises(RefusedError, match="public key"):  # it was asked a moment ago
        tool.launched()
    assert tool.platform.calls.count("/jwks") == 1
    monkeypatch.setattr(calls, "SOON", 0.0)
    assert tool.launched().user == "u1"
    assert tool.platform.calls.count("/jwks") == 2


def test_a_platform_without_keys_lets_nobody_in(tool, monkeypatch) -> None:
    """And who comes next need not wait for what it does not answer."""
    from examiner.platforms.lti import calls

    tool.platform.silent.append("/jwks")
    for _ in range(3):
        with pytest.raises(RefusedError, match="no keys from"):
            tool.launched()
    assert tool.platform.calls.count("/jwks") == 1
    tool.platform.silent.clear()
    monkeypatch.setattr(calls, "BRIEFLY", 0.0)
    assert tool.launched().user == "u1"


def test_logins_are_bounded_and_expire() -> None:
    now = [0.0]
    memory = Memory(3, clock=lambda: now[0])
    for name in "abcd":
        memory.set_value(name, name)
    assert memory.held == 3
    assert memory.get_value("a") is None
    assert memory.get_value("d") == "d"
    assert memory.get_value("d") is None  # once
    now[0] = 601.0
    assert memory.get_value("b") is None
