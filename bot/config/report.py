"""Collects what is wrong with one file, and puts pydantic's errors into this program's words."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, get_args

from pydantic import BaseModel

from bot.config.faults import Fault, Unfit, kind_of, nearest, shown, spell_path
from bot.config.secrets import Secret
from bot.config.settings import Defaults, DestinationSettings, Document, Feed, Inherited, Search

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pydantic.fields import FieldInfo
    from pydantic_core import ErrorDetails

    from bot.config.faults import Loc

_SECTION_ORDER: Final = {key: place for place, key in enumerate(Document.model_fields)}


_IN_TWO_BRACKETS: Final = (("feed",), ("destination",), ("search",))


class Report:
    """The faults and warnings of one file.

    Attributes:
        inherited: where values of `[defaults]` were filled in; their faults are told once, at `[defaults]`.
    """

    def __init__(self, raw: dict[str, Any]) -> None:
        self.inherited: set[Loc] = set()
        self._names = dict(_names(raw))
        self._faults: list[tuple[Loc, Fault]] = []
        self._warnings: list[str] = []

    @property
    def has_faults(self) -> bool:
        """Whether anything was added that is no mere warning."""
        return bool(self._faults)

    def faults(self) -> list[Fault]:
        """Return the faults in the order of the settings, each once."""
        ordered = sorted(self._faults, key=lambda pair: _order(pair[0]))
        return list(dict.fromkeys(fault for _, fault in ordered))

    def warnings(self) -> tuple[str, ...]:
        """Return the warnings in the order they came, each once."""
        return tuple(dict.fromkeys(self._warnings))

    def spell(self, loc: Loc) -> str:
        """Return `loc` for people, with the name of the feed or destination it lies in."""
        return spell_path(loc, name=self._names.get(loc[:2]))

    def warn(self, loc: Loc, sentence: str) -> None:
        """Add a warning about `loc`."""
        self._warnings.append(f"{self.spell(loc)}: {sentence}")

    def add(self, loc: Loc, *, found: str, allowed: str | None = None, hint: str = "") -> None:
        """Add a fault at `loc`; what is allowed comes from the settings unless given."""
        field = _field_at(loc)
        words = allowed if allowed is not None else (field.description or "") if field else ""
        self._faults.append((loc, Fault(path=self.spell(loc), found=found, allowed=words, hint=hint)))

    def add_unfit(self, loc: Loc, unfit: Unfit, value: object) -> None:
        """Add the fault that a grammar found in `value` at `loc`."""
        found = unfit.found
        if found is None:
            found = kind_of(value) if _is_secret(_field_at(loc)) else shown(value)
        self.add(loc, found=found, hint=unfit.hint)

    def add_invalid(self, detail: ErrorDetails) -> None:
        """Add the fault that one of pydantic's errors stands for."""
        loc: Loc = detail["loc"]
        value = detail["input"]
        if any(loc[: len(place)] == place for place in self.inherited):
            return
        cause = detail.get("ctx", {}).get("error")
        if isinstance(cause, Unfit):
            self.add_unfit(loc, cause, value)
            return
        field = _field_at(loc)
        match detail["type"]:
            case "extra_forbidden":
                self._add_unknown(loc)
            case "missing":
                self.add(loc, found="nothing")
            case "too_long":
                self.add(loc, found=f"{len(value)} of them")
            case _ if _is_secret(field) or _holds_tables(field):
                self.add(loc, found=kind_of(value), hint=_hint(loc, value))
            case _:
                self.add(loc, found=shown(value), hint=_hint(loc, value))

    def _add_unknown(self, loc: Loc) -> None:
        key = str(loc[-1])
        siblings = _model_at(loc[:-1])
        known = _keys_of(siblings)
        near = nearest(key, known)
        elsewhere = [place for place in _places_of(key) if place != spell_path(loc)]
        if elsewhere and not (
            near and len(loc) == 1
        ):  # at the top a section was meant: "feeds" is a key, too
            hint = f"this key belongs to {' or '.join(elsewhere)}"
        elif near:
            hint = f'did you mean "{near}"?'
        else:
            hint = ""
        self.add(loc, found="an unknown key", allowed=", ".join(known), hint=hint)


def _hint(loc: Loc, value: object) -> str:
    field = _field_at(loc)
    if isinstance(value, dict) and loc in _IN_TWO_BRACKETS:
        return f"write [[{loc[0]}]] with two brackets"
    if loc == ("feed",):
        return "write a [[feed]] section with a name and a url for each feed"
    if isinstance(value, str) and field is not None and _is_list(field) and not isinstance(loc[-1], int):
        return "put it into brackets: [...]"
    if isinstance(value, str) and value.strip().isdecimal():
        return "a number stands without quotes"
    return ""


def _names(raw: dict[str, Any]) -> Iterator[tuple[Loc, str]]:
    for section in ("feed", "destination", "search"):
        tables = raw.get(section)
        for position, table in enumerate(tables if isinstance(tables, list) else []):
            name = table.get("name") if isinstance(table, dict) else None
            if section == "destination" and isinstance(table, dict):
                name = table.get("name", table.get("type"))
            if isinstance(name, str) and name.strip():
                yield (section, position), name


def _order(loc: Loc) -> tuple[Any, ...]:
    """Sort by the order of sections, feeds by position, keys by the order of the settings."""
    first = _SECTION_ORDER.get(str(loc[0]), len(_SECTION_ORDER)) if loc else -1
    rest: list[tuple[int, int, str]] = []
    for depth, part in enumerate(loc[1:], start=1):
        if isinstance(part, int):
            rest.append((0, part, ""))
        else:
            fields = _keys_of(_model_at(loc[:depth]))
            rest.append((1, fields.index(part) if part in fields else len(fields), part))
    return first, rest


def _keys_of(model: type[BaseModel] | None) -> list[str]:
    """Return the keys of a section, its own before those that `[defaults]` has, too."""
    if model is None:
        return []
    return sorted(model.model_fields, key=lambda key: model is Feed and key in Inherited.model_fields)


def _field_at(loc: Loc) -> FieldInfo | None:
    """Return the setting at `loc`, or the one whose list or table `loc` leads into; None for an unknown key."""
    model: type[BaseModel] | None = Document
    field: FieldInfo | None = None
    for part in loc:
        if isinstance(part, int) or model is None:
            continue
        field = model.model_fields.get(part)
        if field is None:
            return None
        model = _model_in(field.annotation)
    return field


def _model_at(loc: Loc) -> type[BaseModel] | None:
    """Return the section that `loc` leads to, None when there is none."""
    if not loc:
        return Document
    field = _field_at(loc)
    return _model_in(field.annotation) if field else None


def _model_in(annotation: Any) -> type[BaseModel] | None:
    """Return the section that a field's type speaks of: `Feed` of `tuple[Feed, ...]`."""
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        return annotation
    return next((model for part in get_args(annotation) if (model := _model_in(part))), None)


def _is_secret(field: FieldInfo | None) -> bool:
    return field is None or field.annotation is Secret or Secret in get_args(field.annotation)


def _holds_tables(field: FieldInfo | None) -> bool:
    return field is not None and _model_in(field.annotation) is not None


def _is_list(field: FieldInfo) -> bool:
    return getattr(field.annotation, "__origin__", None) is tuple


def _places_of(key: str) -> list[str]:
    """Return every place where `key` is known, as people write places."""
    if key in Inherited.model_fields:
        return ["[defaults]", "[[feed]]"]
    if key in Document.model_fields:
        return ["the top of the file, before any [section]"]
    sections = {name: _model_in(field.annotation) for name, field in Document.model_fields.items()}
    found = [
        f"[[{name}]]" if model in {Feed, DestinationSettings, Search} else f"[{name}]"
        for name, model in sections.items()
        if model is not None and model is not Defaults and key in model.model_fields
    ]
    below = [f"[feed.{name}]" for name, field in Feed.model_fields.items() if _has(field, key)]
    return found + below


def _has(field: FieldInfo, key: str) -> bool:
    model = _model_in(field.annotation)
    return model is not None and key in model.model_fields
