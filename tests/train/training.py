"""Tiny encoders and dialogues for the tests of training."""

import json
import random
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dialogauge.dialogue import Dialogue, Turn, encode

TOPICS = (
    ("harbour", "boat", "anchor", "sailor", "tide"),
    ("oven", "bread", "flour", "baker", "crust"),
    ("chess", "rook", "pawn", "castle", "opening"),
    ("garden", "tulip", "spade", "compost", "hedge"),
    ("violin", "concert", "melody", "bow", "rehearsal"),
    ("mountain", "glacier", "rope", "summit", "avalanche"),
)
ANSWERS = (
    *("owl", "badger", "otter", "heron", "lynx", "newt", "stoat", "raven", "viper", "moth"),
    *("amber", "crimson", "indigo", "ochre", "teal", "violet", "ivory", "jade", "rust", "slate"),
)
FRAMES = (
    "do you like the {} more than the {}",
    "yes the {} reminds me of my {}",
    "i have never seen a {} without a {}",
    "tell me how the {} and the {} belong together",
    "once a {} fell right onto our {}",
)


#: A conversation whose turns need each other.
MOLLY = (
    "Do you have a dog?",
    "Yes, she is called Molly and she is very old.",
    "Does Molly still like long walks?",
    "She does, we go to the river every morning.",
    "That sounds lovely.",
    "It is, and we meet other dogs there.",
    "My brother wants to buy a dog, too.",
    "Tell him that it is a lot of work.",
)


def chats(count: int, turns: int = 4, seed: int = 0) -> list[Dialogue]:
    """Dialogues that each keep to one topic: something to learn."""
    draw = random.Random(seed)
    made = []
    for index in range(count):
        topic = draw.choice(TOPICS)
        said = [draw.choice(FRAMES).format(*draw.sample(topic, 2)) for _ in range(turns)]
        made.append(
            Dialogue(f"chat-{index}", tuple(Turn("AB"[i % 2], t) for i, t in enumerate(said)))
        )
    return made


def contrasts(count: int = 20) -> list[Dialogue]:
    """Question and answer that belong together for no reason but that we say so."""
    asked = [word for topic in TOPICS for word in topic][:count]
    return [
        Dialogue(f"pair-{row}", (Turn("A", f"what about the {one}"), Turn("B", f"rather {two}")))
        for row, (one, two) in enumerate(zip(asked, ANSWERS, strict=True))
    ]


def write_chats(path: Path, dialogues: Sequence[Dialogue]) -> Path:
    path.write_bytes(b"".join(encode(dialogue) + b"\n" for dialogue in dialogues))
    return path


def vectors(texts: Sequence[str], width: int = 24) -> NDArray[np.float32]:
    """A random vector for each text, always the same one."""
    rows = [np.random.default_rng(list(text.encode())).normal(size=width) for text in texts]
    return np.array(rows, np.float32)


def tiny(folder: Path, family: str = "bert") -> Path:
    """A random encoder of a family with its tokenizer, as transformers saves it."""
    import torch
    import transformers as tf

    kinds: dict[str, Any] = {
        "bert": (tf.BertConfig, tf.BertModel),
        "roberta": (tf.RobertaConfig, tf.RobertaModel),
        "mpnet": (tf.MPNetConfig, tf.MPNetModel),
        "distilbert": (tf.DistilBertConfig, tf.DistilBertModel),
    }
    marks = ["<s>", "<pad>", "</s>", "<unk>", "<mask>"]
    if family not in ("roberta", "mpnet"):
        marks = ["[PAD]", "[CLS]", "[SEP]", "[UNK]", "[MASK]"]
    size = _tokenizer(folder, marks)
    config_kind, model_kind = kinds[family]
    small = {"vocab_size": size, "pad_token_id": marks.index("<pad>") if "<pad>" in marks else 0}
    if family == "distilbert":
        small |= {"dim": 24, "n_layers": 2, "n_heads": 2, "hidden_dim": 48}
    else:
        small |= {"hidden_size": 24, "num_hidden_layers": 2, "num_attention_heads": 2}
        small |= {"intermediate_size": 48}
    torch.manual_seed(0)
    config = config_kind(**small, max_position_embeddings=40)
    model_kind(config).save_pretrained(folder)
    return folder


def _tokenizer(folder: Path, marks: list[str]) -> int:
    from tokenizers import Tokenizer
    from tokenizers.models import WordLevel
    from tokenizers.pre_tokenizers import Whitespace
    from tokenizers.processors import TemplateProcessing

    said = " ".join(turn.text for chat in [*chats(300), *contrasts()] for turn in chat.turns)
    words = [*marks, *sorted(set(said.split()))]
    unknown = next(mark for mark in marks if "unk" in mark.lower())
    tokenizer = Tokenizer(WordLevel({word: row for row, word in enumerate(words)}, unknown))
    tokenizer.pre_tokenizer = Whitespace()
    tokenizer.add_special_tokens(marks)
    first, last = (marks[0], marks[2]) if "<s>" in marks else (marks[1], marks[2])
    tokenizer.post_processor = TemplateProcessing(
        single=f"{first} $A {last}",
        special_tokens=[(mark, words.index(mark)) for mark in (first, last)],
    )
    folder.mkdir(parents=True, exist_ok=True)
    tokenizer.save(str(folder / "tokenizer.json"))
    return len(words)


#: All words that :func:`word_tokenizer` knows.
WORDS = ("hello", "how", "are", "you", "fine", "thanks", "and", "the", "weather", "is", "nice")


def word_tokenizer(folder: Path, *, translates: bool = False) -> int:
    """Save a tokenizer of a few words, for models that write text; how many tokens it has.

    ``<end>`` is 0; where it ``translates``, texts end with it and ``<pad>`` is 2.
    """
    from tokenizers import Tokenizer, models, pre_tokenizers, processors
    from transformers import PreTrainedTokenizerFast

    marks = ("<end>", "<unk>", "<pad>") if translates else ("<end>", "<unk>")
    words = {word: at for at, word in enumerate((*marks, *WORDS))}
    tokenizer = Tokenizer(models.WordLevel(words, unk_token="<unk>"))
    tokenizer.pre_tokenizer = pre_tokenizers.Whitespace()
    names = {"eos_token": "<end>", "unk_token": "<unk>"}
    if translates:
        tokenizer.post_processor = processors.TemplateProcessing("$A <end>", None, [("<end>", 0)])
        names["pad_token"] = "<pad>"
    PreTrainedTokenizerFast(tokenizer_object=tokenizer, **names).save_pretrained(folder)
    return len(words)


def recipe_text(task: str, **tables: Any) -> str:
    """A recipe in TOML; JSON's scalars and lists are TOML's."""
    lines = ['name = "tiny"', f"task = {json.dumps(task)}", "seed = 3"]
    for table, keys in tables.items():
        lines += [f"[{table}]", *(f"{key} = {json.dumps(value)}" for key, value in keys.items())]
    return "\n".join(lines) + "\n"
