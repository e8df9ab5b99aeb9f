"""Models that were tried in the place of `gauge`'s ridge regression: trees, and a network."""

from collections.abc import Callable, Sequence

import numpy as np
import torch
from sklearn.decomposition import PCA
from sklearn.ensemble import HistGradientBoostingRegressor
from torch import Tensor, nn

from ..train.models.gauge.fit import Fitting, Model
from ..train.models.gauge.rows import Floats, Sample, normal


def trees(how: Fitting) -> Model:
    """Boosted trees on the same numbers, and on as many components of vectors."""

    def learn(seen: Sample, weights: Floats) -> Callable[[Sample], Floats]:
        flat = _flat(seen)
        axes = PCA(2 * how.components, random_state=0).fit(flat)

        def design(some: Sample) -> Floats:
            return np.hstack([some.rows.named(how.numbers), axes.transform(_flat(some))])

        model = HistGradientBoostingRegressor(
            max_iter=200, learning_rate=0.05, max_leaf_nodes=8, l2_regularization=1, random_state=0
        )
        target = normal(seen.rows.ratings, weights)[:, 0]
        model.fit(design(seen), target, sample_weight=weights)
        return lambda other: np.asarray(model.predict(design(other)), np.float64)

    return learn


def _flat(seen: Sample) -> Floats:
    return seen.rows.vectors.reshape(len(seen.rows.dialogues), -1)


class _Talk(nn.Module):
    """Turns attend to each other, and their mean meets the numbers."""

    def __init__(self, vector: int, numbers: int, width: int = 48) -> None:
        super().__init__()
        self.turn = nn.Linear(vector + 1, width)
        layer = nn.TransformerEncoderLayer(width, 4, width * 2, 0.2, batch_first=True)
        self.talk = nn.TransformerEncoder(layer, 1, enable_nested_tensor=False)
        self.out = nn.Linear(width + numbers, 1)

    def forward(self, turns: Tensor, there: Tensor, plain: Tensor) -> Tensor:
        read = self.talk(self.turn(turns), src_key_padding_mask=~there)
        mean = (read * there[..., None]).sum(1) / there.sum(1, keepdim=True)
        said: Tensor = self.out(torch.cat([mean, plain], 1))[:, 0]
        return said


def attention(how: Fitting, epochs: int = 12) -> Model:
    """A small network over turns, beside the same numbers."""

    def learn(seen: Sample, weights: Floats) -> Callable[[Sample], Floats]:
        torch.manual_seed(1)
        numbers, width = seen.rows.named(how.numbers), seen.rows.vectors.shape[2]
        centre, scale = np.nanmean(numbers, axis=0), np.nanstd(numbers, axis=0) + 1e-9
        net, rng = _Talk(width, len(how.numbers)), np.random.default_rng(1)

        def batch(some: Sample, at: Sequence[int]) -> tuple[Tensor, Tensor, Tensor]:
            read = [some.facts[one].read for one in at]
            lengths = np.array([len(it.own) for it in read])
            turns = np.zeros((len(at), lengths.max(), width + 1), np.float32)
            for row, it in enumerate(read):
                turns[row, : len(it.own), :-1] = it.vectors
                turns[row, : len(it.own), -1] = it.own
            there = np.arange(lengths.max()) < lengths[:, None]
            plain = np.nan_to_num((some.rows.named(how.numbers)[list(at)] - centre) / scale)
            clipped = plain.clip(-3, 3).astype(np.float32)
            return torch.from_numpy(turns), torch.from_numpy(there), torch.from_numpy(clipped)

        adam = torch.optim.AdamW(net.parameters(), 1e-3, weight_decay=0.05)
        target = torch.from_numpy(normal(seen.rows.ratings, weights)[:, 0].astype(np.float32))
        counted = torch.from_numpy(weights.astype(np.float32))
        for _ in range(epochs):
            for part in np.array_split(rng.permutation(len(target)), len(target) // 32):
                loss = counted[part] * (net(*batch(seen, part.tolist())) - target[part]) ** 2
                adam.zero_grad()
                loss.mean().backward()
                adam.step()

        def said(other: Sample) -> Floats:
            net.eval()
            cuts = np.array_split(np.arange(len(other.facts)), max(1, len(other.facts) // 64))
            with torch.no_grad():
                found = [net(*batch(other, part.tolist())).numpy() for part in cuts]
            return np.concatenate(found).astype(np.float64)

        return said

    return learn
