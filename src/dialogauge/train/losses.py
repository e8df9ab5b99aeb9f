"""What a metric of single responses can learn by: QuantiDCE's two losses (Ye et al. 2021).

:func:`ranked` is their multi-level ranking loss (MLR): responses of three and more levels to one
context, better ones above worse ones, levels apart and each close together. As published it adds,
for a gap g of two levels, max(0, m - |g|) and max(0, -g): between -m and 0 the sum is m whatever g
is, so that a small wrong order teaches nothing. Mended it is max(0, m - g), the same where the
order is right. :func:`distilled` is what a student keeps of its teacher while it learns people's
scale (KD); the rest of KD-MSE is :func:`graded`.
"""

from collections.abc import Sequence
from itertools import combinations

import torch
from torch import Tensor
from torch.nn.functional import mse_loss, relu

#: How far neighbouring levels must be apart, and how far from its mean a level may stray.
_APART, _CLOSE = 0.3, 0.1


def ranked(scores: Tensor, there: Tensor, published: bool = False) -> Tensor:
    """MLR of scores between 0 and 1, the best level first, averaged over contexts.

    (contexts, levels, responses) twice; ``there`` is 0 where there is no response.

    >>> apart = torch.tensor([[[0.9, 0.9], [0.5, 0.5], [0.1, 0.1]]])
    >>> float(ranked(apart, torch.ones_like(apart)))
    0.0
    >>> wrong, every = apart.flip(1), torch.ones_like(apart)
    >>> [round(float(ranked(wrong, every, published)), 4) for published in (True, False)]
    [1.6, 2.8]
    """
    count = there.sum(-1)
    means = (scores * there).sum(-1) / count.clamp(min=1)
    strayed = ((scores - means[..., None]).abs() * there).sum(-1) / count.clamp(min=1)
    loss = relu(strayed - _CLOSE).sum(-1)
    for better, worse in combinations(range(scores.shape[1]), 2):
        both = ((count[:, better] > 0) & (count[:, worse] > 0)).to(scores.dtype)
        gap, margin = means[:, better] - means[:, worse], (worse - better) * _APART
        short = relu(margin - gap.abs()) + relu(-gap) if published else relu(margin - gap)
        loss = loss + both * short
    return loss.mean()


def graded(scores: Tensor, people: Tensor) -> Tensor:
    """The squared error of scores between 0 and 1 on people's scale of 1 to 5."""
    return mse_loss(4 * scores + 1, people)


def distilled(student: Sequence[Tensor], teacher: Sequence[Tensor]) -> Tensor:
    """The squared errors of what a student computes on the way, tensor by tensor, added up."""
    pairs = zip(student, teacher, strict=True)
    return torch.stack([mse_loss(ours, theirs) for ours, theirs in pairs]).sum()
