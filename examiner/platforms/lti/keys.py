"""This tool's RSA keys, which sign what it says to a platform, and the first lti.toml."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from examiner.errors import UserError, unwritable
from examiner.files import PRIVATE, write_whole
from examiner.project import COMMAND

BITS, EXPONENT = 3072, 65537
KEY, SETTINGS = "lti-key.pem", "lti.toml"
TEMPLATE = """\
# How learning platforms reach this grader by LTI 1.3. Keep this folder to yourself: it holds the
# private key, and lti.sqlite, with names and points.
address = "{address}"   # of this tool, as browsers reach it; a proxy in front of it speaks TLS
host = "127.0.0.1"      # where it listens; the proxy passes {address}/lti/ on to it
port = 8766
keys = ["{key}"]        # the first signs; after a change keep the old one as the second
upload_mb = 4           # how large a file may be
session_hours = 8       # after a launch

# One for each platform in which the tool is registered: what it shows after the registration.
# [[platforms]]
# issuer = "https://moodle.example.org"
# client_id = "…"
# deployments = ["1"]
# login = "https://moodle.example.org/mod/lti/auth.php"
# token = "https://moodle.example.org/mod/lti/token.php"
# jwks = "https://moodle.example.org/mod/lti/certs.php"
"""


@dataclass(frozen=True)
class Keys:
    """The keys: the first one's private half signs, the public halves of all are shown."""

    private: str  # PEM
    public: str  # PEM, of the first
    published: dict[str, Any]  # a JWKS


def require_library() -> None:
    """Raise UserError where the library for LTI is not installed."""
    try:
        import pylti1p3  # noqa: F401 - whether it is there
    except ImportError:
        raise UserError(f'LTI needs more packages: pip install "{COMMAND}[lti]"') from None


def make(folder: Path, address: str) -> list[Path]:
    """Write a new key and lti.toml into a folder; neither is ever overwritten.

    Raises UserError where one of them is there already, or cannot be written.
    """
    require_library()
    from cryptography.hazmat.primitives import serialization
    from cryptography.hazmat.primitives.asymmetric import rsa

    made = [folder / KEY, folder / SETTINGS]
    if there := [str(path) for path in made if path.exists()]:
        verb, it = ("exists", "it") if len(there) == 1 else ("exist", "them")
        text = f"{' and '.join(there)} {verb} already: give another folder, or remove {it}"
        raise UserError(text)
    key = rsa.generate_private_key(EXPONENT, BITS)
    pem = key.private_bytes(
        serialization.Encoding.PEM,
        serialization.PrivateFormat.PKCS8,
        serialization.NoEncryption(),
    )
    settings = TEMPLATE.format(address=address.rstrip("/"), key=KEY)
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        for path, data in zip(made, (pem, settings.encode()), strict=True):
            write_whole(path, data, durable=True, mode=PRIVATE)
    except OSError as error:
        raise unwritable(folder, error) from None
    return made


def read(paths: Sequence[Path]) -> Keys:
    """Read the keys; raises UserError for one that is missing, no key, or open to others."""
    require_library()
    from cryptography.hazmat.primitives import serialization
    from cryptography.hazmat.primitives.asymmetric.rsa import RSAPrivateKey
    from pylti1p3.registration import Registration

    privates, publics = [], []
    for path in paths:
        try:
            pem, mode = path.read_bytes(), path.stat().st_mode
        except OSError as error:
            raise UserError(f"the key {path} cannot be read: {error.strerror}") from None
        if os.name == "posix" and mode & 0o077:
            raise UserError(f"others can read the key {path}: chmod 600 {path}")
        try:
            key = serialization.load_pem_private_key(pem, None)
        except (ValueError, TypeError):
            raise UserError(f"{path} is no private key: `lti keys` makes one") from None
        if not isinstance(key, RSAPrivateKey) or key.key_size < 2048:
            raise UserError(f"{path} is no RSA key of 2048 bits or more: `lti keys` makes one")
        privates.append(pem.decode())
        form = serialization.PublicFormat.SubjectPublicKeyInfo
        publics.append(key.public_key().public_bytes(serialization.Encoding.PEM, form).decode())
    published = {"keys": [dict(Registration.get_jwk(each)) for each in publics]}
    return Keys(privates[0], publics[0], published)
