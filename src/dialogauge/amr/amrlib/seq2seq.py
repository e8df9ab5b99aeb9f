"""Parsers and generators of amrlib: its ``parse_xfm`` (T5, BART) and ``generate_xfm`` folders.

A folder is what amrlib unpacks: ``amrlib_meta.json`` (what it is), ``config.json`` (a transformer,
and its lengths under ``task_specific_params``), the weights and a tokenizer. We run it with
``transformers`` alone, which differs from amrlib in four ways:

- The weights must be safetensors: amrlib's downloads are pickles, which run code when loaded.
- The tokenizer comes from the folder, never by its name from a hub.
- Words and lemmas come from our own language pipeline, and alignments from :mod:`.matching`.
- A text that is longer than the model reads is counted, and a graph that is is not written at all.
"""

import sys
from collections.abc import Sequence
from hashlib import sha256
from importlib.util import find_spec
from pathlib import Path
from typing import Annotated, Any

import msgspec
from msgspec.structs import replace

from ... import models
from ...dialogue import mend
from ...errors import MissingExtraError, ModelError
from ...language import Pipeline, load
from ...sentence.draft import Word
from ..graph import Graph, Token
from .linear import delinearised, linearised
from .matching import align, matches

_META = "amrlib_meta.json"
#: amrlib's names of the code that runs a model; older ones were renamed and do the same.
PARSERS = frozenset({".parse_xfm.inference", ".parse_t5.inference"})
_TENSED = ".generate_t5wtense.inference"
_GENERATORS = frozenset({".generate_xfm.inference", ".generate_t5.inference", _TENSED})
#: A folder has a tokenizer if it has one of these.
_TOKENIZERS = ("tokenizer.json", "spiece.model", "vocab.json")
#: amrlib's own settings: candidates per text, and texts at once.
BEAMS, BATCH = 4, 12
_Count = Annotated[int, msgspec.Meta(ge=1)]


class _Meta(msgspec.Struct, frozen=True):
    """What amrlib says of a model."""

    inference_module: str


class _Lengths(msgspec.Struct, frozen=True):
    """How many word pieces a model reads and writes."""

    max_in_len: _Count
    max_out_len: _Count


class _Tasks(msgspec.Struct, frozen=True):
    """The lengths by task; the first released parser has them under the wrong name."""

    parse_amr: _Lengths | None = None
    translation_amr_to_text: _Lengths | None = None


class _Config(msgspec.Struct, frozen=True):
    """The part of a transformer's configuration that amrlib adds."""

    task_specific_params: _Tasks


class Counts(msgspec.Struct):
    """What a model was given since it was loaded."""

    texts: int = 0
    clipped: int = 0  # longer than the model reads
    failed: int = 0  # nothing that it wrote could be used


def is_folder(path: Path) -> bool:
    """Whether a path is a folder with a model of amrlib."""
    try:
        return (path / _META).is_file()
    except (OSError, ValueError):  # too long for a path, or with a NUL
        return False


class AmrlibParser:
    """Text to graphs, many at a time."""

    def __init__(self, model: "Transformer", pipeline: Pipeline, beams: int = BEAMS) -> None:
        self._model, self._pipeline, self._beams = model, pipeline, beams
        self.counts = Counts()

    @classmethod
    def load(cls, folder: Path) -> "AmrlibParser":
        """The parser of a folder."""
        return cls(Transformer.load(folder, PARSERS), load())

    @property
    def signature(self) -> str:
        """Model, settings, and the pipeline that names the words."""
        return f"{self._model.signature}|beams:{self._beams}|{self._pipeline.signature}"

    def parse(self, texts: Sequence[str]) -> list[Graph | None]:
        """The graph of each text; None where no candidate is one, or there is no word."""
        texts = [mend(text, lambda _: None) for text in texts]
        spoken = [text for text in texts if text.strip()]
        written = zip(spoken, self._model.write(spoken, self._beams), strict=True)
        graph_of = {text: self._graph(text, lines) for text, lines in written}
        graphs = [graph_of.get(text) for text in texts]
        self.counts.texts += len(texts)
        self.counts.clipped += sum(self._model.too_long(text) for text in texts)
        self.counts.failed += graphs.count(None)
        return graphs

    def _graph(self, text: str, lines: Sequence[str]) -> Graph | None:
        """The first candidate that is a graph, with its words."""
        graph = next(filter(None, map(delinearised, lines)), None)
        if graph is None:
            return None
        words = _words(self._pipeline, text)
        tokens = tuple(Token(word.text, word.idx, word.idx + len(word.text)) for word in words)
        places = align(graph, [word.text for word in words], [word.lemma_ for word in words])
        return replace(graph, text=text, tokens=tokens, aligned=places)


class AmrlibGenerator:
    """Graphs to whole new sentences; a model trained with tense is told the words' tags."""

    def __init__(self, model: "Transformer", pipeline: Pipeline | None) -> None:
        self._model, self._pipeline = model, pipeline
        self.counts = Counts()

    @classmethod
    def load(cls, folder: Path) -> "AmrlibGenerator":
        """The generator of a folder."""
        model = Transformer.load(folder, _GENERATORS)
        return cls(model, load() if model.module == _TENSED else None)

    @property
    def signature(self) -> str:
        """Model, and the pipeline that tags."""
        return self._model.signature + (f"|{self._pipeline.signature}" if self._pipeline else "")

    def realise(self, original: Graph, edited: Graph) -> str | None:
        """The edited graph as a sentence; nothing of the original's wording is used."""
        return self.write([edited])[0]

    def write(self, graphs: Sequence[Graph]) -> list[str | None]:
        """A sentence for each graph; None where it is longer than the model reads."""
        if self._pipeline is not None:
            graphs = [tagged(graph, self._pipeline) for graph in graphs]
        lines = [linearised(graph) for graph in graphs]
        short = [line for line in lines if not self._model.too_long(line)]
        written = zip(short, self._model.write(short, beams=1), strict=True)
        sentences = {line: texts[0].strip() for line, texts in written}
        self.counts.texts += len(lines)
        self.counts.clipped += len(lines) - len(short)
        self.counts.failed += sum(sentences.get(line) == "" for line in lines)
        return [sentences.get(line) or None for line in lines]


def tagged(graph: Graph, pipeline: Pipeline) -> Graph:
    """The graph with Penn tags at what has a word, ``tell-01~VBD``: no longer PENMAN."""
    words = _words(pipeline, graph.text)
    matched = matches(graph, [word.text for word in words], [word.lemma_ for word in words])
    concepts, edges = dict(graph.concepts), list(graph.edges)
    for match in matched:
        tag = f"~{words[match.place].tag_}"
        if match.constant is None:
            concepts[match.variable] += tag
        else:
            place = edges.index(match.constant)
            edges[place] = replace(match.constant, target=match.constant.target + tag)
    return replace(graph, concepts=concepts, edges=tuple(edges))


def _words(pipeline: Pipeline, text: str) -> list[Word]:
    return [word for word in pipeline(text) if not word.is_space]


class Transformer:
    """A sequence-to-sequence model from a folder: lines in, lines out."""

    def __init__(self, folder: Path, lengths: _Lengths, module: str) -> None:
        self.module = module
        self._folder, self._lengths = folder, lengths
        self._tokenizer, self._model = _opened(folder)
        weights = "".join(models.digest(path) for path in sorted(folder.glob("*.safetensors")))
        self._hash = sha256(weights.encode()).hexdigest()[:16]

    @classmethod
    def load(cls, folder: Path, modules: frozenset[str]) -> "Transformer":
        """The model of a folder, which must be one of these kinds and hold no pickle."""
        if any(find_spec(name) is None for name in ("torch", "transformers")):
            raise MissingExtraError("amrlib's models", "amrlib")
        models.refuse_pickles(folder)
        module = models.decode(folder / _META, _Meta).inference_module
        if module not in modules:
            names = ", ".join(sorted(modules))
            raise ModelError(f"{folder / _META}: inference_module {module!r} is none of: {names}")
        tasks = models.decode(folder / "config.json", _Config).task_specific_params
        lengths = tasks.parse_amr or tasks.translation_amr_to_text
        if lengths is None:
            raise ModelError(f"{folder / 'config.json'}: task_specific_params has no parse_amr")
        return cls(folder, lengths, module)

    @property
    def signature(self) -> str:
        """Folder, hash of the weights, version of the library that runs it."""
        version = sys.modules["transformers"].__version__
        return f"amrlib:{self._folder.name}|sha256:{self._hash}|transformers:{version}"

    def too_long(self, line: str) -> bool:
        """Whether the end of a line would not be read."""
        return len(self._tokenizer(line)["input_ids"]) > self._lengths.max_in_len

    def write(self, lines: Sequence[str], beams: int) -> list[list[str]]:
        """For each line what the model writes, the likeliest of ``beams`` first."""
        order = sorted(range(len(lines)), key=lambda place: -len(lines[place]))  # little padding
        outputs: dict[int, list[str]] = {}
        for start in range(0, len(order), BATCH):
            places = order[start : start + BATCH]
            written = self._batch([lines[place] for place in places], beams)
            outputs.update(zip(places, written, strict=True))
        return [outputs[place] for place in range(len(lines))]

    def _batch(self, lines: list[str], beams: int) -> list[list[str]]:
        import torch

        cut = {"truncation": True, "max_length": self._lengths.max_in_len}
        given = self._tokenizer(lines, padding=True, return_tensors="pt", **cut)
        given = given.to(self._model.device)
        with torch.inference_mode():
            written = self._model.generate(  # (lines * beams, pieces)
                input_ids=given["input_ids"],
                attention_mask=given["attention_mask"],
                max_length=self._lengths.max_out_len,
                num_beams=beams,
                num_return_sequences=beams,
                early_stopping=beams > 1,
                do_sample=False,
                no_repeat_ngram_size=0,  # a graph repeats itself
            )
        texts = self._tokenizer.batch_decode(written, skip_special_tokens=True)
        return [texts[start : start + beams] for start in range(0, len(texts), beams)]


def _opened(folder: Path) -> tuple[Any, Any]:
    """The tokenizer and the model of a folder, and nothing from anywhere else."""
    import torch
    from transformers import AutoModelForSeq2SeqLM, AutoTokenizer
    from transformers.utils import logging

    logging.disable_progress_bar()  # no bars and no advice: what matters comes as an error of ours
    logging.set_verbosity_error()
    here = {"local_files_only": True, "trust_remote_code": False}
    if not any((folder / name).is_file() for name in _TOKENIZERS):
        remedy = "save the tokenizer that its model_name_or_path names into the folder"
        raise ModelError(f"{folder}: has no tokenizer ({remedy})")
    try:
        tokenizer = AutoTokenizer.from_pretrained(folder, **here)
        model = AutoModelForSeq2SeqLM.from_pretrained(folder, use_safetensors=True, **here)
    except Exception as error:  # whatever the library trips over is a damaged or foreign folder
        problem = str(error).strip().splitlines() or [type(error).__name__]
        raise ModelError(f"{folder}: transformers cannot load it: {problem[0]}") from None
    if len(tokenizer) > model.config.vocab_size:
        raise ModelError(f"{folder}: its tokenizer has more words than its model")
    return tokenizer, model.eval().to("cuda" if torch.cuda.is_available() else "cpu")
