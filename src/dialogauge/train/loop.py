"""The one training loop.

A task says what is learnt (:class:`Task`), a recipe how, and :func:`fit` does it: warm-up and
decay, clipping, mixed precision, validation, early stopping, checkpoints. It can be killed at any
moment and taken up again; on a CPU the weights are then bit for bit those of a run that was left
alone, because everything random in a step depends on the seed and the step and on nothing else.

With ``accelerate launch`` each process takes every n-th batch; the first one writes.
"""

import math
import os
import random
import signal
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from time import perf_counter
from typing import Any, Protocol, TypeVar, cast

import numpy as np
import torch
from accelerate import Accelerator, PartialState
from accelerate.state import AcceleratorState
from accelerate.utils import broadcast, send_to_device
from msgspec.structs import replace
from torch import Tensor, nn

from ..errors import DialogaugeError, OutputError
from . import log
from .checkpoints import Checkpoints, State, load_weights
from .log import Moment, Watch
from .recipe import Optimisation, Precision, Recipe

T = TypeVar("T")


class Task(Protocol):
    """What is learnt."""

    @property
    def network(self) -> nn.Module:
        """What is trained, saved and resumed."""

    def batches(self, rng: np.random.Generator) -> Sequence[Any]:
        """One epoch, everything random drawn from ``rng``.

        A batch is tensors, alone or in tuples, lists and dicts; :class:`Batches` makes each when
        it is asked for.
        """

    def loss(self, batch: Any) -> Tensor:
        """The number to make small; the tensors of the batch are on the network's device."""

    def validate(self) -> dict[str, float]:
        """Measures on held dialogues, the one to select by first; higher is better. May be {}."""

    def export(self, folder: Path) -> float:
        """Write config.json, model.onnx and model.safetensors; return the parity.

        Afterwards the task may have ``sections``: more to say on the card.
        """


class Batches(Sequence[Any]):
    """One epoch as cheap descriptions, each made into tensors when it is asked for."""

    def __init__(self, drawn: Sequence[T], tensors: Callable[[T], Any]) -> None:
        self._drawn, self._tensors = drawn, tensors

    def __len__(self) -> int:
        return len(self._drawn)

    def __getitem__(self, at: Any) -> Any:
        return self._tensors(self._drawn[at])


def on_device(batch: T, network: nn.Module) -> T:
    """The same tensors, in tuples, lists and dicts or alone, where the network's weights are."""
    return cast(T, send_to_device(batch, next(network.parameters()).device))


class _Step(nn.Module):
    """A task's loss as a module: only ``forward`` is kept in step between several devices."""

    def __init__(self, task: Task) -> None:
        super().__init__()
        self.network, self.task = task.network, task

    def forward(self, batch: Any) -> Tensor:
        """The loss of a batch."""
        return self.task.loss(on_device(batch, self.network))


def fit(
    task: Task, recipe: Recipe, folder: Path, *, resume: bool = False, watch: Sequence[Watch] = ()
) -> State:
    """Train ``task.network``, which holds its best weights at the end; the state tells the story.

    Checkpoints, the log and the best weights live in ``folder``.
    """
    plan, run = recipe.optimisation, Run(task, recipe, folder)
    state = run.begin(resume, watch)
    with _interruptible() as interrupted:
        state = state if state.step else run.validate(state)
        for batch, (epoch, position) in run.schedule(state):
            tired = 0 < plan.patience <= state.strikes  # no gain for too long
            if tired or state.step >= run.total:
                break
            state = run.advance(state, batch, epoch, position)
            if _due(state, plan.evaluate_every):
                state = run.validate(state)
            if _due(state, plan.checkpoint_every) or interrupted():
                run.save(state)
            if interrupted():
                raise KeyboardInterrupt
        if state.validated != state.step:
            state = run.validate(state)
        run.save(state)
    if state.best_step >= 0:
        load_weights(task.network, run.store.best)
    return state


class Run:
    """The machinery of one call of :func:`fit`; what changes while it runs is in the state."""

    def __init__(self, task: Task, recipe: Recipe, folder: Path) -> None:
        self.task, self.recipe, self.plan, self.folder = task, recipe, recipe.optimisation, folder
        self.accelerator = _accelerator(self.plan.precision)
        self.optimizer = _adamw(task.network, self.plan)
        self.step, self.stepper = self.accelerator.prepare(_Step(task), self.optimizer)
        self.store = Checkpoints(folder)
        steps = self.plan.epochs * self._count(self.batches(0))
        self.total = min(steps, self.plan.steps or steps)
        self.watchers: list[Watch] = []

    def begin(self, resume: bool, watch: Sequence[Watch]) -> State:
        """A fresh state, or that of the newest checkpoint; then the first process is watched."""
        state, lead = State(), self.accelerator.is_main_process
        if resume:
            scaler = self.accelerator.scaler
            state = self.store.load(self.task.network, self.optimizer, scaler) or state
        elif lead and self.store.places():
            raise OutputError(f"{self.folder} holds a run: take it up (--resume) or name another")
        if lead:
            self.folder.mkdir(parents=True, exist_ok=True)
            self.watchers = [log.writer(self.folder / "log.jsonl", state.step), *watch]
        return state

    def batches(self, epoch: int) -> Sequence[Any]:
        """The batches of an epoch, a function of the seed and the epoch."""
        return self.task.batches(np.random.default_rng([self.recipe.seed, epoch]))

    def schedule(self, state: State) -> Iterator[tuple[Any, tuple[int, int]]]:
        """The batches from where the state stands, each with the (epoch, position) after it."""
        processes, index = self.accelerator.num_processes, self.accelerator.process_index
        for epoch in range(state.epoch, self.plan.epochs):
            batches = self.batches(epoch)
            count = self._count(batches)
            for position in range(state.position if epoch == state.epoch else 0, count):
                after = (epoch, position + 1) if position + 1 < count else (epoch + 1, 0)
                yield batches[position * processes + index], after

    def advance(self, state: State, batch: Any, epoch: int, position: int) -> State:
        """One step of the optimizer."""
        began = perf_counter()
        reseed(self.recipe.seed, state.step, self.accelerator.process_index)
        rate = self.plan.learning_rate * _slope(state.step, self.total, self.plan)
        for group in self.stepper.param_groups:
            group["lr"] = rate * group["times"]
        self.step.train()
        loss: Tensor = self.step(batch)
        value = float(loss.detach())
        step = state.step + 1
        if not math.isfinite(value):
            raise DialogaugeError(
                f"the loss is not a number at step {step}: lower the learning rate"
            )
        self.accelerator.backward(loss)
        self.accelerator.clip_grad_norm_(self.step.parameters(), self.plan.clip)
        self.stepper.step()
        self.stepper.zero_grad()
        self._tell(Moment(step, self.total, epoch, value, rate))
        seconds = state.seconds + perf_counter() - began
        return replace(state, step=step, epoch=epoch, position=position, seconds=seconds)

    def validate(self, state: State) -> State:
        """The state after a validation; the weights are kept if they are the best so far."""
        self.task.network.eval()
        with torch.no_grad():
            measures = self.task.validate()
        self._tell(Moment(state.step, self.total, state.epoch, validation=measures))
        state = replace(state, validated=state.step, first=state.first or measures)
        if not measures:
            return state
        name, number = next(iter(measures.items()))
        if self.accelerator.num_processes > 1:  # all must agree on when to stop
            number = float(broadcast(torch.tensor(number, device=self.accelerator.device)))
        if math.isnan(number):
            raise DialogaugeError(f"validation gave no number for {name} at step {state.step}")
        if state.best and number <= state.best[name]:
            return replace(state, strikes=state.strikes + 1)
        if self.accelerator.is_main_process:
            self.store.save_best(self.task.network)
        self.accelerator.wait_for_everyone()
        best = {**measures, name: number}
        return replace(state, best=best, best_step=state.step, strikes=0)

    def save(self, state: State) -> None:
        """Write a checkpoint."""
        if self.accelerator.is_main_process:
            scaler = self.accelerator.scaler
            scales = scaler.state_dict() if scaler is not None else None
            self.store.save(state, self.task.network, self.optimizer, scales)
        self.accelerator.wait_for_everyone()

    def _tell(self, moment: Moment) -> None:
        for watcher in self.watchers:
            watcher(moment)

    def _count(self, batches: Sequence[Any]) -> int:
        """How many steps an epoch has; batches that do not go round are left out."""
        count: int = len(batches) // self.accelerator.num_processes
        if not count:
            raise DialogaugeError("there is too little data for one batch: name more, or cap less")
        return count


def _slope(step: int, total: int, plan: Optimisation) -> float:
    """What the learning rate is multiplied by: up to 1 while warming up, then down to 0.

    >>> plan = Optimisation(warmup=0.2)
    >>> [round(_slope(step, 10, plan), 3) for step in (0, 1, 2, 6, 9)]
    [0.5, 1.0, 1.0, 0.5, 0.125]
    """
    warm = round(total * plan.warmup)
    if step < warm:
        return (step + 1) / warm
    done = (step - warm) / max(1, total - warm)
    return 0.5 * (1 + math.cos(math.pi * done)) if plan.decay == "cosine" else 1 - done


def _due(state: State, every: int) -> bool:
    """Whether something happens after this step: each ``every`` steps, or at an epoch's end."""
    return state.step % every == 0 if every else state.position == 0


def reseed(seed: int, step: int, process: int = 0) -> None:
    """Make all that is random in this step a function of these three numbers."""
    number = int(np.random.SeedSequence([seed, step, process]).generate_state(1)[0])
    random.seed(number)
    np.random.seed(number)  # not ours: libraries may draw from the global state
    torch.manual_seed(number)


def _adamw(network: nn.Module, plan: Optimisation) -> torch.optim.AdamW:
    """AdamW; biases, norms and other vectors do not decay.

    Where a network says which of its modules are ``pretrained``, the rest learns ``plan.fresh``
    times as fast: what is random has further to go.
    """
    known = {id(p) for module in getattr(network, "pretrained", ()) for p in module.parameters()}
    groups: dict[tuple[bool, bool], list[nn.Parameter]] = {}
    for parameter in network.parameters():
        if parameter.requires_grad:
            fresh = bool(known) and id(parameter) not in known
            groups.setdefault((fresh, parameter.dim() > 1), []).append(parameter)
    filled = [
        {
            "params": some,
            "times": plan.fresh if fresh else 1.0,
            "weight_decay": plan.weight_decay if matrix else 0.0,
        }
        for (fresh, matrix), some in groups.items()
    ]
    return torch.optim.AdamW(filled, lr=plan.learning_rate)


def processes() -> PartialState:
    """The processes that train together; the first of them writes."""
    launched = int(os.environ.get("WORLD_SIZE", "1")) > 1
    return PartialState(cpu=launched and not torch.cuda.is_available())


def _accelerator(precision: Precision) -> Accelerator:
    processes()  # accelerate takes what it finds, and would not look for several CPUs
    if precision == "auto":
        gpu = torch.cuda.is_available()
        precision = "fp32" if not gpu else "bf16" if torch.cuda.is_bf16_supported() else "fp16"
    AcceleratorState._reset_state()  # it remembers the precision of an earlier run for ever
    return Accelerator(mixed_precision="no" if precision == "fp32" else precision)


@contextmanager
def _interruptible() -> Iterator[Callable[[], bool]]:
    """Ctrl-C and a polite kill wait for the end of the step; a second Ctrl-C does not."""
    asked: list[int] = []
    if threading.current_thread() is not threading.main_thread():
        yield lambda: False
        return

    def note(number: int, _: object) -> None:
        if asked:
            raise KeyboardInterrupt
        asked.append(number)

    before = {which: signal.signal(which, note) for which in (signal.SIGINT, signal.SIGTERM)}
    try:
        yield lambda: bool(asked)
    finally:
        for which, handler in before.items():
            signal.signal(which, handler)
