"""DCGEval's network keeps its promises, and learns in both stages."""

from collections.abc import Sequence
from copy import deepcopy
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from dialogauge.cognition.graph import Utterance
from dialogauge.dialogue import Dialogue, Turn
from dialogauge.errors import InputError
from dialogauge.metrics import load
from dialogauge.metrics.dcgeval import Graph, Line, Lines, Said, likeness, padded_lines
from dialogauge.train import data
from dialogauge.train.recipe import decode

torch = pytest.importorskip("torch")

import transformers as tf  # noqa: E402  (torch may not be here)

from dialogauge.train.losses import distilled, graded, ranked  # noqa: E402
from dialogauge.train.models.dcgeval.batch import packed, placed, tensors  # noqa: E402
from dialogauge.train.models.dcgeval.graphs import (  # noqa: E402
    looped,
    symmetric,
    with_text_node,
)
from dialogauge.train.models.dcgeval.network import (  # noqa: E402
    DcgEval,
    Inputs,
    Inside,
    Shape,
)
from dialogauge.train.models.dcgeval.rows import Making, contexts, mined  # noqa: E402

WIDTH = 24
INTERACTIONS = ("full", "concat", "mlp", "h", "x", "hx")
KINDS: dict[str, tuple[Any, Any]] = {
    "bert": (tf.BertConfig, tf.BertModel),
    "mpnet": (tf.MPNetConfig, tf.MPNetModel),
}


def encoder(kind: str = "bert") -> Any:
    """A random one of two layers."""
    torch.manual_seed(1)
    config, model = KINDS[kind]
    small = {"hidden_size": WIDTH, "num_hidden_layers": 2, "num_attention_heads": 2}
    small |= {"intermediate_size": 48, "vocab_size": 90, "max_position_embeddings": 80}
    pad = {"pad_token_id": 1} if kind == "mpnet" else {}
    return model(config(**small, **pad, attn_implementation="eager"))


def network(kind: str = "bert", spread: float = 0.5, **shape: Any) -> DcgEval:
    torch.manual_seed(2)
    known = BY_GRAPH[shape.get("graph", "dcg")].concepts
    parts, width = (known.parts, known.width) if known else (1, 1)
    made = DcgEval(encoder(kind), Shape(width=16, dropout=0.0, **shape), parts, width)
    made.eval()
    for parameter in (made.text.marks.weight, *made.head.parameters()):
        torch.nn.init.normal_(parameter, std=spread)  # so that whatever differs shows
    return made


GRAPHS: tuple[Graph, ...] = ("dcg", "keywords", "none")
BY_GRAPH = {graph: Lines(64, graph) for graph in GRAPHS}
LINES = BY_GRAPH["dcg"]
GRADE: dict[str, Any] = {"graph": "keywords", "interaction": "concat", "likeness": False}


def said(speaker: str, words: Sequence[int]) -> Said:
    """Words by number, and a graph of them."""
    nodes = [*((f"word{it}", "concept") for it in words), ("i", "concept"), ("coffee", "concept")]
    edges = tuple((at, at + 1) for at in range(len(nodes) - 1))
    vector = np.random.default_rng(list(words)).normal(size=WIDTH).astype(np.float32)
    return Said(speaker, list(words), vector, Utterance(tuple(nodes), edges, 0))  # type: ignore[arg-type]


CONTEXT = [said("A", [5, 6, 7]), said("B", [8, 9])]
ANSWERS = [said("A", [10, 11, 12, 13]), said("A", [14]), said("A", [5, 6])]
ROW = [LINES.make(CONTEXT, answer) for answer in ANSWERS]
SHORT = [LINES.make(CONTEXT[1:], said("A", [20, 21, 22]))]


def topics(speaker: str, words: Sequence[int], *named: str) -> Said:
    """Words by number, and keywords."""
    nodes = tuple((word, "concept") for word in named)
    return said(speaker, words)._replace(meant=Utterance(nodes, (), -1))  # type: ignore[arg-type]


ASKED = [topics("A", [5, 6], "coffee", "morning"), topics("B", [8, 9], "drink")]
REPLIES = [topics("A", [10, 11], "tea", "guitar"), topics("A", [14], "coffee"), topics("A", [7])]
TOPICS = [BY_GRAPH["keywords"].make(ASKED, reply) for reply in REPLIES]
BARE = [BY_GRAPH["keywords"].make([topics("B", [21, 22])], REPLIES[2])]  # nobody names anything


def logits(model: DcgEval, given: Inputs) -> Any:
    with torch.no_grad():
        return model(*given)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("how", INTERACTIONS)
def test_responses_read_together_score_as_if_alone(kind: str, how: str) -> None:
    model = network(kind, interaction=how)
    together = logits(model, packed([ROW, SHORT]))
    alone = [logits(model, tensors(padded_lines([line])))[0] for line in (*ROW, *SHORT)]
    assert torch.allclose(together, torch.stack(alone), atol=1e-5)
    beside = logits(model, tensors(padded_lines([*ROW, *SHORT])))
    assert torch.allclose(together, beside, atol=1e-5)
    assert together.std() > 1e-3


@pytest.mark.parametrize("how", [GRADE, {"graph": "keywords"}])
def test_topics_read_together_score_as_if_alone(how: dict[str, Any]) -> None:
    model = network(**how)
    together = logits(model, packed([TOPICS, BARE]))
    alone = [logits(model, tensors(padded_lines([line])))[0] for line in (*TOPICS, *BARE)]
    assert torch.allclose(together, torch.stack(alone), atol=1e-5)
    assert together.isfinite().all()
    assert together.std() > 1e-3


def test_attention_is_each_nodes_own_and_weighs_links() -> None:
    model = network(**GRADE)
    assert model.cognition is not None
    attention, states = model.cognition.network, torch.randn(1, 3, 16)
    links = looped(torch.tensor([[[0, 1.0, 0], [1, 0, 0], [0, 0, 0]]]), torch.ones(1, 3))

    def heard(links: Any, states: Any) -> Any:
        with torch.no_grad():
            return attention(states, links)[0]

    other = states.clone()
    other[0, 2] += 1
    before, after = heard(links, states), heard(links, other)
    assert torch.allclose(before[:2], after[:2], atol=1e-6)  # nobody hears the third
    assert not torch.allclose(before[2], after[2], atol=1e-3)
    other[0, 1] += 1
    near, far = links, links * (1 - 0.9 * (1 - torch.eye(3)))
    moved = [(heard(each, other) - heard(each, states))[0].abs().sum() for each in (near, far)]
    assert moved[0] > moved[1] > 0  # a near neighbour is heard more than a far one
    with pytest.raises(InputError, match="multiple of 4"):
        DcgEval(encoder(), Shape(graph="keywords", width=18), 1, 1)


@pytest.mark.parametrize("graph", ["dcg", "keywords"])
def test_nodes_in_any_order_are_the_same_graph(graph: str) -> None:
    model, line = network(graph=graph), {"dcg": ROW, "keywords": TOPICS}[graph][0]
    order = np.random.default_rng(0).permutation(len(line.codes))
    other = line._replace(
        concepts=line.concepts[order], codes=line.codes[order], links=line.links[order][:, order]
    )
    one, two = (logits(model, tensors(padded_lines([it]))) for it in (line, other))
    assert torch.allclose(one, two, atol=1e-5)
    cut = line._replace(links=np.zeros_like(line.links))
    assert not torch.allclose(one, logits(model, tensors(padded_lines([cut]))), atol=1e-4)


def test_who_speaks_and_what_is_known_counts() -> None:
    model = network()
    base = logits(model, packed([ROW]))
    turned = [LINES.make([it._replace(speaker="A") for it in CONTEXT], each) for each in ANSWERS]
    assert not torch.allclose(base, logits(model, packed([turned])), atol=1e-4)
    unknown = [line._replace(concepts=line.concepts * 0) for line in ROW]
    assert not torch.allclose(base, logits(model, packed([unknown])), atol=1e-4)


def test_text_alone_ignores_the_graph() -> None:
    lines = Lines(64, graph="none")
    rows = [lines.make(CONTEXT, answer) for answer in ANSWERS]
    model = network(graph="none")
    assert model.cognition is None
    assert logits(model, packed([rows])).std() > 1e-3


def test_a_context_that_does_not_fit_loses_its_beginning() -> None:
    narrow = Lines(16, graph="none")
    line = narrow.make([said("A", range(30)), said("B", [40, 41])], said("A", [50, 51, 52]))
    assert line.ids.tolist() == [*range(21, 30), 40, 41, 50, 51, 52]
    assert line.marks.tolist() == [2] * 9 + [1, 0] + [5, 4, 4]
    other = narrow.make([said("A", range(30)), said("B", [40, 41])], said("A", [50]))
    assert other.ids.tolist() == [*line.ids[:11].tolist(), 50]  # whatever the response


def test_a_context_that_does_not_fit_is_read_alike_for_all_responses() -> None:
    narrow, model = Lines(24, graph="dcg"), network()
    context = [said("A", range(30)), said("B", [40, 41])]
    rows = [narrow.make(context, answer) for answer in ANSWERS]
    together = logits(model, packed([rows]))
    alone = [logits(model, tensors(padded_lines([line])))[0] for line in rows]
    assert torch.allclose(together, torch.stack(alone), atol=1e-5)


@pytest.mark.parametrize("ability", ["commonsense", "core-semantics", "temporal", "role"])
def test_without_an_ability_the_graph_is_another(ability: Any) -> None:
    whole = LINES.make(CONTEXT, ANSWERS[0])
    less = Lines(64, graph="dcg", without=[ability]).make(CONTEXT, ANSWERS[0])
    assert whole.concepts.shape != less.concepts.shape or not np.array_equal(
        whole.codes, less.codes
    )


def test_each_interaction_is_a_network_of_its_own() -> None:
    values = [logits(network(interaction=how), packed([ROW])) for how in INTERACTIONS]
    for at, one in enumerate(values):
        assert not any(torch.allclose(one, other, atol=1e-4) for other in values[at + 1 :])


def test_likeness_is_with_the_turn_before_with_all_and_with_each_side() -> None:
    last, mean, own, other = likeness(CONTEXT, CONTEXT[1]._replace(speaker="A"))
    assert last == other == pytest.approx((1 - 0.3) * 5, abs=1e-4)
    assert mean == pytest.approx((last + own) / 2, abs=1e-4)
    assert likeness(CONTEXT[1:], ANSWERS[0])[2] == 0  # A has not spoken


def test_links_are_normalised() -> None:
    links = torch.tensor([[[0.0, 1, 0], [1, 0, 0], [0, 0, 0]]])
    there = torch.tensor([[1.0, 1, 0]])
    scaled = symmetric(links, there)
    halves = torch.tensor([[0.5, 0.5, 0], [0.5, 0.5, 0], [0, 0, 0]])
    assert torch.allclose(scaled[0], halves)
    nodes, present, heard = with_text_node(torch.ones(1, 3, 4), there, links, torch.zeros(1, 4))
    assert nodes.shape == (1, 4, 4)
    assert present[0].tolist() == [1, 1, 0, 1]
    assert torch.allclose(heard[0, 0], torch.tensor([1 / 3, 1 / 3, 0, 1 / 3]))
    assert heard[0, 3].tolist() == [0, 0, 0, 1]  # the text node hears nobody
    assert heard[0, 2].sum() == 0


def test_levels_are_ranked_parted_and_gathered() -> None:
    there = torch.ones(1, 3, 2)
    good = torch.tensor([[[0.85, 0.95], [0.5, 0.5], [0.1, 0.1]]])
    assert ranked(good, there) == 0
    # 0.2 apart where 0.3 are wanted: 0.1 for the pair below, 0.1 for the far pair.
    near = torch.tensor([[[0.8, 0.8], [0.5, 0.5], [0.3, 0.3]]])
    assert ranked(near, there) == pytest.approx(0.1 + 0.1)
    # Wide apart within a level: their mean deviation of 0.3 is 0.2 too much.
    wide = torch.tensor([[[1.0, 0.4], [0.35, 0.35], [0.05, 0.05]]])
    assert ranked(wide, there) == pytest.approx(0.2, abs=1e-6)
    # As published a small wrong order has no gradient; mended it has.
    wrong = torch.tensor([[[0.4], [0.6]]])
    for published, slope in ((True, 0.0), (False, -1.0)):
        gap = torch.zeros(1, requires_grad=True)
        ranked(
            wrong + torch.tensor([[[1.0], [0.0]]]) * gap, torch.ones(1, 2, 1), published
        ).backward()
        assert gap.grad == slope
    some = torch.tensor([[[1.0, 0.0], [1.0, 0.0], [0.0, 0.0]]])
    only = torch.tensor([[[0.9, 0.0], [0.5, 0.0], [0.1, 0.0]]])
    assert ranked(only, some) == 0  # what is not there does not count
    assert placed([[2, 1, 0]]).tolist() == [[[0, 1], [2, -1], [-1, -1]]]


def test_people_and_teacher() -> None:
    assert graded(torch.tensor([0.5, 1.0]), torch.tensor([3.0, 5.0])) == 0
    assert graded(torch.tensor([0.0]), torch.tensor([3.0])) == 4
    ones, zeros = torch.ones(2, 2), torch.zeros(2, 2)
    assert distilled([ones, zeros], [ones, zeros]) == 0
    assert distilled([ones, ones], [zeros, zeros]) == 2


@pytest.mark.parametrize("kind", KINDS)
def test_a_student_keeps_states_attentions_and_nodes(kind: str) -> None:
    student = network(kind)
    teacher = deepcopy(student)
    given = tensors(padded_lines(ROW))
    own, taught = Inside([], [], []), Inside([], [], [])
    with torch.no_grad():
        student.read(given, own)
        teacher.read(given, taught)
    assert (len(own.states), len(own.attentions), len(own.nodes)) == (3, 2, 2)
    assert all(each.shape[-1] == each.shape[-2] for each in own.attentions)
    flat = [[each for some in side for each in some] for side in (own, taught)]
    assert distilled(*flat) == 0


def overfitted(model: DcgEval, rows: list[list[Line]]) -> float:
    given, places = packed(rows), placed([[1, 1, 1]])
    model.train()
    optimizer = torch.optim.Adam(model.parameters(), lr=0.003)
    for _ in range(80):
        scores = model(*given).sigmoid()
        loss = ranked(scores[places], torch.ones_like(places, dtype=torch.float32))
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    return float(loss.detach())


@pytest.mark.parametrize("shape", [{}, {"graph": "none"}, {"interaction": "concat"}, GRADE])
def test_it_overfits_three_responses(shape: dict[str, Any]) -> None:
    lines = BY_GRAPH[shape.get("graph", "dcg")]
    context, answers = (ASKED, REPLIES) if lines.graph == "keywords" else (CONTEXT, ANSWERS)
    rows = [[lines.make(context, answer) for answer in answers]]
    assert overfitted(network(spread=0.1, **shape), rows) < 0.05


TALK = (
    ("Do you like coffee?", "Yes, I drink it every morning."),
    ("Where is the train?", "It left ten minutes ago."),
    ("Can you lend me a book?", "Sure, which one do you want?"),
    ("My dog is ill.", "Oh no, did you call the doctor?"),
    ("What did you cook?", "I made a soup of carrots."),
    ("Is it raining?", "It is, take an umbrella."),
)
CHATS = [
    Dialogue(f"d{at}", (Turn("A", one), Turn("B", two)), level="turn", ratings={"fit": (4.0,)})
    for at, (one, two) in enumerate(TALK)
]
MATERIAL = data.given(CHATS, CHATS[:1])


def test_contexts_hold_all_good_answers_and_near_ones_that_are_none() -> None:
    other = Dialogue("d0b", (CHATS[0].turns[0], Turn("B", "No, tea.")), level="turn")
    material = data.given(
        [
            *CHATS,
            other,
            Dialogue(
                "whole",
                tuple(
                    Turn("AB"[at % 2], text)
                    for at, text in enumerate(it for pair in TALK for it in pair)
                ),
            ),
        ],
        CHATS[:1],
    )
    found = contexts(material, Making(turns=2, each=3, written=0), seed=1)
    whole = [each for each in found if each.id.startswith("whole")]
    assert len(whole) == 3
    assert all(len(each.turns) <= 2 for each in whole)
    (coffee,) = [each for each in found if each.id.startswith("d0:")]
    assert coffee.good == (TALK[0][1], "No, tea.")

    def encode(texts: Sequence[str]) -> Any:
        rows = [np.random.default_rng(list(text.encode())).normal(size=8) for text in texts]
        return np.array(rows, np.float32)

    making = Making(
        meant=2, worded=1, again=1, damaged=1, damage=("word-order", "word-drop"), written=0
    )
    near = mined(found, making, encode, seed=1)
    assert near == mined(found, making, encode, seed=1)
    for each in near:
        assert each.near
        assert not set(each.near) & set(each.good)
    assert [each.good for each in near] == [each.good for each in found]


def test_a_turn_of_the_other_way_is_near() -> None:
    one, two = contexts(data.given([], []), Making(turns=3, written=1), seed=2)
    assert one.good == two.near != two.good == one.near
    assert len(one.turns) <= 3
    assert one.turns != two.turns  # what decides is shown
    read = np.ones((0, 4), np.float32)
    assert mined([one, two], Making(), lambda _: read, seed=1) == [one, two]


LEVELS = b"""
name = "levels"
task = "levels"
[optimisation]
epochs = 2
batch_size = 3
learning_rate = 0.0005
[backbone]
name = "dialogue-minilm"
max_tokens = 48
[settings]
int8 = false
each = 2
[settings.making]
damage = ["word-order"]
damaged = 1
written = 2
"""
GRADE_SHAPE = b"""
[settings.shape]
graph = "keywords"
interaction = "concat"
likeness = false
"""
PEOPLE = b"""
name = "people"
task = "people"
[optimisation]
epochs = 1
batch_size = 4
learning_rate = 0.0001
[backbone]
name = "dialogue-minilm"
max_tokens = 48
[settings]
begin = "FOLDER"
aspect = "fit"
"""


@pytest.fixture(scope="module")
def staged(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Both stages, trained on next to nothing."""
    from dialogauge.train import run
    from dialogauge.train.models.dcgeval import exam
    from dialogauge.train.models.dcgeval.people import Graded

    folder = tmp_path_factory.mktemp("dcgeval")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(exam, "_sampled", lambda name, most: [])
        patch.setattr(exam, "_levelled", lambda: [])
        run.train(decode(LEVELS), folder / "levels", material=MATERIAL)
        text = LEVELS + b"[settings.shape]\ngraph = 'none'\nlikeness = false\n"
        run.train(decode(text), folder / "text", material=MATERIAL)
        text = LEVELS + GRADE_SHAPE
        run.train(decode(text), folder / "grade", material=MATERIAL)
        rated = Graded(tuple(CHATS), tuple(CHATS[:2]), ())
        for first, second in (("levels", "people"), ("grade", "grade-people")):
            text = PEOPLE.replace(b"FOLDER", str(folder / first).encode())
            run.train(decode(text), folder / second, material=rated)
    return folder


def test_both_stages_end_in_a_metric(staged: Path) -> None:
    chat = Dialogue("chat", tuple(turn for each in CHATS[:3] for turn in each.turns))
    for stage in ("levels", "people", "text", "grade", "grade-people"):
        metric = load(str(staged / stage))
        (score,) = metric.score([chat])
        assert np.isnan(score.turns[0])
        assert all(0 < value < 1 for value in score.turns[1:])
        assert metric.trained
        assert ("concepts:" in metric.signature) == (stage != "text")
        assert ("keywords:" in metric.signature) == stage.startswith("grade")
        alone = metric.score(list(CHATS))
        assert metric.score(CHATS[::-1])[::-1] == alone


def test_the_second_stage_needs_the_first(tmp_path: Path) -> None:
    from dialogauge.train import run
    from dialogauge.train.models.dcgeval.people import Graded

    text = PEOPLE.replace(b'begin = "FOLDER"', b"")
    with pytest.raises(InputError, match="no first stage is named"):
        run.train(decode(text), tmp_path / "x", material=Graded(tuple(CHATS), (), ()))


def test_no_test_set_teaches(data: Path) -> None:
    from dialogauge.train.models import check
    from dialogauge.train.models.dcgeval.people import gather

    text = PEOPLE.replace(b'aspect = "fit"', b'corpus = "convai2-grade"')
    recipe = decode(text)
    with pytest.raises(InputError, match="test set"):
        gather(recipe, check(recipe))  # type: ignore[arg-type]
