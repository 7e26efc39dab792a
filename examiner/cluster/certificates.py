"""Certificates for a cluster: who may join it, and as what.

An authority of the cluster's own signs one certificate for each role, and its key is thrown away.
The role stands in the certificate (rules.py says what each role may do), so a worker's certificate
is a token that admits workers and nobody else.
"""

from __future__ import annotations

import datetime
from pathlib import Path
from typing import Any

from examiner.errors import UserError
from examiner.files import write_whole
from examiner.project import COMMAND

GRADER, SCHEDULER, WORKER = "grader", "scheduler", "worker"
ROLES = (GRADER, SCHEDULER, WORKER)
AUTHORITY = "authority.pem"
ORGANISATION = "examiner"
DAYS = 200


def make(folder: Path, days: int = DAYS) -> list[Path]:
    """Write the authority's certificate and one file, certificate and key, for each role.

    Raises UserError where the folder holds some already: processes that run would lose touch.
    """
    try:
        from cryptography.hazmat.primitives import serialization
        from cryptography.hazmat.primitives.asymmetric import ec
    except ImportError:
        raise UserError(f'certificates need: pip install "{COMMAND}[cluster]"') from None
    if (folder / AUTHORITY).exists():
        raise UserError(f"{folder} holds certificates already: give an empty folder")
    authority_key = ec.generate_private_key(ec.SECP256R1())
    authority = _certificate("authority", authority_key, "authority", authority_key, days)
    pem = serialization.Encoding.PEM
    texts = {AUTHORITY: authority.public_bytes(pem)}
    for role in ROLES:
        key = ec.generate_private_key(ec.SECP256R1())
        certificate = _certificate(role, key, "authority", authority_key, days)
        texts[f"{role}.pem"] = certificate.public_bytes(pem) + key.private_bytes(
            pem, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
        )
    try:
        for name, text in texts.items():
            write_whole(folder / name, text)
    except OSError as error:
        raise UserError(f"{folder} cannot be written: {error.strerror}") from None
    return [folder / name for name in texts]


def _certificate(role: str, key: Any, issuer: str, issuer_key: Any, days: int) -> Any:
    from cryptography import x509
    from cryptography.hazmat.primitives import hashes

    def name(of: str) -> Any:
        return x509.Name(
            [
                x509.NameAttribute(x509.NameOID.ORGANIZATION_NAME, ORGANISATION),
                x509.NameAttribute(x509.NameOID.ORGANIZATIONAL_UNIT_NAME, of),
                x509.NameAttribute(x509.NameOID.COMMON_NAME, f"{ORGANISATION} {of}"),
            ]
        )

    now = datetime.datetime.now(datetime.UTC)
    builder = (
        x509.CertificateBuilder()
        .subject_name(name(role))
        .issuer_name(name(issuer))
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - datetime.timedelta(hours=1))  # clocks differ
        .not_valid_after(now + datetime.timedelta(days=days))
        .add_extension(x509.BasicConstraints(ca=role == issuer, path_length=None), critical=True)
    )
    identifier = x509.SubjectKeyIdentifier.from_public_key(key.public_key())
    authority = x509.AuthorityKeyIdentifier.from_issuer_public_key(issuer_key.public_key())
    builder = builder.add_extension(identifier, critical=False)
    builder = builder.add_extension(authority, critical=False)
    if role == issuer:
        builder = builder.add_extension(
            x509.KeyUsage(
                digital_signature=True,
                content_commitment=False,
                key_encipherment=False,
                data_encipherment=False,
                key_agreement=False,
                key_cert_sign=True,
                crl_sign=True,
                encipher_only=False,
                decipher_only=False,
            ),
            critical=True,
        )
    return builder.sign(issuer_key, hashes.SHA256())


def require(folder: Path, role: str) -> None:
    """Raise UserError unless a folder holds what a role needs."""
    for name in (AUTHORITY, f"{role}.pem"):
        if not (folder / name).is_file():
            raise UserError(
                f"{folder} holds no {name}: make the certificates once, by "
                f"`{COMMAND} cluster certificates FOLDER`, and copy to each machine what it needs"
            )
