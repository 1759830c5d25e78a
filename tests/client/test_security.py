"""Tokens with rights, certificates, and what is not said of them."""

from __future__ import annotations

import asyncio
import subprocess
from pathlib import Path

import pytest

import grouplock
from grouplock.client.config import BadConfig, loaded, printed
from grouplock.client.routes import Patience
from tests.client.nodes import entries, run, until
from tests.client.test_remote import free_ports, names_at

TOKENS = {
    "worker-7f3a": {"gpu/*": "hold inspect", "bench": "hold"},
    "operator-91c2": {"*": "inspect force"},
}
IMPATIENT = Patience(unavailable_after=0.05, connect=1.0, again=0.001, again_max=0.01)


def test_a_token_allows_what_its_patterns_say() -> None:
    async def main() -> None:
        async with (
            grouplock.Node(listen="127.0.0.1:0", tokens=TOKENS) as node,
            grouplock.connect(node.address, token="worker-7f3a") as worker,
            grouplock.connect(node.address, token="operator-91c2") as operator,
        ):
            async with worker.lock("gpu/1").hold("a", on_lost="event") as hold:
                seen = await operator.lock("gpu/1").inspect()
                assert seen is not None
                rid = int(seen["sessions"][0]["holders"][0]["hold"])
                with pytest.raises(grouplock.Refused, match="not allow to force 'gpu/1'"):
                    await worker.force("gpu/1", rid)
                with pytest.raises(grouplock.Refused, match="not allow to inspect 'bench'"):
                    await worker.lock("bench").inspect()
                assert await operator.force("gpu/1", rid)
                await hold.lost.wait()
            with pytest.raises(grouplock.Refused, match="not allow to hold lock 'store'"):
                await worker.lock("store").hold("a")
            with pytest.raises(grouplock.Refused, match="not allow to hold"):
                await operator.lock("gpu/1").hold("a")
            async with node.lock("store").hold("a"):
                pass  # who has the process has everything

    run(main())


@pytest.mark.parametrize("token", ["", "worker"])
def test_without_a_token_nothing_at_once(token: str) -> None:
    async def main() -> None:
        async with grouplock.Node(listen="127.0.0.1:0", tokens=TOKENS) as node:
            with pytest.raises(grouplock.Refused, match="wants a token"):
                async with grouplock.connect(node.address, token=token):
                    pass

    run(main())


def test_secrets_are_not_printed(tmp_path: Path) -> None:
    config = loaded(None, {"GROUPLOCK_SECRET": "sesame-1"}, {"tokens": TOKENS})
    said = printed(config)
    assert not [s for s in ("sesame-1", *TOKENS) if s in said]
    with pytest.raises(BadConfig, match="'delete' is no right") as refused:
        loaded(None, {}, {"tokens": {"worker-7f3a": {"*": "hold delete"}}})
    assert "worker-7f3a" not in str(refused.value)


# TLS.


def certificates(folder: Path, name: str = "node") -> tuple[str, str, str]:
    """A certificate for 127.0.0.1, its key, and the authority that signed it."""

    def openssl(*arguments: str) -> None:
        subprocess.run(["openssl", *arguments], cwd=folder, check=True, capture_output=True)

    folder.mkdir()
    key = ("-newkey", "rsa:2048", "-nodes")
    (folder / "san").write_text("subjectAltName=IP:127.0.0.1\n")
    openssl("req", "-x509", *key, "-keyout", "ca.key", "-out", "ca.pem", "-subj", f"/CN={name} CA")
    openssl("req", *key, "-keyout", "key.pem", "-out", "csr.pem", "-subj", f"/CN={name}")
    openssl(
        "x509", "-req", "-in", "csr.pem", "-CA", "ca.pem", "-CAkey", "ca.key", "-CAcreateserial",
        "-out", "cert.pem", "-extfile", "san",
    )  # fmt: skip
    return str(folder / "cert.pem"), str(folder / "key.pem"), str(folder / "ca.pem")


def test_tls_between_all_parties(tmp_path: Path) -> None:
    cert, key, ca = certificates(tmp_path / "good")

    async def main() -> None:
        addresses = [f"127.0.0.1:{port}" for port in free_ports(2)]
        nodes = dict(zip("ab", addresses, strict=True))
        a, b = (
            grouplock.Node(
                name=name, listen=nodes[name], nodes=nodes, secret="s",
                tls_cert=cert, tls_key=key, tls_ca=ca,
            )
            for name in "ab"
        )  # fmt: skip
        async with a, b, grouplock.connect(a.config.listen, tls_ca=ca) as cluster:
            for home, keeper in enumerate((a, b)):
                async with cluster.lock(next(names_at(a, home))).hold("x"):
                    assert entries(keeper) == 1
            await until(lambda: entries(a, b) == 0)  # a release is not waited for
            async with a.lock(next(names_at(a, 1))).hold("x"):  # over the nodes' link
                assert entries(b) == 1
            await until(lambda: entries(a, b) == 0)

    run(main())


def test_a_node_that_another_authority_signed_is_not_believed(tmp_path: Path) -> None:
    cert, key, _ = certificates(tmp_path / "good")
    _, _, other = certificates(tmp_path / "other", "other")

    async def main() -> None:
        async with grouplock.Node(listen="127.0.0.1:0", tls_cert=cert, tls_key=key) as node:
            with pytest.raises(grouplock.Unavailable, match=r"(?i)certificate"):
                async with grouplock.connect(node.address, tls_ca=other, patience=IMPATIENT):
                    pass
            with pytest.raises(grouplock.Unavailable):
                async with grouplock.connect(node.address, patience=IMPATIENT):
                    pass

    run(main())


def test_a_certificate_that_cannot_be_read_is_named(tmp_path: Path) -> None:
    async def main() -> None:
        missing = str(tmp_path / "no.pem")
        with pytest.raises(grouplock.GroupLockError, match=r"tls_cert .*no\.pem"):
            await grouplock.Node(tls_cert=missing, tls_key=missing).__aenter__()
        await asyncio.sleep(0)

    run(main())
