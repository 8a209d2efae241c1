"""Presidio: the checksummed patterns without a model, names by a model that the user has, and recognizers of the user's own.

In: a policy's settings. Out: an analyzer of candidates (`checksums`), a function from text to people's names (`people_finder`), and one from
text to kinds and values (`own_recognizers`). The only file that imports presidio, and only when something asks for it: its import takes 2.1 s.
Downloads nothing: a model that is not on this machine is an error that says so.
"""

from __future__ import annotations

import importlib
import importlib.util
import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Final

from redact.errors import PolicyError

if TYPE_CHECKING:
    from presidio_analyzer import AnalyzerEngine, EntityRecognizer
    from presidio_analyzer.nlp_engine import NlpEngine

ENGINES: Final = ("spacy", "transformers", "gliner")
_NEEDS: Final = {
    "spacy": ("spacy",),
    "transformers": ("transformers", "torch"),
    "gliner": ("gliner",),
}
_PERSON: Final = "PERSON"


@dataclass(frozen=True, slots=True, kw_only=True)
class NamesEngine:
    """Which model reads prose for names."""

    engine: str
    """`spacy`, `transformers` or `gliner`."""
    model: str
    """A folder, or for spaCy an installed package."""
    language: str = "en"
    threshold: float = 0.5
    """Names the model is less sure of are left."""


@dataclass(frozen=True, slots=True, kw_only=True)
class OwnRecognizer:
    """A recognizer of Presidio that the policy adds: a class, or Presidio's own description of patterns or words."""

    kinds: tuple[tuple[str, str], ...]
    """Presidio's entity to the kind of `redact.kinds` that it is."""
    path: str = ""
    """`package.module:Class`, an `EntityRecognizer` that is made without arguments."""
    description: str = ""
    """JSON, as Presidio's `PatternRecognizer.from_dict` reads it."""
    language: str = "en"
    threshold: float = 0.5
    """Values that the recognizer is less sure of stay."""


@cache
def own_recognizers(
    settings: tuple[OwnRecognizer, ...],
) -> Callable[[str], Iterator[tuple[str, str]]]:
    """Return a function that yields the kind and the value of what the policy's recognizers find in a text."""
    analyzers = [
        (one, _analyzer([_recognizer_of(one)], _no_model(one.language), one.language))
        for one in settings
    ]

    def values_in(text: str) -> Iterator[tuple[str, str]]:
        for one, analyzer in analyzers:
            kinds = dict(one.kinds)
            for result in analyzer.analyze(
                text, language=one.language, entities=list(kinds), score_threshold=one.threshold
            ):
                yield kinds[result.entity_type], text[result.start : result.end]

    return values_in


def _recognizer_of(settings: OwnRecognizer) -> EntityRecognizer:
    """Return the recognizer that the policy names, or one of the patterns that it describes."""
    from presidio_analyzer import EntityRecognizer, PatternRecognizer  # noqa: PLC0415 - as below

    name = settings.path or json.loads(settings.description).get("name")
    try:
        if settings.description:
            return PatternRecognizer.from_dict(json.loads(settings.description))
        module, _, attribute = settings.path.partition(":")
        made = getattr(importlib.import_module(module), attribute)()
    except Exception as error:  # the user's code and Presidio's may raise anything
        raise PolicyError(
            f"the recognizer {name} cannot be made: {type(error).__name__}. It must be importable, and be made without arguments."
        ) from error
    if not isinstance(made, EntityRecognizer):
        raise PolicyError(f"the recognizer {name} is no `presidio_analyzer.EntityRecognizer`.")
    return made


def checksums() -> AnalyzerEngine:
    """Return an analyzer of card numbers, account numbers, social security numbers and net addresses."""
    # Local imports, here and below: presidio takes 2.1 s to import, and most data never needs it.
    from presidio_analyzer.predefined_recognizers import (  # noqa: PLC0415
        CreditCardRecognizer,
        IbanRecognizer,
        IpRecognizer,
        UsSsnRecognizer,
    )

    recognizers = [CreditCardRecognizer(), IbanRecognizer(), IpRecognizer(), UsSsnRecognizer()]
    return _analyzer(list(recognizers), _no_model("en"), "en")


@cache
def people_finder(settings: NamesEngine) -> Callable[[str], Iterator[str]]:
    """Return a function that yields the names a model finds in a text."""
    for library in _NEEDS[settings.engine]:
        if importlib.util.find_spec(library) is None:
            raise PolicyError(
                f"names.engine = {settings.engine!r} needs the package {library}: install it, or take another engine."
            )
    engine, recognizer = _loaded(settings)
    analyzer = _analyzer([recognizer], engine, settings.language)

    def people(text: str) -> Iterator[str]:
        found = analyzer.analyze(
            text,
            language=settings.language,
            entities=[_PERSON],
            score_threshold=settings.threshold,
        )
        for one in sorted(found, key=lambda one: (one.start, one.end)):
            yield text[one.start : one.end]

    return people


def _loaded(settings: NamesEngine) -> tuple[NlpEngine, EntityRecognizer]:
    is_folder = Path(settings.model).is_dir()
    if not is_folder and not (settings.engine == "spacy" and _is_package(settings.model)):
        raise PolicyError(
            "names.model is neither a folder on this machine nor an installed spaCy package; nothing is downloaded."
        )
    try:
        return _LOADERS[settings.engine](settings)
    except (OSError, ValueError, ImportError) as error:
        raise PolicyError(
            f"names.model does not load as a {settings.engine} model: {type(error).__name__}."
        ) from error


def _is_package(name: str) -> bool:
    from spacy.util import is_package  # noqa: PLC0415 - as above

    return is_package(name)


def _spacy(settings: NamesEngine) -> tuple[NlpEngine, EntityRecognizer]:
    from presidio_analyzer.nlp_engine import SpacyNlpEngine  # noqa: PLC0415
    from presidio_analyzer.predefined_recognizers import SpacyRecognizer  # noqa: PLC0415

    engine = SpacyNlpEngine(models=[{"lang_code": settings.language, "model_name": settings.model}])
    engine.load()
    return engine, SpacyRecognizer(
        supported_language=settings.language, supported_entities=[_PERSON]
    )


def _transformers(settings: NamesEngine) -> tuple[NlpEngine, EntityRecognizer]:
    from presidio_analyzer.predefined_recognizers.ner import (  # noqa: PLC0415
        HuggingFaceNerRecognizer,
    )

    return _no_model(settings.language), HuggingFaceNerRecognizer(
        model_name=settings.model,
        supported_language=settings.language,
        supported_entities=[_PERSON],
        threshold=settings.threshold,
    )


def _gliner(settings: NamesEngine) -> tuple[NlpEngine, EntityRecognizer]:
    from presidio_analyzer.predefined_recognizers import GLiNERRecognizer  # noqa: PLC0415

    return _no_model(settings.language), GLiNERRecognizer(
        model_name=settings.model,
        supported_language=settings.language,
        entity_mapping={"person": _PERSON, "name": _PERSON},
        threshold=settings.threshold,
    )


_LOADERS: Final[dict[str, Callable[[NamesEngine], tuple[NlpEngine, EntityRecognizer]]]] = {
    "spacy": _spacy,
    "transformers": _transformers,
    "gliner": _gliner,
}


def _no_model(language: str) -> NlpEngine:
    from presidio_analyzer.nlp_engine import NoOpNlpEngine  # noqa: PLC0415 - as above

    return NoOpNlpEngine(models=[{"lang_code": language, "model_name": ""}])


def _analyzer(
    recognizers: list[EntityRecognizer], engine: NlpEngine, language: str
) -> AnalyzerEngine:
    from presidio_analyzer import AnalyzerEngine, RecognizerRegistry  # noqa: PLC0415 - as above

    registry = RecognizerRegistry(recognizers=recognizers, supported_languages=[language])
    return AnalyzerEngine(registry=registry, nlp_engine=engine, supported_languages=[language])
