"""DEAM: a conversation of twenty turns, beside the same network in torch and RoBERTa-large.

The peers' weights are random: it is the time alone that counts. Both are given tokens; ours reads
text. Nothing is remembered from one round to the next.
"""

from collections.abc import Callable
from importlib.util import find_spec

from dialogauge import models
from dialogauge.dialogue import Dialogue
from dialogauge.encode import Encoder
from dialogauge.metrics import load
from dialogauge.metrics.deam import Deam
from dialogauge.reproduce.exams import held

from .timing import Bench, best

TURNS = 20
CORPUS = "topical-chat"
ROUNDS = 5
#: RoBERTa reads no more.
ROOM = 512


def main() -> None:
    if "deam" not in models.shipped():
        print("deam: skipped, its weights are not here", flush=True)
        return
    whole = next(each for each in held(CORPUS) if len(each.turns) >= TURNS)
    chat = Dialogue(whole.id, whole.turns[:TURNS])
    metric = load("deam")
    assert isinstance(metric, Deam)
    encoders = [Encoder.load() for _ in range(ROUNDS)]

    def ours() -> None:
        metric.encoder = encoders.pop()  # it remembers nothing
        metric.score([chat])

    words = sum(len(turn.text.split()) for turn in chat.turns)
    what = f"deam, a conversation of {TURNS} turns and {words} words"
    peers = _peers(chat) if find_spec("torch") else {}
    seconds, *theirs = best(ours, *peers.values(), rounds=ROUNDS)
    print(f"{what}: {1000 * seconds:.0f} ms (wanted: 60)", flush=True)
    for (peer, target), took in zip(zip(peers, (2, 10), strict=True), theirs, strict=True):
        Bench(what, seconds, peer, took, target).show()


def _peers(chat: Dialogue) -> dict[str, Callable[[], object]]:
    import torch
    import transformers

    from dialogauge.train.backbone import load as backbone
    from dialogauge.train.models.deam.damage import CAUSES
    from dialogauge.train.models.deam.network import Flat, Shape
    from dialogauge.train.recipe import Chosen

    own = backbone(Chosen("dialogue-minilm", 128))
    network = Flat(own.encoder.model, len(CAUSES), Shape(kind="flat")).eval()
    encoder, texts = own.encoder.eval(), [turn.text for turn in chat.turns]
    ids, mask = own.tokens(texts)
    owner = torch.arange(len(texts))[:, None].expand(mask.shape)[mask > 0]
    speakers = torch.tensor([[at % 2 for at in range(len(texts))]])
    counted = torch.zeros(1, len(texts), 2)
    config = transformers.RobertaConfig(
        hidden_size=1024,
        num_hidden_layers=24,
        num_attention_heads=16,
        intermediate_size=4096,
        max_position_embeddings=ROOM + 2,
    )
    large = transformers.RobertaModel(config).eval()
    line = torch.randint(5, config.vocab_size, (1, min(ROOM, len(owner))))

    def same() -> None:
        with torch.no_grad():
            _, sentences = encoder(ids, mask)
            network(ids[mask > 0][None], sentences[None], owner[None], speakers, counted)

    def roberta() -> None:
        with torch.no_grad():
            large(line)

    return {"the same in torch, fp32": same, "RoBERTa-large on as many tokens": roberta}
