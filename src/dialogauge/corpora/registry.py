"""The table of corpora: what each is, who made it, what one may do with it, and its reader.

To add a corpus: a row per file in ``files.tsv``, a reader in :mod:`.judged` or
:mod:`.conversations`, a line here, a row in the test of counts.

*Role* keeps us honest. A ``test`` set is never trained, tuned or selected on; a ``tuning`` set is
for choosing and for fitting to people; ``training`` text loses whatever it shares with either
(:func:`~.overlap.decontaminate`).
"""

from collections.abc import Callable, Iterator, Mapping
from typing import Literal

import msgspec

from ..dialogue import Dialogue, Level
from . import conversations, judged
from .reading import Part

Reader = Callable[[Part], Iterator[Dialogue]]


class Corpus(msgspec.Struct, frozen=True, kw_only=True):
    """One corpus. ``splits`` maps each published split to its files ("" where there is one)."""

    name: str
    kind: Literal["benchmark", "dialogues"]
    level: Level
    role: Literal["test", "tuning", "training"]
    items: int
    aspects: tuple[str, ...] = ()
    licence: str
    citation: str
    about: str
    splits: Mapping[str, tuple[str, ...]]
    read: Reader

    @property
    def files(self) -> tuple[str, ...]:
        """All its files, by their path in a data folder."""
        return tuple(dict.fromkeys(path for paths in self.splits.values() for path in paths))


def _whole(*files: str) -> dict[str, tuple[str, ...]]:
    return {"": files}


def _grade_files(dataset: str, *systems: str) -> dict[str, tuple[str, ...]]:
    columns = ("human_ctx.txt", "human_hyp.txt", "human_ref.txt")
    lines = [f"human/grade/{dataset}/{system}/{name}" for system in systems for name in columns]
    return _whole("human/grade/human_judgement.json", *lines)


_FED = "Mehri and Eskenazi 2020, Unsupervised Evaluation of Interactive Dialog with DialoGPT"
_GRADE = "Huang et al. 2020, GRADE: Automatic Graph-Enhanced Coherence Metric"
_PLUSPLUS = (
    "Sai et al. 2020, Improving Dialog Evaluation with a Multi-reference Adversarial Dataset"
)
_TOPICAL = "Gopalakrishnan et al. 2019, Topical-Chat: Towards Knowledge-Grounded Conversations"
_PLUSPLUS_LICENCE = "none stated (DailyDialog CC BY-NC-SA 4.0)"

_CORPORA = (
    Corpus(
        name="fed-dialogue",
        kind="benchmark",
        level="dialogue",
        role="test",
        items=125,
        aspects=(
            "Coherent",
            "Error recovery",
            "Consistent",
            "Diverse",
            "Depth",
            "Likeable",
            "Understanding",
            "Flexible",
            "Informative",
            "Inquisitive",
            "Overall",
        ),
        licence="MIT (one copy), none stated (another)",
        citation=_FED,
        about="People talk with Meena, Mitsuku or a human; five raters judge the conversation.",
        splits=_whole("human/fed/fed_data.json"),
        read=judged.fed_dialogue,
    ),
    Corpus(
        name="fed-turn",
        kind="benchmark",
        level="turn",
        role="test",
        items=375,
        aspects=(
            "Interesting",
            "Engaging",
            "Specific",
            "Relevant",
            "Correct",
            "Semantically appropriate",
            "Understandable",
            "Fluent",
            "Overall",
        ),
        licence="MIT (one copy), none stated (another)",
        citation=_FED,
        about="Three responses of each FED conversation, judged by five raters in their context.",
        splits=_whole("human/fed/fed_data.json"),
        read=judged.fed_turn,
    ),
    Corpus(
        name="dstc9",
        kind="benchmark",
        level="dialogue",
        role="test",
        items=2200,
        aspects=(
            "consistent",
            "likeable",
            "diverse",
            "informative",
            "coherent",
            "overall",
            "understanding",
            "flexible",
            "topic depth",
            "error recovery",
            "inquisitive",
        ),
        licence="MIT (repository)",
        citation="Gunasekara et al. 2020, Overview of the Ninth Dialog System Technology Challenge",
        about="Real users talk with eleven chatbots; up to three raters judge the conversation.",
        splits=_whole(*(f"human/dstc9/chatbot{number}.json" for number in range(1, 12))),
        read=judged.dstc9,
    ),
    Corpus(
        name="convai2-grade",
        kind="benchmark",
        level="turn",
        role="test",
        items=600,
        aspects=("coherence",),
        licence="none stated",
        citation=_GRADE,
        about="Responses of four systems to PersonaChat contexts, eight to eleven raters.",
        splits=_grade_files(
            "convai2", "bert_ranker", "dialogGPT", "transformer_generator", "transformer_ranker"
        ),
        read=judged.grade,
    ),
    Corpus(
        name="empathetic-grade",
        kind="benchmark",
        level="turn",
        role="test",
        items=300,
        aspects=("coherence",),
        licence="none stated",
        citation=_GRADE,
        about="Responses of two systems to EmpatheticDialogues contexts, eight to eleven raters.",
        splits=_grade_files("empatheticdialogues", "transformer_generator", "transformer_ranker"),
        read=judged.grade,
    ),
    Corpus(
        name="dailydialog-grade",
        kind="benchmark",
        level="turn",
        role="tuning",
        items=300,
        aspects=("coherence",),
        licence="none stated",
        citation=_GRADE,
        about="Responses of two systems to DailyDialog contexts, eight to eleven raters.",
        splits=_grade_files("dailydialog_EVAL", "transformer_generator", "transformer_ranker"),
        read=judged.grade,
    ),
    Corpus(
        name="usr-topical",
        kind="benchmark",
        level="turn",
        role="tuning",
        items=360,
        aspects=(
            "Understandable",
            "Natural",
            "Maintains Context",
            "Engaging",
            "Uses Knowledge",
            "Overall",
        ),
        licence="none stated",
        citation="Mehri and Eskenazi 2020, USR: An Unsupervised and Reference Free Metric",
        about="Six responses, two of them human, to 60 Topical-Chat contexts, three raters.",
        splits=_whole("human/usr/tc_usr_data.json"),
        read=judged.usr,
    ),
    Corpus(
        name="zhao-dailydialog",
        kind="benchmark",
        level="turn",
        role="tuning",
        items=900,
        aspects=("appropriateness",),
        licence="GPL-3.0 (repository)",
        citation="Zhao et al. 2020, Designing Precise and Robust Dialogue Response Evaluators",
        about="Nine responses to each of 100 DailyDialog contexts; only mean ratings published.",
        splits=_whole(
            "human/zhao/dailydialog-zhao_text.txt", "human/zhao/dailydialog-zhao_ratings.json"
        ),
        read=judged.zhao,
    ),
    Corpus(
        name="engage",
        kind="benchmark",
        level="turn",
        role="tuning",
        items=600,
        aspects=("engagement",),
        licence="MIT",
        citation="Ghazarian et al. 2020, Predictive Engagement",
        about="A generated and a human reply to each of 300 queries, rated three times.",
        splits=_whole("human/engage/Eng_Scores_queries_gen_gtruth_replies.csv"),
        read=judged.engage,
    ),
    Corpus(
        name="multiref",
        kind="benchmark",
        level="turn",
        role="tuning",
        items=500,
        aspects=("appropriateness",),
        licence="none stated",
        citation="Gupta et al. 2019, Investigating Evaluation of Open-Domain Dialogue Systems",
        about="Five systems answer 100 DailyDialog contexts, four references, mean ratings.",
        splits=_whole("human/multiref/mturk_rating_processed_output.csv"),
        read=judged.multiref,
    ),
    Corpus(
        name="dailydialogpp-dev",
        kind="benchmark",
        level="turn",
        role="tuning",
        items=15420,
        aspects=("level",),
        licence=_PLUSPLUS_LICENCE,
        citation=_PLUSPLUS,
        about="Five positive, five adversarial and five random responses to 1,028 contexts.",
        splits=_whole("human/dailydialogpp/dev.json"),
        read=judged.dailydialogpp,
    ),
    Corpus(
        name="dailydialogpp-test",
        kind="benchmark",
        level="turn",
        role="test",
        items=17130,
        aspects=("level",),
        licence=_PLUSPLUS_LICENCE,
        citation=_PLUSPLUS,
        about="Five positive, five adversarial and five random responses to 1,142 contexts.",
        splits=_whole("human/dailydialogpp/test.json"),
        read=judged.dailydialogpp,
    ),
    Corpus(
        name="dailydialogpp-positives",
        kind="dialogues",
        level="turn",
        role="training",
        items=38205,
        licence=_PLUSPLUS_LICENCE,
        citation=_PLUSPLUS,
        about="Five good responses that people wrote to each of 7,641 contexts.",
        splits=_whole("human/dailydialogpp/data_positives.json"),
        read=judged.dailydialogpp_positives,
    ),
    Corpus(
        name="dailydialog",
        kind="dialogues",
        level="dialogue",
        role="training",
        items=13118,
        licence="CC BY-NC-SA 4.0",
        citation="Li et al. 2017, DailyDialog: A Manually Labelled Multi-turn Dialogue Dataset",
        about="Textbook conversations of daily life; 149 test dialogues stand in train as well.",
        splits={
            split: (f"dialogues/dailydialog/{split}.zip",)
            for split in ("train", "validation", "test")
        },
        read=conversations.dailydialog,
    ),
    Corpus(
        name="topical-chat",
        kind="dialogues",
        level="dialogue",
        role="training",
        items=2687,
        aspects=("overall",),
        licence="CDLA-Sharing-1.0",
        citation=_TOPICAL,
        about="Two people talk about texts they were given and rate the talk; train is a part.",
        splits={
            "train": ("dialogues/topicalchat/deam_train_part.txt.gz",),
            **{
                split: (f"dialogues/topicalchat/{split}.json.gz",)
                for split in ("valid_freq", "valid_rare", "test_freq", "test_rare")
            },
        },
        read=conversations.topical_chat,
    ),
    Corpus(
        name="topical-chat-turns",
        kind="dialogues",
        level="turn",
        role="training",
        items=46448,
        aspects=("quality",),
        licence="CDLA-Sharing-1.0",
        citation=_TOPICAL,
        about="The turns of Topical-Chat's valid and test splits, each rated by the partner.",
        splits={
            split: (f"dialogues/topicalchat/{split}.json.gz",)
            for split in ("valid_freq", "valid_rare", "test_freq", "test_rare")
        },
        read=conversations.topical_chat_turns,
    ),
    Corpus(
        name="personachat",
        kind="dialogues",
        level="dialogue",
        role="training",
        items=634,
        licence="CC BY 4.0",
        citation="Zhang et al. 2018, Personalizing Dialogue Agents; Dinan et al. 2019, ConvAI2",
        about="ConvAI2 validation conversations that share no context with a human-judged set.",
        splits=_whole("dialogues/personachat/convai2_valid_safe.txt"),
        read=conversations.personachat,
    ),
    Corpus(
        name="self-dialogue",
        kind="dialogues",
        level="dialogue",
        role="training",
        items=23988,
        licence="BSD-3-Clause",
        citation="Fainberg et al. 2018, Talking to myself: self-dialogues as data",
        about="One person writes both sides of a conversation about a film, a team, a song.",
        splits=_whole("dialogues/self_dialogue/self_dialogue.jsonl.gz"),
        read=conversations.self_dialogue,
    ),
    Corpus(
        name="cmu-dog",
        kind="dialogues",
        level="dialogue",
        role="training",
        items=4221,
        aspects=("quality",),
        licence="none stated",
        citation="Zhou et al. 2018, A Dataset for Document Grounded Conversations",
        about="Two people talk about a film's article; each conversation is rated from 1 to 3.",
        splits=dict.fromkeys(("train", "valid", "test"), ("dialogues/cmu_dog/cmu_dog.jsonl.gz",)),
        read=conversations.cmu_dog,
    ),
    Corpus(
        name="schema-guided",
        kind="dialogues",
        level="dialogue",
        role="test",
        items=2921,
        licence="CC BY-SA 4.0",
        citation="Rastogi et al. 2020, Towards Scalable Multi-domain Conversational Agents",
        about="A user and an assistant that books and searches: for tests on goal-oriented talk.",
        splits={"test": ("dialogues/schema_guided/test.jsonl.gz",)},
        read=conversations.schema_guided,
    ),
)

CORPORA: Mapping[str, Corpus] = {corpus.name: corpus for corpus in _CORPORA}
