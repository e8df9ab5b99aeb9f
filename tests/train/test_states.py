"""Token states of a lower layer, kept, and the layers above them."""

from pathlib import Path

import numpy as np
import pytest
import torch

from dialogauge.errors import InputError
from dialogauge.train import states
from dialogauge.train.models.encoder.network import Backbone, load
from dialogauge.train.recipe import Chosen

from .training import chats, tiny

TEXTS = tuple(dict.fromkeys(turn.text for chat in chats(6) for turn in chat.turns))


@pytest.fixture(scope="module", params=["bert", "mpnet"])
def backbone(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Backbone:
    folder = tiny(tmp_path_factory.mktemp("tiny") / request.param, request.param)
    return load(Chosen(str(folder), 32))


@pytest.mark.parametrize("below", [0, 1, 2])
def test_both_halves_together_are_the_encoder(
    backbone: Backbone, below: int, tmp_path: Path
) -> None:
    lower, upper = states.split(backbone, below)
    kept = states.states(lower, TEXTS, tmp_path)
    places = np.array([3, 0, len(TEXTS) - 1])
    with torch.no_grad():
        vectors = upper.eval()(*kept.read(places))
        whole, _ = backbone.encoder.eval()(*backbone.tokens([TEXTS[at] for at in places]))
    _, mask = kept.read(places)
    gap = ((vectors - whole).abs() * mask.unsqueeze(-1)).max()
    assert float(gap) < 0.02  # states are kept in half precision


def test_states_are_computed_once(
    backbone: Backbone, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    lower, _ = states.split(backbone, 1)
    first = states.states(lower, TEXTS, tmp_path)
    monkeypatch.setattr(states, "_fill", lambda *_: pytest.fail("they are there"))
    again = states.states(lower, TEXTS, tmp_path)
    assert np.array_equal(first.values, again.values)
    with torch.no_grad():
        next(iter(lower.encoder.parameters())).add_(1.0)
    monkeypatch.setattr(states, "_fill", lambda table, *_: table.fill(7))
    assert float(states.states(lower, TEXTS, tmp_path).values[0, 0]) == 7  # of other weights


def test_training_the_upper_half_leaves_the_backbone_alone(backbone: Backbone) -> None:
    _, upper = states.split(backbone, 1)
    before = [parameter.clone() for parameter in backbone.encoder.parameters()]
    with torch.no_grad():
        for parameter in upper.parameters():
            parameter.zero_()
    after = backbone.encoder.parameters()
    assert all(torch.equal(one, two) for one, two in zip(before, after, strict=True))


def test_a_place_that_is_not_there_is_an_error(backbone: Backbone) -> None:
    with pytest.raises(InputError, match="has 2 layers"):
        states.split(backbone, 3)
