"""Networks that read graphs, dense and in batches, and how the links of a graph are weighed."""

import torch
from torch import Tensor, nn

from ....errors import InputError

#: Layers of graph convolution, and of graph attention, with its heads.
_LAYERS, _ATTENDING, _HEADS = 2, 3, 4


class Gcn(nn.Module):
    """Layers of Kipf and Welling's graph convolution."""

    def __init__(self, width: int) -> None:
        super().__init__()
        self.hops = nn.ModuleList([nn.Linear(width, width) for _ in range(_LAYERS)])

    def forward(self, states: Tensor, links: Tensor) -> Tensor:
        """(rows, nodes, width), normalised links (rows, nodes, nodes) -> as the first."""
        for layer in self.hops:
            states = nn.functional.elu(links @ layer(states))
        return states


class Gat(nn.Module):
    """Layers of graph attention (Veličković et al. 2018), heads side by side in a state.

    What a link weighs is a factor in the soft-max over a node's neighbours, itself among them.
    """

    def __init__(self, width: int) -> None:
        super().__init__()
        if width % _HEADS:
            raise InputError(f"is no multiple of {_HEADS}, the heads", field="settings.shape.width")
        self.hops = nn.ModuleList([nn.Linear(width, width) for _ in range(_ATTENDING)])
        self.asks = nn.Parameter(torch.empty(_ATTENDING, 2, _HEADS, width // _HEADS, 1))
        nn.init.normal_(self.asks, std=(width // _HEADS) ** -0.5)

    def forward(self, states: Tensor, links: Tensor) -> Tensor:
        """(rows, nodes, width), what links weigh (rows, nodes, nodes) -> as the first."""
        factor = links.clamp(min=1e-4).log() + (links <= 0).to(links.dtype) * -1e4
        for layer, (asking, asked) in zip(self.hops, self.asks, strict=True):
            own = layer(states).unflatten(-1, (_HEADS, -1)).transpose(1, 2)
            wanted = own @ asking + (own @ asked).transpose(2, 3)  # (rows, heads, nodes, nodes)
            wanted = nn.functional.leaky_relu(wanted, 0.2) + factor[:, None]
            heard = wanted.softmax(-1) @ own
            states = nn.functional.elu(heard.transpose(1, 2).flatten(2))
        return states


def looped(links: Tensor, there: Tensor) -> Tensor:
    """Links, and one of each node that is there to itself."""
    return links + _diagonal(there)


def symmetric(links: Tensor, there: Tensor) -> Tensor:
    """D^-1/2 (A + I) D^-1/2 over the nodes that are there.

    >>> scaled = symmetric(torch.tensor([[[0.0, 1.0], [1.0, 0.0]]]), torch.ones(1, 2))
    >>> scaled[0].round(decimals=4).tolist()
    [[0.5, 0.5], [0.5, 0.5]]
    """
    own = looped(links, there)
    scale = own.sum(-1).clamp(min=1).rsqrt()
    return scale[:, :, None] * own * scale[:, None, :]


def with_text_node(
    nodes: Tensor, there: Tensor, links: Tensor, text: Tensor
) -> tuple[Tensor, Tensor, Tensor]:
    """Nodes, which are there, and links, with one more that speaks to all and hears nobody.

    Links of one direction cannot be normalised on both sides: here each node takes the mean of
    those that it hears, itself among them.
    """
    nodes = torch.cat([nodes, text[:, None]], 1)
    there = torch.cat([there, torch.ones_like(there[:, :1])], 1)
    rows, count = links.shape[0], links.shape[1] + 1
    heard = torch.cat([links, there[:, :-1, None]], 2)
    heard = torch.cat([heard, links.new_zeros(rows, 1, count)], 1)
    own = heard + _diagonal(there)
    return nodes, there, own / own.sum(-1, keepdim=True).clamp(min=1)


def _diagonal(there: Tensor) -> Tensor:
    """A link of each node that is there to itself: (rows, nodes) -> (rows, nodes, nodes)."""
    return there[:, :, None] * torch.eye(there.shape[1], dtype=there.dtype, device=there.device)
