"""A proposed description as a TOML file, each remark as a comment above the key that it is about."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import tomlkit
from tomlkit.items import AoT, Array, Item, Table

from handhold.robots.proposal.describe import Proposal

_FIRST = ("name", "title", "license", "base_rpy", "trunk")
"""Keys whose values stand before all tables."""

_WIDTH = 100


def write_document(proposal: Proposal) -> str:
    """Return a proposal as TOML."""
    document = tomlkit.document()
    document.add(tomlkit.comment("Proposed by 'handhold robot new': what was guessed is said above its key."))
    content = proposal.description.model_dump(mode="json", exclude_unset=True, exclude={"source"})
    content = {key: value for key, value in content.items() if value not in ([], {}, None)}
    tables = [key for key in content if key not in _FIRST]
    for key in (*(key for key in _FIRST if key in content), *tables):
        if key in tables:
            document.add(tomlkit.nl())
        _comment(document, proposal, key)
        document.add(key, _to_item(content[key]))
    for key in sorted({remark.key for remark in proposal.remarks} - content.keys()):
        document.add(tomlkit.nl())
        _comment(document, proposal, key, f"{key}: ")
    return tomlkit.dumps(document)


def _comment(document: tomlkit.TOMLDocument, proposal: Proposal, key: str, before: str = "") -> None:
    for remark in proposal.remarks:
        if remark.key == key:
            text = before + remark.text
            document.add(tomlkit.comment(f"{text[0].upper()}{text[1:]}."))


def _to_item(value: Any) -> Item:
    if isinstance(value, Mapping):
        return _to_table(value)
    if isinstance(value, list) and value and isinstance(value[0], Mapping):
        tables: AoT = tomlkit.aot()
        for entry in value:
            tables.append(_to_table(entry))
        return tables
    if isinstance(value, list):
        return _to_array(value)
    return tomlkit.item(value)


def _to_table(value: Mapping[str, Any]) -> Table:
    table = tomlkit.table()
    for name, entry in value.items():
        table.add(name, _to_item(entry))
    return table


def _to_array(value: list[Any]) -> Array:
    array = tomlkit.array()
    array.extend(value)
    return array.multiline(len(str(value)) > _WIDTH)
