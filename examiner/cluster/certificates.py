"""Certificates for a cluster: who may join it, and as what.

An authority of the cluster's own signs one certificate for each role, and its key is thrown away.
The role stands in the certificate (rules.py says what each role may do), so a worker's certificate
is a token that admits workers and nobody else.
"""

from __future__ import annotations

import asyncio
import datetime
import ssl
from pathlib import Path
from typing import Any

from examiner.errors import UserError, unwritable
from examiner.files import write_whole
from examiner.project import COMMAND

GRADER, SCHEDULER, WORKER = "grader", "scheduler", "worker"
ROLES = (GRADER, SCHEDULER, WORKER)
AUTHORITY = "authority.pem"
ORGANISATION = "examiner"
DAYS = 200
HOW = f"by `{COMMAND} cluster certificates FOLDER`, and copy to each machine what it needs"


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
        raise unwritable(folder, error) from None
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
    """Raise UserError unless a folder holds what a role needs, and it holds today."""
    for name in (AUTHORITY, f"{role}.pem"):
        if not (folder / name).is_file():
            raise UserError(f"{folder} holds no {name}: make the certificates once, {HOW}")
    try:
        from cryptography import x509
        from cryptography.exceptions import InvalidSignature
        from cryptography.hazmat.primitives import serialization
    except ImportError:
        return  # Dask does without: what is wrong is found when it connects
    path = folder / AUTHORITY
    try:
        authority = x509.load_pem_x509_certificate(path.read_bytes())
        path = folder / f"{role}.pem"
        own = path.read_bytes()
        certificate = x509.load_pem_x509_certificate(own)
        key = serialization.load_pem_private_key(own, None)
    except (OSError, ValueError, TypeError):
        raise UserError(f"{path} cannot be read as a certificate: make new ones, {HOW}") from None
    try:
        certificate.verify_directly_issued_by(authority)
        if key.public_key() != certificate.public_key():
            raise ValueError("another key")
    except (ValueError, TypeError, InvalidSignature):
        text = f"{path} is not of the same cluster as {AUTHORITY} beside it"
        raise UserError(f"{text}: copy both from one folder") from None
    units = certificate.subject.get_attributes_for_oid(x509.NameOID.ORGANIZATIONAL_UNIT_NAME)
    if (found := str(units[0].value) if units else "nobody") != role:
        raise UserError(f"{path} is the certificate of a {found}: expected that of a {role}")
    ends = min(authority.not_valid_after_utc, certificate.not_valid_after_utc)
    if ends <= datetime.datetime.now(datetime.UTC):
        text = f"the certificates in {folder} held until {ends:%Y-%m-%d %H:%M} UTC"
        raise UserError(f"{text}: make new ones, {HOW}")


async def stranger(scheduler: str, folder: str, role: str = GRADER) -> str:
    """Return why no waiting helps: who answers is of another cluster; "" where that is not so.

    Dask tells nobody why a connection was refused. Without a folder nothing is encrypted.
    """
    if not folder:
        return ""
    host, _, port = scheduler.removeprefix("tls://").rpartition(":")
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    context.check_hostname = False
    try:
        context.load_verify_locations(Path(folder, AUTHORITY))
        context.load_cert_chain(Path(folder, f"{role}.pem"))
        opening = asyncio.open_connection(host.strip("[]"), int(port), ssl=context)
        _, writer = await asyncio.wait_for(opening, 10)
        writer.close()
    except ssl.SSLCertVerificationError as error:
        text = f"{scheduler} shows a certificate that is not good here ({error.verify_message})"
        return f"{text}: are those in {folder} of another cluster, or old?"
    except OSError:
        pass
    return ""
