"""The two networks of the built-in AMR parser.

:class:`_Tagger` reads the words and gives each a state, the scores of its templates and its mode.
:class:`_Linker` reads the states and the chosen templates and scores which word hangs from which,
and which edges there are beside the tree; its part :class:`_Roles` scores what an edge is, and is
asked for edges that are drawn and no others. :class:`Parser` is both, and what they are to learn.
"""

from collections.abc import Mapping

import msgspec
import torch
from torch import Tensor, nn

from ....amr.parser.features import FAR
from ...recipe import AtLeastOne, Share

#: A decision from which nothing is learned.
IGNORE = -100
_NEVER = -1e4  # the score of padding, and of words that may not be heads

Batch = Mapping[str, Tensor]


class Shape(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What the networks look like."""

    width: AtLeastOne = 192
    dropout: Share = 0.2


class _Block(nn.Module):
    """Attention that knows the dependency tree, and a convolution."""

    def __init__(self, width: int, heads: int, pair_kinds: int, dropout: float) -> None:
        super().__init__()
        self.heads = heads
        self.norm_attention, self.norm_near = nn.LayerNorm(width), nn.LayerNorm(width)
        self.ask_key_value = nn.Linear(width, 3 * width)
        self.out = nn.Linear(width, width)
        self.pair_bias = nn.Embedding(pair_kinds, heads)
        self.near_bias = nn.Embedding(2 * FAR + 1, heads)
        self.near = nn.Conv1d(width, width, 3, padding=1)
        self.dropout = nn.Dropout(dropout)

    def forward(self, states: Tensor, pairs: Tensor, near: Tensor, mask: Tensor) -> Tensor:
        """States (batch, words, width) -> the same shape."""
        states = states + self.dropout(self._attend(states, pairs, near, mask))
        local = self.norm_near(states) * mask.unsqueeze(-1)
        local = self.near(local.transpose(1, 2)).transpose(1, 2)
        return states + self.dropout(torch.relu(local))

    def _attend(self, states: Tensor, pairs: Tensor, near: Tensor, mask: Tensor) -> Tensor:
        batch, size, width = states.shape
        each = self.ask_key_value(self.norm_attention(states))
        each = each.view(batch, size, 3, self.heads, width // self.heads)
        ask, key, value = (each[:, :, at].transpose(1, 2) for at in range(3))
        scores = ask @ key.transpose(2, 3) / (width // self.heads) ** 0.5
        bias = self.pair_bias(pairs) + self.near_bias(near).unsqueeze(0)
        scores = scores + bias.permute(0, 3, 1, 2) + (1 - mask)[:, None, None, :] * _NEVER
        heads = self.dropout(torch.softmax(scores, dim=-1)) @ value
        return self.out(heads.transpose(1, 2).reshape(batch, size, width))


class _Tagger(nn.Module):
    """Words -> states, template scores, mode scores."""

    def __init__(self, sizes: Mapping[str, int], shape: Shape) -> None:
        super().__init__()
        width, dropout, small = shape.width, shape.dropout, 24
        names = ("pos", "tags", "deps", "entities")
        self.embeddings = nn.ModuleList(nn.Embedding(sizes[name], small) for name in names)
        self.lemmas = nn.Embedding(sizes["lemmas"], 64)
        self.inputs = nn.Linear(sizes["vectors"] + 4 * small + 64, width)
        self.blocks = nn.ModuleList(_Block(width, 4, sizes["pairs"], dropout) for _ in range(2))
        self.norm = nn.LayerNorm(width)
        out = nn.Linear(width, width), nn.ReLU(), nn.Dropout(dropout)
        self.templates = nn.Sequential(*out, nn.Linear(width, sizes["templates"]))
        self.modes = nn.Linear(width, sizes["modes"])
        self.dropout = nn.Dropout(dropout)

    def forward(
        self, vectors: Tensor, kinds: Tensor, pairs: Tensor, near: Tensor, mask: Tensor
    ) -> tuple[Tensor, Tensor, Tensor]:
        """States (batch, words, width), templates (.., templates), modes (.., modes)."""
        parts = [embed(kinds[:, :, at]) for at, embed in enumerate(self.embeddings)]
        parts = [self.dropout(part) for part in (vectors, *parts, self.lemmas(kinds[:, :, 4]))]
        states = self.inputs(torch.cat(parts, dim=-1))
        for block in self.blocks:
            states = block(states, pairs, near, mask)
        states = self.norm(states)
        return states, self.templates(states), self.modes(states)


class _Linker(nn.Module):
    """States and templates -> heads and further edges, (batch, from, to)."""

    def __init__(self, sizes: Mapping[str, int], shape: Shape) -> None:
        super().__init__()
        width, dropout = shape.width, shape.dropout
        self.chosen = nn.Embedding(sizes["templates"], 96)
        self.inputs = nn.Linear(width + 96, width)
        self.block = _Block(width, 4, sizes["pairs"], dropout)
        self.norm = nn.LayerNorm(width)
        self.arcs, self.again = _Biaffine(width, 128, 1, dropout), _Biaffine(width, 96, 1, dropout)
        self.roles = _Roles(sizes, shape)
        self.pair_arcs = nn.Embedding(sizes["pairs"], 2)
        self.near_arcs = nn.Embedding(2 * FAR + 1, 2)

    def forward(
        self, states: Tensor, chosen: Tensor, pairs: Tensor, near: Tensor, mask: Tensor
    ) -> tuple[Tensor, Tensor, Tensor]:
        """Scores of arcs and of further edges, and states that know the templates for the roles."""
        states = self.inputs(torch.cat([states, self.chosen(chosen)], dim=-1))
        states = self.norm(self.block(states, pairs, near, mask))
        bias = self.pair_arcs(pairs) + self.near_arcs(near).unsqueeze(0)
        arcs = self.arcs(states)[..., 0] + bias[..., 0]
        return arcs, self.again(states)[..., 0] + bias[..., 1], states


class _Roles(nn.Module):
    """The states of two words of each edge, (edges, width), and their kind -> scores of labels."""

    def __init__(self, sizes: Mapping[str, int], shape: Shape) -> None:
        super().__init__()
        self.both = _Biaffine(shape.width, 56, sizes["labels"], shape.dropout)
        self.pairs = nn.Embedding(sizes["pairs"], sizes["labels"])

    def forward(self, source: Tensor, target: Tensor, pairs: Tensor) -> Tensor:
        """Scores of the labels, (edges, labels)."""
        return self.both.some(source, target) + self.pairs(pairs)


class _Biaffine(nn.Module):
    """A score for each two words and each class: from' W to + u from + v to + b."""

    def __init__(self, width: int, small: int, classes: int, dropout: float) -> None:
        super().__init__()
        self.source, self.target = nn.Linear(width, small), nn.Linear(width, small)
        self.weight = nn.Parameter(torch.randn(classes, small, small) * 0.5 / small)
        self.one_source, self.one_target = nn.Linear(small, classes), nn.Linear(small, classes)
        self.dropout = nn.Dropout(dropout)

    def forward(self, states: Tensor) -> Tensor:
        """(batch, words, width) -> (batch, from, to, classes)."""
        source = self.dropout(torch.relu(self.source(states)))
        target = self.dropout(torch.relu(self.target(states)))
        turned = torch.einsum("bid,cde->bcie", source, self.weight)
        both = (turned @ target.unsqueeze(1).transpose(2, 3)).permute(0, 2, 3, 1)
        return both + self.one_source(source).unsqueeze(2) + self.one_target(target).unsqueeze(1)

    def some(self, source: Tensor, target: Tensor) -> Tensor:
        """The scores of some pairs only, (pairs, width) twice -> (pairs, classes)."""
        source = self.dropout(torch.relu(self.source(source)))
        target = self.dropout(torch.relu(self.target(target)))
        classes, small, _ = self.weight.shape
        turned = source @ self.weight.permute(1, 0, 2).reshape(small, classes * small)
        both = (turned.view(-1, classes, small) @ target.unsqueeze(2)).squeeze(2)
        return both + self.one_source(source) + self.one_target(target)


class Parser(nn.Module):
    """Both networks, and what they are to learn."""

    def __init__(self, sizes: Mapping[str, int], shape: Shape, smoothing: float) -> None:
        super().__init__()
        self.tagger, self.linker = _Tagger(sizes, shape), _Linker(sizes, shape)
        self.smoothing = smoothing

    def loss(self, batch: Batch) -> tuple[Tensor, dict[str, float]]:
        """The sum of the losses of all decisions, and how many of them were right."""
        pairs, near, mask = batch["pairs"], batch["near"], batch["mask"]
        states, templates, modes = self.tagger(batch["vectors"], batch["kinds"], pairs, near, mask)
        chosen = self._chosen(templates.detach(), batch["templates"])
        arcs, again, states = self.linker(states, chosen, pairs, near, mask)
        text, source, target, labels = batch["edges"].T
        ends = states[text, source], states[text, target]
        roles = self.linker.roles(*ends, pairs[text, source, target])
        parts = {
            "template": _choice(templates, batch["templates"], self.smoothing),
            "mode": _choice(modes, batch["modes"], 0.0),
            "head": _heads(arcs, batch),
            "role": _choice(roles, labels, self.smoothing),
            "again": _again(again, batch),
        }
        total = torch.stack([loss for loss, _ in parts.values()]).sum()
        return total, {name: right for name, (_, right) in parts.items()}

    def _chosen(self, scores: Tensor, gold: Tensor) -> Tensor:
        """The templates that the linker sees: the right ones, some as the tagger would have it."""
        gold = torch.where(gold == IGNORE, torch.full_like(gold, 2), gold)
        if not self.training:
            return gold
        guessed = torch.rand(gold.shape, device=gold.device) < 0.3
        return torch.where(guessed, scores.argmax(-1), gold)


def _choice(scores: Tensor, gold: Tensor, smoothing: float) -> tuple[Tensor, float]:
    """The loss of choosing one of several, and the share that is right."""
    scores, gold = scores.reshape(-1, scores.shape[-1]), gold.reshape(-1)
    learned = gold != IGNORE
    if not bool(learned.any()):
        return scores.sum() * 0.0, 1.0
    scores, gold = scores[learned], gold[learned]
    loss = nn.functional.cross_entropy(scores, gold, label_smoothing=smoothing)
    return loss, float((scores.argmax(-1) == gold).float().mean())


def _heads(arcs: Tensor, batch: Batch) -> tuple[Tensor, float]:
    """The same for the word that each word hangs from."""
    arcs = arcs + (1 - batch["bearing"]).unsqueeze(2) * _NEVER
    heads = batch["heads"]
    rows, targets = torch.nonzero(heads >= 0, as_tuple=True)
    return _choice(arcs[rows, :, targets], heads[rows, targets], 0.0)


def _again(scores: Tensor, batch: Batch) -> tuple[Tensor, float]:
    """The same for edges beside the tree, of which there may be any number."""
    bearing, wanted = batch["bearing"], batch["again"]
    possible = bearing.unsqueeze(2) * batch["targets"].unsqueeze(1)
    raw = nn.functional.binary_cross_entropy_with_logits(
        scores, wanted, reduction="none", pos_weight=scores.new_tensor(2.0)
    )
    right = ((scores > 0) & (wanted > 0) & (possible > 0)).sum() / wanted.sum().clamp(min=1)
    return 2 * (raw * possible).sum() / bearing.sum(), float(right)
