"""Checkpoints without pickle, whole or not there, the last two kept.

::

    training/checkpoints/step-00000120/
        weights.safetensors     the network
        moments.safetensors     AdamW's running means, by the name of their parameter
        state.json              step, place in the data, best so far, and the sha256 of the two

A checkpoint is written beside its place and renamed into it. Random states are not saved because
there are none to save: whatever is drawn in a step is a function of the seed and the step
(:func:`.loop.reseed`), and whatever is drawn for an epoch of the seed and the epoch.
"""

import os
import shutil
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import msgspec
import torch
from safetensors.torch import load_file, load_model, save_file, save_model
from torch import Tensor, nn

from .. import atomic
from ..errors import InputError, ModelError
from ..models import digest

_KEPT = 2


class State(msgspec.Struct, frozen=True):
    """Where a run stands. ``epoch`` and ``position`` say which batch comes next."""

    step: int = 0
    epoch: int = 0
    position: int = 0
    validated: int = msgspec.field(default=-1, name="judged")  # the step of the last validation
    first: dict[str, float] = {}  # what validation gave before training
    best: dict[str, float] = {}  # the validation whose first number is highest
    best_step: int = -1
    strikes: int = 0  # validations since the best one
    seconds: float = 0.0  # of work, over all the times the run was taken up


class _Saved(msgspec.Struct, frozen=True):
    state: State
    scaler: dict[str, Any] | None
    sha256: dict[str, str]


class Checkpoints:
    """The checkpoints of one run and its best weights, in a folder."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder / "checkpoints"
        self.best = folder / "best.safetensors"

    def save(
        self,
        state: State,
        network: nn.Module,
        optimizer: torch.optim.Optimizer,
        scaler: Mapping[str, Any] | None,
    ) -> None:
        """Write a checkpoint and drop all but the last two."""
        place = self.folder / f"step-{state.step:08d}"
        partial = self.folder / f".{place.name}.partial"
        with atomic.reporting(place):
            shutil.rmtree(partial, ignore_errors=True)
            partial.mkdir(parents=True)
            save_model(network, str(partial / "weights.safetensors"))
            save_file(dict(_moments(network, optimizer)), str(partial / "moments.safetensors"))
            hashes = {path.name: digest(path) for path in sorted(partial.iterdir())}
            saved = _Saved(state, dict(scaler) if scaler else None, hashes)
            (partial / "state.json").write_bytes(msgspec.json.encode(saved))
            for path in partial.iterdir():
                _sync(path)
            shutil.rmtree(place, ignore_errors=True)
            partial.rename(place)
            _sync(self.folder)
            for old in self.places()[_KEPT:]:
                shutil.rmtree(old)

    def load(
        self, network: nn.Module, optimizer: torch.optim.Optimizer, scaler: Any = None
    ) -> State | None:
        """Put the newest whole checkpoint into network and optimizer; None where there is none."""
        for place in self.places():
            if (saved := _whole(place)) is not None:
                load_weights(network, place / "weights.safetensors")
                _restore(network, optimizer, load_file(place / "moments.safetensors"))
                if scaler is not None and saved.scaler is not None:
                    scaler.load_state_dict(saved.scaler)
                return saved.state
        return None

    def places(self) -> list[Path]:
        """The checkpoints, newest first."""
        return sorted(self.folder.glob("step-*"), reverse=True)

    def save_best(self, network: nn.Module) -> None:
        """Keep the weights that validate best."""
        partial = self.best.with_name(f".{self.best.name}.partial")
        with atomic.reporting(self.best):
            save_model(network, str(partial))
            _sync(partial)
            partial.replace(self.best)


def load_weights(network: nn.Module, path: Path) -> None:
    """The weights of a file into a network that must have the same shape."""
    try:
        load_model(network, path)
    except (RuntimeError, OSError, ValueError) as error:
        problem = str(error).splitlines()[0]
        raise InputError(f"does not fit the network: {problem}", file=str(path)) from None


def _moments(network: nn.Module, optimizer: torch.optim.Optimizer) -> Iterator[tuple[str, Tensor]]:
    """The optimizer's tensors, called ``parameter/quantity``."""
    for name, parameter in network.named_parameters():
        for quantity, tensor in optimizer.state.get(parameter, {}).items():
            yield f"{name}/{quantity}", tensor.detach().clone().contiguous()


def _restore(
    network: nn.Module, optimizer: torch.optim.Optimizer, saved: Mapping[str, Tensor]
) -> None:
    """What :func:`_moments` gave, put back."""
    parameters = dict(network.named_parameters())
    for key, tensor in saved.items():
        name, _, quantity = key.rpartition("/")
        parameter = parameters[name]
        # AdamW keeps its count of steps on the CPU.
        moved = tensor if quantity == "step" else tensor.to(parameter.device)
        optimizer.state[parameter][quantity] = moved


def _whole(place: Path) -> _Saved | None:
    """What a checkpoint says, if all of it is there."""
    try:
        saved = msgspec.json.decode((place / "state.json").read_bytes(), type=_Saved)
        right = all(digest(place / name) == sha256 for name, sha256 in saved.sha256.items())
    except (OSError, ModelError, msgspec.DecodeError):
        return None
    return saved if right else None


def _sync(path: Path) -> None:
    if os.name == "posix" or path.is_file():
        descriptor = os.open(path, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)
