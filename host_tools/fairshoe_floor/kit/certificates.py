"""Certificates for TLS within a house: an authority of its own, and one certificate for each host."""

from __future__ import annotations

import ipaddress
from datetime import datetime, timedelta, timezone
from pathlib import Path

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

from fairshoe.files import write_private

DAYS = 3650
_EARLIER = timedelta(days=1)  # hosts whose clock is behind


def _name(text: str) -> x509.Name:
    return x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, text)])


def _host(text: str) -> x509.GeneralName:
    try:
        return x509.IPAddress(ipaddress.ip_address(text))
    except ValueError:
        return x509.DNSName(text)


def _keep(path: Path, key: ec.EllipticCurvePrivateKey, certificate: x509.Certificate) -> None:
    form = (serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption())
    write_private(path.with_suffix(".key"), key.private_bytes(*form).decode())
    path.write_bytes(certificate.public_bytes(serialization.Encoding.PEM))


class Authority:
    """In a folder: ca.pem for all, ca.key for its owner. Made if it is not there."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        path = folder / "ca.pem"
        if not path.exists():
            key = ec.generate_private_key(ec.SECP256R1())
            name, now = _name("fairshoe floor"), datetime.now(timezone.utc)
            made = x509.CertificateBuilder(name, name, key.public_key(), x509.random_serial_number())
            made = made.not_valid_before(now - _EARLIER).not_valid_after(now + timedelta(days=DAYS))
            made = made.add_extension(x509.BasicConstraints(ca=True, path_length=0), critical=True)
            uses = dict.fromkeys(
                ("digital_signature", "content_commitment", "key_encipherment", "data_encipherment", "key_agreement"),
                False,
            )
            usage = x509.KeyUsage(**uses, key_cert_sign=True, crl_sign=True, encipher_only=False, decipher_only=False)
            made = made.add_extension(usage, critical=True)
            made = made.add_extension(x509.SubjectKeyIdentifier.from_public_key(key.public_key()), critical=False)
            _keep(path, key, made.sign(key, hashes.SHA256()))
        self._certificate = x509.load_pem_x509_certificate(path.read_bytes())
        self._key = serialization.load_pem_private_key(path.with_suffix(".key").read_bytes(), None)
        assert isinstance(self._key, ec.EllipticCurvePrivateKey)

    def issue(self, name: str, *hosts: str) -> None:
        """NAME.pem and NAME.key for these hosts, unless they are there."""
        path = self._folder / f"{name}.pem"
        if path.exists():
            return
        assert isinstance(self._key, ec.EllipticCurvePrivateKey)
        key, now = ec.generate_private_key(ec.SECP256R1()), datetime.now(timezone.utc)
        made = x509.CertificateBuilder(
            self._certificate.subject, _name(hosts[0]), key.public_key(), x509.random_serial_number()
        )
        made = made.not_valid_before(now - _EARLIER).not_valid_after(now + timedelta(days=DAYS))
        made = made.add_extension(x509.SubjectAlternativeName([_host(it) for it in hosts]), critical=False)
        above = x509.AuthorityKeyIdentifier.from_issuer_public_key(self._key.public_key())
        made = made.add_extension(above, critical=False)
        _keep(path, key, made.sign(self._key, hashes.SHA256()))
