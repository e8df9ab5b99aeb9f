"""Texts into another language and back, by two neural models: other words for the same.

Any pair of translation models of the MarianMT kind works, by folder or by name on the hub, such as
``Helsinki-NLP/opus-mt-en-de`` and ``Helsinki-NLP/opus-mt-de-en``; the network is used only because
the user wrote that name. Weights are safetensors, nothing is unpickled and no code of a model is
run. Their tokenizers need one more package: ``pip install sentencepiece``.

MaUdE translates to German and back with five beams; so do we. There is no chance in it.
"""

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import torch

from . import pretrained

_BEAMS = 5
#: Texts that are translated together, of about equal length.
_BATCH = 16


class Translator:
    """A model that translates in one direction, with its tokenizer."""

    def __init__(self, model: Any, tokenizer: Any) -> None:
        self.model, self.tokenizer = model.eval(), tokenizer
        self._room = int(getattr(model.config, "max_position_embeddings", 512))

    def __call__(self, texts: Sequence[str]) -> list[str]:
        """Each text translated; what is empty, or too long for the model, comes back as it is."""
        translated = list(texts)
        for places, ids in self._batches(texts):
            for at, text in zip(places, self._translated(ids), strict=True):
                translated[at] = text or texts[at]
        return translated

    def _batches(self, texts: Sequence[str]) -> Iterator[tuple[list[int], list[list[int]]]]:
        # No model has room for so many letters: they are not worth the tokenizer's time.
        worth = [at for at, text in enumerate(texts) if text.strip() and len(text) < 20_000]
        tokens = {at: self.tokenizer(texts[at])["input_ids"] for at in worth}
        order = sorted((len(ids), at) for at, ids in tokens.items() if 0 < len(ids) <= self._room)
        for start in range(0, len(order), _BATCH):
            places = [at for _, at in order[start : start + _BATCH]]
            yield places, [tokens[at] for at in places]

    def _translated(self, rows: list[list[int]]) -> list[str]:
        ids, mask = pretrained.padded(rows, self.model.config.pad_token_id)
        with torch.inference_mode():
            tokens = self.model.generate(
                ids,
                attention_mask=mask,
                num_beams=_BEAMS,
                do_sample=False,
                max_length=min(self._room, 2 * ids.shape[1] + 20),
            )
        texts: list[str] = self.tokenizer.batch_decode(tokens, skip_special_tokens=True)
        return [text.strip() for text in texts]


class RoundTrip:
    """Texts there and back."""

    def __init__(self, there: Translator, back: Translator) -> None:
        self.there, self.back = there, back

    def __call__(self, texts: Sequence[str]) -> list[str]:
        """Each text in other words; give many together."""
        return self.back(self.there(texts))


def load(there: str, back: str) -> RoundTrip:
    """The round trip by two models, each a local folder or a name on the hub."""
    from transformers import AutoModelForSeq2SeqLM as Kind

    remedy = "does its tokenizer need `pip install sentencepiece`?"
    models = (pretrained.load(Kind, n, Path(n), "translator", remedy) for n in (there, back))
    return RoundTrip(*(Translator(*model) for model in models))
