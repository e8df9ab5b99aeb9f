"""What DEAM learns from, and that it learns."""

import json
import math
import re
from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path
from random import Random
from zlib import crc32

import msgspec
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dialogauge.dialogue import Dialogue, Turn
from dialogauge.errors import InputError
from dialogauge.manipulate.catalogue import MANIPULATIONS, find
from dialogauge.manipulate.pool import Pool
from dialogauge.metrics import load
from dialogauge.metrics.deam import Deam, Verdict, _cuts, _words_at, windows
from dialogauge.scores import Cause
from dialogauge.train import data
from dialogauge.train.models.deam import material, rows
from dialogauge.train.models.deam.batch import Form, Mixing, Source, drawn, forms
from dialogauge.train.models.deam.cues import Cue, balance, measure
from dialogauge.train.models.deam.damage import CAUSES, Broken, Damaged, breaks, damaged, restated
from dialogauge.train.models.deam.excerpts import Cutting, excerpts
from dialogauge.train.models.deam.material import Excerpt, Maker, Making
from dialogauge.train.recipe import Chosen, decode

from .training import MOLLY

torch = pytest.importorskip("torch")

CHAT = Dialogue("d1", tuple(Turn("AB"[at % 2], text) for at, text in enumerate(MOLLY[:6])))
OTHERS = Pool(
    [
        CHAT,
        Dialogue("d2", tuple(Turn("AB"[at % 2], f"The train leaves at {at}.") for at in range(6))),
    ]
)


def test_every_manipulation_that_teaches_damages() -> None:
    names = [name for some in CAUSES.values() for name in some]
    assert len(set(names)) == len(names)
    assert {MANIPULATIONS[name].expect for name in names} == {"lower"}


@pytest.mark.parametrize("name", ["replace-turn", "echo", "temporal-skip", "insert-turn"])
def test_one_strange_turn_is_the_broken_one(name: str) -> None:
    edited = find(name)(CHAT, Random(3), OTHERS)
    assert edited is not None
    (broken,) = breaks(edited, name)
    assert broken.spans == ()
    text = edited.dialogue.turns[broken.turn].text
    assert CHAT.turns[min(broken.turn, 5)].text != text


def test_of_a_splice_only_the_seam_is_broken() -> None:
    edited = find("splice")(CHAT, Random(1), OTHERS)
    assert edited is not None
    (broken,) = breaks(edited, "splice")
    assert "train" in edited.dialogue.turns[broken.turn].text
    assert "train" not in edited.dialogue.turns[broken.turn - 1].text


def test_where_a_turn_is_missing_the_next_one_is_broken() -> None:
    edited = find("drop-turn")(CHAT, Random(1), OTHERS)
    assert edited is not None
    (gone,) = (change.was for change in edited.changes)
    assert [it.turn for it in breaks(edited, "drop-turn")] == [gone]


def test_excerpts_are_whole_turns_that_follow_each_other() -> None:
    cutting = Cutting(shortest=3, longest=4, long=0, words=20, each=3)
    for excerpt in excerpts([CHAT], cutting, seed=1):
        start = int(excerpt.id.rpartition(":")[2])
        assert excerpt.turns == CHAT.turns[start : start + len(excerpt.turns)]
        assert sum(len(turn.text.split()) for turn in excerpt.turns) <= 20


def _negated(at: int, before: str, after: str) -> Excerpt:
    said = ("A", f"Number {at}."), ("B", before), ("A", "I see.")
    spans = ((0, len(after)),)
    worse = Damaged("negation", (said[0], ("B", after), said[2]), (Broken(1, spans),))
    return Excerpt(f"d{at}", said, (worse,), ((), (), ()))


def test_as_many_negations_come_as_go() -> None:
    come = [_negated(at, f"I like {at}.", f"I don't like {at}.") for at in range(30)]
    go = [_negated(at, f"I don't like {at}.", f"I like {at}.") for at in range(30, 40)]
    stay = [_negated(at, f"I like {at}.", f"I hate {at}.") for at in range(40, 45)]
    left = balance([*come, *go, *stay], seed=1)
    assert sum(len(each.worse) for each in left[:30]) == 10
    assert all(each.worse for each in left[30:])
    assert balance([*come, *go, *stay], seed=1) == left
    cues = {cue.name: cue for cue in _measured([*come, *go, *stay], left)}
    assert (cues["negation"].edits, cues["negation"].kept) == (45, 25)


def test_what_a_turn_alone_gives_away_is_measured() -> None:
    shown = [_negated(at, f"I like {at}.", f"I xylophone {at}.") for at in range(60)]
    hidden = [_negated(at, f"I like {at}.", f"I like {at + 3 - 6 * (at % 2)}.") for at in range(60)]
    assert _measured(shown, shown)[1].area > 0.95
    assert _measured(hidden, hidden)[1].area < 0.65


def _measured(excerpts: Sequence[Excerpt], left: Sequence[Excerpt]) -> list[Cue]:
    return measure(excerpts, left, _letters, rows.make(left, Words()), Mixing())


def _letters(texts: Sequence[str]) -> np.ndarray:
    """Vectors of texts: how often each letter is there."""
    counts = [[text.count(letter) for letter in "aeiouxyz"] for text in texts]
    return np.array(counts, np.float32)


def test_meaning_is_damaged_in_several_ways() -> None:
    once = list(damaged(CHAT, ["negation", "swap-halves"], OTHERS, 1))
    often = list(damaged(CHAT, ["negation", "swap-halves"], OTHERS, 1, tries=6))
    assert [each.name for each in once] == ["negation", "swap-halves"]
    assert once[0] in often  # the first one stays what it is
    assert [each.name for each in often].count("swap-halves") == 1
    assert len({each.turns for each in often}) == len(often) > 2


AGAIN = Damaged(
    "self-contradiction",
    (("A", "I love tea. You?"), ("B", "So do I."), ("A", "I don't love tea. Is it late?")),
    (Broken(2, ((0, 17),)),),
)


def test_the_opposite_stands_beside_what_was_said() -> None:
    (broken,) = AGAIN.broken
    assert restated(AGAIN, broken) == "I love tea. Is it late?"
    other = msgspec.structs.replace(AGAIN, name="negation")
    assert not restated(other, broken)  # that one was said once
    alien = msgspec.structs.replace(AGAIN, turns=(("A", "Good morning."), *AGAIN.turns[1:]))
    assert not restated(alien, broken)  # nothing like it was said


class Words:
    """Every word a token, and every mark."""

    def ids(self, texts: Sequence[str]) -> list[list[int]]:
        spans = zip(texts, self.spans(texts), strict=True)
        return [[crc32(text[slice(*span)].encode()) for span in some] for text, some in spans]

    def spans(self, texts: Sequence[str]) -> list[list[tuple[int, int]]]:
        return [[match.span() for match in re.finditer(r"[\w']+|\S", text)] for text in texts]


def test_a_batch_has_both_sides_of_a_contradiction() -> None:
    said = (*AGAIN.turns[:2], ("A", "Is it late?"))
    echo = Damaged("echo", (*said[:2], ("A", "So do I.")), (Broken(2),))
    made = rows.make([Excerpt("d1", said, (AGAIN, echo), ((), (), ()))], Words())
    asked = list[str]()

    def read(texts: Sequence[int]) -> tuple[np.ndarray, np.ndarray]:
        asked.extend(made.texts[at] for at in texts)
        ids = np.concatenate([made.ids(at) for at in texts])
        return ids, np.zeros((len(texts), 4), np.float32)

    always = Mixing(again=1.0, said=0.0, bare=0.0)
    batch = drawn(Source(made, read), [0], always, np.random.default_rng(1))
    assert "I love tea. Is it late?" in asked
    assert len(asked) == len(set(asked))  # each text is read once
    assert batch.cause.shape == (3, 3)  # how it was said, and both damaged forms
    assert batch.broken.tolist() == [[0, 0, 0], [0, 0, 1], [0, 0, 1]]
    marked = batch.changed[(batch.changed > 0).any(1)]
    assert marked.sum() == 5  # the full stop is one


SAID = ("A", "I love tea, truly."), ("B", "So do I."), ("A", "Is it late, then?")
WORSE = (
    Damaged("negation", (("A", "I don't love tea, truly."), *SAID[1:]), (Broken(0, ((2, 7),)),)),
    Damaged("echo", (*SAID[:2], ("A", "So do I.")), (Broken(2),)),
    Damaged("move-turn", (SAID[1], SAID[0], SAID[2]), (Broken(0), Broken(1), Broken(2))),
)
SAME = ("Tea, I love it.", "I love tea truly"), ("Me too.",), ("Is it now late?",)
GROUP = rows.make([Excerpt("d1", SAID, WORSE, SAME)], Words())


def _texts(form: Form) -> list[str]:
    return [GROUP.texts[text] for text in form.turns]


@pytest.mark.parametrize("seed", range(20))
def test_forms_differ_in_what_is_broken_and_in_nothing_else(seed: int) -> None:
    """Or a network learns which conversations were reworded."""
    rng = np.random.default_rng(seed)
    whole, *damaged = forms(GROUP, GROUP.groups[0], Mixing(forms=3, bare=0.0), rng)
    assert len(damaged) == 3
    for form in damaged:
        assert form.speakers.tolist() == [0, 1, 0]  # also of what moved
        broken = np.any([each.broken for each in form.worse], axis=0)
        assert (form.turns == whole.turns)[~broken].all()
    moved = next(form for form in damaged if form.worse[0].name == "move-turn")
    assert sorted(moved.turns) == sorted(whole.turns)  # in the words that the group has for them


@pytest.mark.parametrize("seed", range(20))
def test_what_is_said_twice_is_reworded_where_it_stands(seed: int) -> None:
    said = ("A", "I like it."), ("B", "Yes."), ("A", "I don't like it."), ("B", "Yes.")
    worse = Damaged("negation", (*said[:2], ("A", "I like it."), said[3]), (Broken(2, ((0, 6),)),))
    same = ("I am fond of it.",), ("Yep.",), ("I am not fond of it.",), ("Sure.",)
    made = rows.make([Excerpt("d1", said, (worse,), same)], Words())
    always = Mixing(forms=1, more=0.0, bare=0.0, said=0.5)
    whole, damaged = forms(made, made.groups[0], always, np.random.default_rng(seed))
    assert (damaged.turns == whole.turns).tolist() == [True, True, False, True]
    assert made.texts[damaged.turns[2]] == "I like it."  # of which words are marked


def test_a_group_has_punctuation_or_none_has() -> None:
    rng = np.random.default_rng(1)
    every = forms(GROUP, GROUP.groups[0], Mixing(forms=3, more=0.0, bare=1.0), rng)
    assert not any(set(text) & set(",.?") for form in every for text in _texts(form))
    (negated,) = (form for form in every if form.worse and form.worse[0].name == "negation")
    (marks,) = (each.changed[0] for each in negated.worse)
    assert marks.tolist() == [False, True, False, False, False]  # don't


@pytest.mark.parametrize("seed", range(10))
def test_nothing_else_breaks_beside_what_leans_on_another_turn(seed: int) -> None:
    leaning = msgspec.structs.replace(WORSE[0], name="name-exchange")
    made = rows.make([Excerpt("d1", SAID, (leaning, WORSE[1]), ((), (), ()))], Words())
    always = Mixing(forms=2, more=1.0)
    for form in forms(made, made.groups[0], always, np.random.default_rng(seed)):
        assert len(form.worse) < 2


@pytest.fixture(scope="module")
def small(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A small one that was trained on two conversations."""
    from dialogauge.train import data, run

    folder = tmp_path_factory.mktemp("deam") / "small"
    chats = [CHAT, *OTHERS.dialogues[1:]]
    run.train(decode(RECIPE), folder, material=data.given(chats, [CHAT]))
    return folder


RECIPE = b"""
name = "small"
task = "coherence"
[optimisation]
epochs = 60
batch_size = 2
learning_rate = 0.001
evaluate_every = 60
[backbone]
name = "dialogue-minilm"
[settings]
exam = 4
[settings.reader]
below = 3
above = 1
[settings.excerpts]
damage = ["echo", "replace-turn", "word-order"]
harmless = ["no-punctuation"]
longest = 6
long = 0.0
"""


def test_it_learns(small: Path) -> None:
    lines = (small / "training" / "log.jsonl").read_text().splitlines()
    log = [json.loads(line) for line in lines]
    best = [line["validation"] for line in log if line.get("validation")][-1]
    assert best["told"] == 1.0
    assert best["hit"] == 1.0
    assert "What a turn alone gives away" in (small / "card.md").read_text()


def test_it_names_the_turn_without_torch(small: Path) -> None:
    metric = load(str(small))
    edited = find("replace-turn")(CHAT, Random(3), OTHERS)
    assert edited is not None
    whole, broken = metric.score([CHAT, edited.dialogue])
    assert broken.value < whole.value
    (change,) = edited.changes
    assert int(np.argmin(broken.turns)) == change.turn
    assert Cause(change.turn, "foreign") in broken.causes
    (alone,) = metric.score([edited.dialogue])
    assert alone == broken


def test_a_word_of_any_length_is_marked_at_once() -> None:
    text = "dogs" * 100_000
    places = [(at, at + 4) for at in range(0, len(text), 4)]
    assert _words_at(text, places) == ((0, len(text)),)


def test_words_that_seem_changed_are_told_by_their_characters(small: Path) -> None:
    metric = load(str(small))
    assert isinstance(metric, Deam)
    chat = Dialogue("d", (Turn("A", " Unbelievably, I can't."), Turn("B", "Why?")))
    (tokens, _) = metric.encoder.ids([turn.text for turn in chat.turns])
    marks = tuple(at in (1, len(tokens) - 2) for at in range(len(tokens)))
    spans = metric._spans(chat, 0, Verdict(1.0, 0, marks))
    assert [chat.turns[0].text[start:end] for start, end in spans] == ["Unbelievably", "can't"]
    assert metric._spans(chat, 1, Verdict(1.0, 0, (False, False))) == ()
    (score,), (changed,) = metric.score([chat]), metric.changed([chat])
    assert {cause.turn: cause.spans for cause in score.causes if cause.spans}.items() <= (
        changed.items()
    )


LONG = "We went to the river with her and met other dogs there. " * 420


@pytest.mark.parametrize(
    ("texts", "speakers", "unscored"),
    [
        (["Do you have a dog?"], "AB", {0}),
        (["Do you have a dog?", "", " \x07 ", "Yes, I do."], "AB", {1, 2}),
        (["Hello!", "Hi!"], "AB", set()),
        (["It is late."] * 500, "AB", set()),
        ([f"I am number {at} of us." for at in range(20)], "ABCDE", set()),
        (["What did you do?", LONG, "I see."], "AB", set()),
        (["Magst du Hunde oder lieber Katzen?", "Ich mag am liebsten Hunde, und du?"] * 3, "AB",
         set(range(6))),
    ],
    ids=["one turn", "empty turns", "few words", "500 turns", "five speakers", "long", "German"],
)  # fmt: skip
def test_unusual_conversations(
    small: Path, texts: list[str], speakers: str, unscored: set[int]
) -> None:
    turns = (Turn(speakers[at % len(speakers)], text) for at, text in enumerate(texts))
    (score,) = load(str(small)).score([Dialogue("d", tuple(turns))])
    assert {at for at, value in enumerate(score.turns) if math.isnan(value)} == unscored
    assert math.isnan(score.value) == (len(texts) - len(unscored) < 2)
    assert all(0 <= value <= 1 for value in score.turns if not math.isnan(value))


@given(st.lists(st.integers(1, 40), max_size=30), st.integers(16, 60), st.integers(2, 9))
def test_each_piece_is_judged_once_in_a_window_that_has_room(
    sizes: list[int], tokens: int, pieces: int
) -> None:
    cut = windows(sizes, tokens, pieces)
    assert sorted(at for window in cut for at in window.judged) == list(range(len(sizes)))
    for window in cut:
        assert set(window.judged) <= set(range(window.start, window.end))
        inside = sizes[window.start : window.end]
        assert len(inside) <= pieces
        assert sum(inside) <= tokens or len(inside) == 1
    for one, other in pairwise(_cuts(sizes, tokens, pieces)):
        assert other[0] < one[1] or one[1] - one[0] == 1  # something is seen in both


def test_what_begins_random_learns_faster() -> None:
    from dialogauge.train.backbone import load as backbone
    from dialogauge.train.loop import _adamw
    from dialogauge.train.models.deam.network import Shape, joint
    from dialogauge.train.recipe import Optimisation

    encoder = backbone(Chosen("dialogue-minilm", 64)).encoder.model
    network = joint(encoder, len(CAUSES), Shape(above=1))
    groups = _adamw(network, Optimisation(fresh=5.0)).param_groups
    times = {id(each): group["times"] for group in groups for each in group["params"]}
    assert len(times) == len(list(network.parameters()))
    assert {times[id(each)] for each in network.layers.parameters()} == {1.0}
    assert {times[id(each)] for each in (*network.plain.parameters(), network.near)} == {5.0}
    alone = _adamw(torch.nn.Linear(2, 2), Optimisation(fresh=5.0)).param_groups
    assert {group["times"] for group in alone} == {1.0}  # nothing of it is pretrained


def test_a_broken_turn_is_set_beside_the_one_in_its_place() -> None:
    from dialogauge.train.models.deam.batch import Inputs
    from dialogauge.train.models.deam.task import _beside

    nothing = torch.zeros(3, 1)
    cause = torch.tensor([[-1, -1, -1], [-1, 2, -1], [-1, -1, 0]])
    broken = torch.tensor([[0.0, 0.0, -1.0], [0.0, 1.0, -1.0], [0.0, 0.0, 1.0]])
    read = nothing, nothing, nothing, nothing, nothing
    batch = Inputs(*read, nothing, broken, cause, torch.tensor([0, 0, 0]))
    turns = torch.tensor([[10.0, 11.0, 99.0], [20.0, 21.0, 99.0], [30.0, 31.0, 32.0]])
    assert _beside(turns, batch).tolist() == [11.0, 11.0]  # the longer one's last, beside its last


@pytest.mark.parametrize("kind", ["joint", "flat"])
def test_padding_changes_nothing_and_speakers_do(kind: str) -> None:
    """A conversation beside a longer one is judged as it is alone, by who says what."""
    from dialogauge.train.backbone import load as backbone
    from dialogauge.train.models.deam.network import Flat, Shape, joint

    torch.manual_seed(0)
    encoder = backbone(Chosen("dialogue-minilm")).encoder.model
    network = (joint if kind == "joint" else Flat)(encoder, 3, Shape(above=1)).eval()
    torch.nn.init.normal_(network.near)
    torch.nn.init.normal_((network if kind == "joint" else network.joint).sentence.weight, std=0.02)
    owner = torch.tensor([[0, 0, 1, 2, -1, -1, -1, -1, -1], [0, 1, 1, 1, 2, 2, 3, 3, 3]])
    tokens = torch.randn(2, 9, 384) if kind == "joint" else torch.randint(1000, 9000, (2, 9))
    sentences, counted = torch.randn(2, 4, 384), torch.rand(2, 4, 2)
    speakers = torch.tensor([[0, 1, 0, -1], [0, 1, 0, 1]])
    with torch.no_grad():
        together = network(tokens, sentences, owner, speakers, counted)
        short = tokens[:1, :4], sentences[:1, :3], owner[:1, :4], speakers[:1, :3], counted[:1, :3]
        alone = network(*short)
        other = network(*short[:3], torch.tensor([[0, 1, 1]]), short[4])
    for ours, theirs in zip(together, alone, strict=True):
        assert torch.allclose(ours[:1, : theirs.shape[1]], theirs, atol=1e-4)
    assert not torch.allclose(alone[1], other[1], atol=1e-2)


def test_parts_made_by_several_processes_are_the_same(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    chats = [msgspec.structs.replace(CHAT, id=f"d{at}") for at in range(4)]
    making = Making(damage=("echo", "replace-turn"), harmless=("no-punctuation",))
    kept = data.given([*chats, *OTHERS.dialogues[1:]], [])
    monkeypatch.setattr(material, "_PART", 1)
    for name in ("beside", "alone"):
        (tmp_path / name).mkdir()
    beside = Maker(making, 1, tmp_path / "beside").make(kept, "train")
    monkeypatch.setattr(material, "_MANY", 99)
    alone = Maker(making, 1, tmp_path / "alone").make(kept, "train")
    assert beside == alone
    assert len(beside) == 5
    assert {each.name for each in beside[0].worse} == {"echo", "replace-turn"}


def test_the_papers_flat_reader_is_trained_and_scores(tmp_path: Path) -> None:
    from dialogauge.train import run

    recipe = RECIPE.replace(b"below = 3\nabove = 1", b'kind = "flat"')
    recipe = recipe.replace(b"epochs = 60", b"epochs = 2").replace(b"every = 60", b"every = 1")
    chats = [CHAT, *OTHERS.dialogues[1:]]
    run.train(decode(recipe), tmp_path / "flat", material=data.given(chats, [CHAT]))
    (score,) = load(str(tmp_path / "flat")).score([CHAT])
    assert all(0 < value < 1 for value in (score.value, *score.turns))


WRITTEN_CHATS = """\
== pronoun
A: My {sister|brother} is here.
B: Already?
A: {She|He} took the early train.

== name valid
A: We are off to {Rome|Oslo}.
B: How long is the flight?
A: Say hello to {the Colosseum|the fjords}.
"""


@pytest.mark.parametrize("topics", [0, 3])
def test_it_learns_from_what_was_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, topics: int
) -> None:
    from dialogauge.train import run
    from dialogauge.train.models.deam import task
    from dialogauge.train.written import parsed

    monkeypatch.setattr(task, "written", lambda: tuple(parsed(WRITTEN_CHATS, "f.txt")))
    settings = f"written = true\nreactions = true\ntopics = {topics}\nexam".encode()
    recipe = RECIPE.replace(b"below = 3\nabove = 1", b'kind = "flat"').replace(b"exam", settings)
    recipe = recipe.replace(b"epochs = 60", b"epochs = 2").replace(b"every = 60", b"every = 2")
    chats = data.given([CHAT, *OTHERS.dialogues[1:]], [CHAT])
    trained = run.train(decode(recipe), tmp_path / "both", material=chats)
    assert {"told written-name", "told echo"} <= set(trained.best)
    card = (tmp_path / "both" / "card.md").read_text()
    assert "Of 2 conversations written in two ways, 1 are learnt from" in card


def test_nothing_broken_is_no_loss() -> None:
    from dialogauge.train.models.deam.task import _placed

    turns = torch.tensor([[1.0, -2.0, 3.0]])
    assert float(_placed(turns, torch.tensor([[0.0, 0.0, -1.0]]))) == 0.0
    assert float(_placed(turns, torch.tensor([[1.0, 0.0, -1.0]]))) > 0.0


def test_conversations_too_short_to_damage_are_one_clear_error(tmp_path: Path) -> None:
    from dialogauge.train import run

    short = Dialogue("d", CHAT.turns[:3])
    with pytest.raises(InputError, match="nothing to learn"):
        run.train(decode(RECIPE), tmp_path / "short", material=data.given([short], [short]))
    assert not (tmp_path / "short").exists()


@pytest.mark.parametrize("int8", [True, False])
def test_a_run_goes_on_from_a_model(tmp_path: Path, int8: bool) -> None:
    from dialogauge.train import run

    settings = b"exam = 4\nint8 = " + (b"true" if int8 else b"false")
    recipe = RECIPE.replace(b"below = 3\nabove = 1", b'kind = "flat"').replace(
        b"exam = 4", settings
    )
    recipe = recipe.replace(b"epochs = 60", b"epochs = 8").replace(b"every = 60", b"every = 1")
    chats = data.given([CHAT, *OTHERS.dialogues[1:]], [CHAT])
    first = run.train(decode(recipe), tmp_path / "first", material=chats)
    begin = f'begin = "{tmp_path / "first"}"\nexam'.encode()
    again = run.train(decode(recipe.replace(b"exam", begin)), tmp_path / "again", material=chats)
    assert again.before["score"] == pytest.approx(first.best["score"], abs=0.2)
    assert again.before["score"] != first.before["score"]
    assert "It went on from" in (tmp_path / "again" / "card.md").read_text()


def test_a_model_of_another_shape_is_no_beginning(tmp_path: Path) -> None:
    from dialogauge.train import run

    recipe = RECIPE.replace(b"below = 3\nabove = 1", b'kind = "flat"')
    recipe = recipe.replace(b"exam", b'begin = "maude"\nexam')
    chats = data.given([CHAT, *OTHERS.dialogues[1:]], [CHAT])
    with pytest.raises(InputError, match="does not fit the network"):
        run.train(decode(recipe), tmp_path / "again", material=chats)
    assert not (tmp_path / "again").exists()
