"""How a node is set up: a file, the environment, options; a later one of these goes before.

Each key has one name everywhere: `lease` in the file, `GROUPLOCK_LEASE`, `--lease`.
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any, Final

import msgspec
from msgspec import Meta, Struct

from grouplock.client.errors import GroupLockError
from grouplock.service.algorithm import DEFAULT
from grouplock.service.rights import wrong_rights

LISTEN: Final = "127.0.0.1:7400"
LEAST_LEASE: Final = 1.0


class BadConfig(GroupLockError, ValueError):
    """A node cannot be set up like this; the text names the key."""


class Config(Struct, frozen=True, forbid_unknown_fields=True):
    """`nodes` names all of a cluster, this one included, in the same order at each of them."""

    listen: str = LISTEN
    unix: str = ""  # path of a socket for clients of this machine; empty: none
    http: str = ""  # where HTTP is spoken, as HOST:PORT; empty: nowhere
    data: str = ""  # folder that outlives the process; empty: fences begin anew with each process
    name: str = ""
    nodes: dict[str, str] = {}  # name: address
    secret: str = ""  # what the nodes prove to each other that they know
    # What may be done by whom: token: {pattern of names: "hold inspect force"}; in the file alone.
    tokens: dict[str, dict[str, str]] = {}
    tls_cert: str = ""  # a PEM file; with its key and the authority: TLS for all who call
    tls_key: str = ""
    tls_ca: str = ""
    lease: Annotated[float, Meta(ge=LEAST_LEASE, le=3600.0)] = 10.0
    algorithm: str = DEFAULT


def loaded(file: Path | None, environment: Mapping[str, str], options: Mapping[str, Any]) -> Config:
    """What all three say together, or `BadConfig`."""
    told: dict[str, Any] = {}
    if file is not None:
        try:
            told.update(tomllib.loads(file.read_text()))
        except OSError as e:
            raise BadConfig(f"{file}: {e.strerror}") from e
        except (tomllib.TOMLDecodeError, UnicodeDecodeError) as e:
            raise BadConfig(f"{file}: {e}") from e
    for key in Config.__struct_fields__:
        if key == "tokens":
            continue
        said = environment.get(f"GROUPLOCK_{key.upper()}")
        if said is not None:
            told[key] = nodes_of(said) if key == "nodes" else said
    told.update({key: value for key, value in options.items() if value is not None})
    try:
        config = msgspec.convert(told, Config, strict=False)
    except msgspec.ValidationError as e:
        raise BadConfig(f"the configuration: {e}") from e
    return checked(config)


def nodes_of(said: str) -> dict[str, str]:
    """`a=10.0.0.1:7400,b=10.0.0.2:7400`"""
    nodes = {}
    for one in said.split(","):
        name, sign, address = one.strip().partition("=")
        if not sign or not name or not address:
            raise BadConfig(f"nodes: '{one}' is not NAME=HOST:PORT")
        nodes[name] = address
    return nodes


def checked(config: Config) -> Config:
    names = list(config.nodes)
    if names and config.name not in names:
        raise BadConfig(f"name: '{config.name}' is not one of the nodes {', '.join(names)}")
    if len(names) > 1 and not config.secret:
        raise BadConfig("secret: nodes that talk to each other need one, the same at each")
    if said := wrong_rights(config.tokens):
        raise BadConfig(f"tokens: {said}")
    if bool(config.tls_cert) != bool(config.tls_key):
        raise BadConfig("tls_cert and tls_key go together")
    if config.tls_cert and len(names) > 1 and not config.tls_ca:
        raise BadConfig("tls_ca: nodes show each other certificates that one authority has signed")
    return config


def printed(config: Config) -> str:
    """As a file that says the same; the secret stays out of it."""
    lines = []
    for key in Config.__struct_fields__:
        value = getattr(config, key)
        if key in ("nodes", "tokens"):
            continue
        if key == "secret":
            value = "" if not value else "(not shown)"
        lines.append(f"{key} = {msgspec.json.encode(value).decode()}")
    if config.nodes:
        lines += ["", "[nodes]", *[f'"{name}" = "{at}"' for name, at in config.nodes.items()]]
    if config.tokens:
        lines += ["", f"# and {len(config.tokens)} tokens, not shown"]
    return "\n".join(lines) + "\n"
