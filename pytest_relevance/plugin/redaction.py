"""Mask the secrets of a run in its reports, records and baselines.

Secrets are values with secret names, logins in URLs, and values that are known to be
secret because they had a secret name elsewhere.
"""

from __future__ import annotations

import operator
import os
from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any, TypeVar

import pytest

from pytest_relevance.plugin.known_secrets import KnownSecrets, texts_in
from pytest_relevance.plugin.secret_patterns import (
    MaskedArguments,
    NamedSecrets,
    is_mask,
    mask,
)

if TYPE_CHECKING:
    from pytest_relevance.cases.model import Case
    from pytest_relevance.results.case_parts import DocumentTexts
    from pytest_relevance.results.case_result import CaseResult
    from pytest_relevance.results.records.entries import BaselineEntries

_FOLDERS = ("/", "~", ".")
"""What a path begins with."""

_NO_SECRETS = frozenset({"PWD", "OLDPWD"})
"""Environment variables that have folders, and names that the pattern finds."""

_IDENTITIES = frozenset(
    {
        "as_returned",
        "documents",
        "file",
        "id",
        "irrelevant_top",
        "items",
        "missing",
        "node",
        "not_in_catalogue",
        "not_in_index",
        "query",
        "search",
        "sets",
        "settings",
        "source",
        "test",
        "variant",
        "wrong",
    }
)
"""The fields of a result that are never masked: they identify cases and documents, or
scores depend on them.
"""

Part = TypeVar("Part", "CaseResult", "DocumentTexts")


class Redaction:
    """Masks values with secret names, logins in URLs, and known secrets.

    `known`: the secret values that were seen so far.
    """

    def __init__(self, pattern: str) -> None:
        """Take a pattern for secret names. Raises `re.error` if it is invalid."""
        self._by_name = NamedSecrets(pattern)
        self.known = KnownSecrets()

    # --- what is known to be secret ---------------------------------------------------

    def learn(self, values: Mapping[str, Any]) -> None:
        """Remember values with secret names, and passwords in URLs, as secrets."""
        for name, value in values.items():
            self._look_at(str(name), value)

    def _look_at(self, name: str, value: Any) -> None:
        """Learn a value if its name is secret; otherwise the secrets within it."""
        if name and self._by_name.is_secret(name):
            self._learn(name, value)
        elif isinstance(value, str):
            self._learn_text(value)
        elif isinstance(value, Mapping):
            self.learn(value)
        elif isinstance(value, (list, tuple)):
            for item in value:
                self._look_at("", item)

    def learn_arguments(self, arguments: Iterable[str]) -> None:
        """Remember the secrets in the arguments of a command."""
        arguments = list(arguments)
        for argument in arguments:
            self._learn_text(argument)
        masked = MaskedArguments(arguments, self._by_name, self.text)
        for name, value in masked.secrets:
            self._learn(name, value)

    def learn_environment(self, variables: Mapping[str, str]) -> None:
        """Remember the values of environment variables with secret names as secrets.

        Paths and plain words are left out.
        """
        for name, value in variables.items():
            is_path = value.startswith(_FOLDERS) or name in _NO_SECRETS
            if self._by_name.is_secret(name) and not is_path and not value.isalpha():
                self._learn(name, value)

    def _learn(self, name: str, value: Any) -> None:
        """Remember all texts in a secret value, with the mask of the whole value."""
        for text in texts_in(value):
            if not is_mask(text):
                self.known.add(text, mask(name, value))

    def _learn_text(self, text: str) -> None:
        """Remember the secrets in a text."""
        for name, value in self._by_name.found_in(text):
            self._learn(name, value)

    # --- masking ----------------------------------------------------------------------

    def values(self, values: Mapping[str, Any]) -> Mapping[str, Any]:
        """Return values with secrets masked, at every depth.

        If there are no secrets, the same object is returned.
        """
        masked = {name: self._value(str(name), value) for name, value in values.items()}
        if all(masked[name] is value for name, value in values.items()):
            return values
        return masked

    def hide_in_result(self, part: Part) -> Part:
        """Return a result, or texts of documents, with known secrets masked."""
        hidden: Part = self.known.hide_in(part, _IDENTITIES) if self.known else part
        return hidden

    def text(self, text: str) -> str:
        """Return a text with the secrets in it masked: named ones, then known ones.

        In this order a named secret has the same mask, whatever is known.
        """
        return self.known.hide(self._by_name.hide(text))

    def arguments(self, arguments: Iterable[str]) -> list[str]:
        """Return the arguments of a command with secrets masked: `--api-key=abc`."""
        return MaskedArguments(arguments, self._by_name, self.text).arguments

    def _value(self, name: str, value: Any) -> Any:
        """Return a value with its secrets masked; the same object if it has none.

        `name`: the key of the value, or "".
        """
        if self._by_name.is_secret(name) and value is not None:
            return mask(name, value)
        if isinstance(value, str):
            return self.known.hide(self._by_name.hide_in_value(value))
        if isinstance(value, Mapping):
            return self.values(value)
        if isinstance(value, (list, tuple)):
            masked = [self._value("", item) for item in value]
            is_same = all(map(operator.is_, masked, value))
            return value if is_same else masked
        return value


_REDACTION: pytest.StashKey[Redaction] = pytest.StashKey()


def redaction(config: pytest.Config) -> Redaction:
    """Return the object that masks secrets in this run, which is made on first use.

    It knows the secrets of options, of the command line and of the environment.
    """
    if _REDACTION not in config.stash:
        of_run = Redaction(config.getini("relevance_redact"))
        of_run.learn(vars(config.option))
        of_run.learn_arguments(map(str, config.invocation_params.args))
        of_run.learn_environment(os.environ)
        config.stash[_REDACTION] = of_run
    return config.stash[_REDACTION]


def masked_params(config: pytest.Config) -> Callable[[Case], Mapping[str, Any]]:
    """Return a function that returns the params of a case with secrets masked."""
    mask = redaction(config).values
    return lambda case: mask(case.params)


def mask_entries(config: pytest.Config, entries: BaselineEntries) -> None:
    """Mask secrets in the params and the fingerprint of entries, in place.

    The entries may have been written before the ini key `relevance_redact` was set.
    """
    masked = redaction(config).values
    for key, entry in entries.items():
        if entry.params:
            entries[key] = replace(entry, params=masked(entry.params))
    entries.fingerprint = masked(entries.fingerprint)
