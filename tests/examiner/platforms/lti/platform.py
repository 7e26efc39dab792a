"""A learning platform in the small: keys, signed launches, and services that check who calls.

What it sends and asks for follows LTI 1.3 Core, Deep Linking 2.0, Names and Roles 2.0, Assignment
and Grade Services 2.0 and the 1EdTech Security Framework 1.0.
"""

import json
import threading
import time
import uuid
from functools import cache
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qs, urlsplit

import jwt
import requests
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import rsa

CLAIM = "https://purl.imsglobal.org/spec/lti/claim/"
DEEP = "https://purl.imsglobal.org/spec/lti-dl/claim/"
ROLES = "http://purl.imsglobal.org/vocab/lis/v2/membership#"
AGS = "https://purl.imsglobal.org/spec/lti-ags/scope/"
NRPS = "https://purl.imsglobal.org/spec/lti-nrps/scope/contextmembership.readonly"
ASSERTION = "urn:ietf:params:oauth:client-assertion-type:jwt-bearer"
CLIENT, DEPLOYMENT = "client-of-the-tool", "dep-1"


def new_key() -> rsa.RSAPrivateKey:
    return rsa.generate_private_key(65537, 2048)


@cache
def first_key() -> rsa.RSAPrivateKey:
    """The key of every platform here, made once."""
    return new_key()


def public_pem(key: rsa.RSAPrivateKey) -> bytes:
    form = serialization.PublicFormat.SubjectPublicKeyInfo
    return key.public_key().public_bytes(serialization.Encoding.PEM, form)


class Platform:
    """Serves its keys, leave to call, roster and gradebook on this machine."""

    def __init__(self) -> None:
        self.key, self.kid = first_key(), "platform-key"
        self.scores: list[dict[str, Any]] = []  # as they came
        self.tokens: dict[str, set[str]] = {}  # leave that was given: token and scopes
        self.assertions: set[str] = set()  # ids of the assertions that were used
        self.down = 0  # the status that its services answer with; 0: they work
        self.moved: list[str] = []  # services that answer with another address
        self.silent: list[str] = []  # services that close the connection instead
        self.members: list[dict[str, Any]] = []
        self.tool_keys = ""  # address of the tool's JWKS
        self.calls: list[str] = []
        platform = self

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                platform._answer(self, "GET")

            def do_POST(self) -> None:
                platform._answer(self, "POST")

            def log_message(self, *args: Any) -> None:
                pass

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.address = f"http://127.0.0.1:{self._server.server_address[1]}"
        threading.Thread(target=self._server.serve_forever, args=(0.01,), daemon=True).start()

    def close(self) -> None:
        self._server.shutdown()
        self._server.server_close()

    @property
    def settings(self) -> str:
        """Its part of lti.toml."""
        return (
            f'[[platforms]]\nname = "School"\nissuer = "{self.address}"\n'
            f'client_id = "{CLIENT}"\ndeployments = ["{DEPLOYMENT}"]\n'
            f'login = "{self.address}/auth"\ntoken = "{self.address}/token"\n'
            f'jwks = "{self.address}/jwks"\n'
        )

    # ------------------------------------------------------------------ launches

    def claims(self, nonce: str, target: str, user: str = "u1", /, **others: Any) -> dict[str, Any]:
        """A launch of a student; others replace claims, None leaves one out."""
        now = int(time.time())
        made = {
            "iss": self.address,
            "aud": CLIENT,
            "sub": user,
            "exp": now + 300,
            "iat": now,
            "nonce": nonce,
            "name": "Ada Lovelace",
            "email": "ada@example.org",
            f"{CLAIM}message_type": "LtiResourceLinkRequest",
            f"{CLAIM}version": "1.3.0",
            f"{CLAIM}deployment_id": DEPLOYMENT,
            f"{CLAIM}target_link_uri": target,
            f"{CLAIM}resource_link": {"id": "link-1", "title": "Assignment"},
            f"{CLAIM}roles": [f"{ROLES}Learner"],
            f"{CLAIM}context": {"id": "c1", "title": "Algorithms"},
            "https://purl.imsglobal.org/spec/lti-ags/claim/endpoint": {
                "scope": [f"{AGS}score", f"{AGS}lineitem"],
                "lineitems": f"{self.address}/lineitems",
                "lineitem": f"{self.address}/lineitems/1?type=x",
            },
            "https://purl.imsglobal.org/spec/lti-nrps/claim/namesroleservice": {
                "context_memberships_url": f"{self.address}/members",
                "service_versions": ["2.0"],
            },
        }
        return {name: value for name, value in {**made, **others}.items() if value is not None}

    def deep_claims(self, nonce: str, target: str, /, **others: Any) -> dict[str, Any]:
        """An instructor's question which assignment a new link is to lead to."""
        given: dict[str, Any] = {
            f"{CLAIM}message_type": "LtiDeepLinkingRequest",
            f"{CLAIM}roles": [f"{ROLES}Instructor"],
            f"{CLAIM}resource_link": None,
            f"{DEEP}deep_linking_settings": {
                "deep_link_return_url": f"{self.address}/deep",
                "accept_types": ["ltiResourceLink"],
                "accept_presentation_document_targets": ["window"],
                "data": "kept",
            },
        }
        return self.claims(nonce, target, "teacher", **{**given, **others})

    def sign(self, claims: dict[str, Any], **how: Any) -> str:
        """Sign a launch; `how` may take another key, algorithm or key's name."""
        key, algorithm = how.get("key", self.key), how.get("algorithm", "RS256")
        return jwt.encode(claims, key, algorithm, headers={"kid": how.get("kid", self.kid)})

    # ------------------------------------------------------------------ services

    def _answer(self, request: BaseHTTPRequestHandler, method: str) -> None:
        path = urlsplit(request.path).path
        body = request.rfile.read(int(request.headers.get("Content-Length") or 0))
        self.calls.append(path)
        if path in self.silent:
            request.connection.close()
            return
        moved = path in self.moved
        status, found = (302, None) if moved else self._found(method, path, request, body)
        data = b"" if found is None else json.dumps(found).encode()
        request.send_response(status)
        request.send_header("Content-Length", str(len(data)))
        if path == "/members" and "page" not in request.path:
            request.send_header("Link", f'<{self.address}/members?page=ABC>; rel="next"')
        if moved:
            request.send_header("Location", f"{self.address}/jwks")
        request.end_headers()
        request.wfile.write(data)

    def _found(
        self, method: str, path: str, request: BaseHTTPRequestHandler, body: bytes
    ) -> tuple[int, Any]:
        if path == "/jwks":
            made = json.loads(jwt.algorithms.RSAAlgorithm.to_jwk(self.key.public_key()))
            return 200, {"keys": [{**made, "kid": self.kid, "alg": "RS256", "use": "sig"}]}
        if self.down:
            return self.down, {"error": "down"}
        if path == "/token":
            return self._token(body)
        scopes = self.tokens.get(request.headers.get("Authorization", "").removeprefix("Bearer "))
        if scopes is None:
            return 401, None
        if path == "/members":
            pages = {"": self.members[:1], "page=ABC": self.members[1:]}
            rows = pages.get(urlsplit(request.path).query)  # capitals matter
            return (403, None) if NRPS not in scopes or rows is None else (200, {"members": rows})
        if path == "/lineitems/1/scores" and method == "POST":
            return self._score(scopes, request, body)
        return 404, None

    def _token(self, body: bytes) -> tuple[int, Any]:
        """Give leave to whoever proves to hold the tool's key, once for each assertion."""
        given = {name: values[0] for name, values in parse_qs(body.decode()).items()}
        if given.get("grant_type") != "client_credentials":
            return 400, {"error": "unsupported_grant_type"}
        if given.get("client_assertion_type") != ASSERTION:
            return 400, {"error": "invalid_request"}
        try:
            said = self.of_tool(given["client_assertion"], f"{self.address}/token")
        except jwt.InvalidTokenError:
            return 400, {"error": "invalid_client"}
        if said["iss"] != CLIENT or said["sub"] != CLIENT or said["jti"] in self.assertions:
            return 400, {"error": "invalid_client"}
        self.assertions.add(said["jti"])
        token = uuid.uuid4().hex
        self.tokens[token] = set(given["scope"].split())
        return 200, {"access_token": token, "token_type": "Bearer", "expires_in": 3600}

    def _score(
        self, scopes: set[str], request: BaseHTTPRequestHandler, body: bytes
    ) -> tuple[int, Any]:
        """Take a score, if it is newer than what there is of that student."""
        if f"{AGS}score" not in scopes:
            return 403, None
        if request.headers["Content-Type"] != "application/vnd.ims.lis.v1.score+json":
            return 415, None
        made = json.loads(body)
        asked = {"userId", "timestamp", "activityProgress", "gradingProgress", "scoreMaximum"}
        if not asked <= made.keys():
            return 400, None
        before = [each for each in self.scores if each["userId"] == made["userId"]]
        if before and before[-1]["timestamp"][:19] >= made["timestamp"][:19]:  # as Moodle does
            return 409, None
        self.scores.append(made)
        return 200, None

    def of_tool(self, text: str, audience: str) -> dict[str, Any]:
        """Read what the tool signed; raises jwt.InvalidTokenError where it did not."""
        keys = requests.get(self.tool_keys, timeout=5).json()["keys"]
        kid = jwt.get_unverified_header(text)["kid"]
        (found,) = (each for each in keys if each["kid"] == kid)
        key = jwt.PyJWK(found).key
        said: dict[str, Any] = jwt.decode(text, key, algorithms=["RS256"], audience=audience)
        return said
