"""Treebanks read, sentences typed as in a chat, and a pipeline trained on both."""

import gzip
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dialogauge import language, models
from dialogauge.errors import DataError, InputError, OutputError
from dialogauge.train.models.language import chat, measuring
from dialogauge.train.models.language import rows as reading
from dialogauge.train.models.language.gazetteer import gazetteer, patterns, renamed, roles, spans
from dialogauge.train.models.language.treebank import (
    KINDS,
    Sentence,
    Word,
    divide,
    document,
    ewt,
    gum,
    is_licensed,
    read,
)
from dialogauge.train.recipe import Chosen, Recipe
from dialogauge.train.run import Trained, train

#: Ours, in the columns of CoNLL-U: "I don't know her."
DONT = """# newdoc id = web-1
# text = I don't know her.
1 I I PRON PRP Case=Nom|Number=Sing|Person=1|PronType=Prs 4 nsubj _ _
2-3 don't _ _ _ _ _ _ _ _
2 do do AUX VBP Mood=Ind|Tense=Pres|VerbForm=Fin 4 aux _ _
3 n't not PART RB Polarity=Neg 4 advmod _ _
4 know know VERB VB VerbForm=Inf 0 root _ _
5 her she PRON PRP Case=Acc|Number=Sing|Person=3|PronType=Prs 4 obj _ SpaceAfter=No
5.1 left out _ _ _ _ _ _ _
6 . . PUNCT . _ 4 punct _ _
"""
#: "The biologist Ada Bos left the University of Gent on Friday."
NAMES = """# newdoc id = {document}
# global.Entity = GRP-etype-infstat-salience-centering-minspan-link-identity
# text = The biologist Ada Bos left the University of Gent on Friday.
1 The the DET DT Definite=Def 2 det _ Entity=(1-person-new-s-cf1-2,3,4-sgl
2 biologist biologist NOUN NN Number=Sing 5 nsubj _ _
3 Ada Ada PROPN NNP Number=Sing 2 flat _ _
4 Bos Bos PROPN NNP Number=Sing 2 flat _ Entity=1)
5 left leave VERB VBD Tense=Past 0 root _ _
6 the the DET DT Definite=Def 7 det _ Entity=(2-organization-new-s-cf2-2,3,4-sgl
7 University University PROPN NNP Number=Sing 5 obj _ _
8 of of ADP IN _ 9 case _ _
9 Gent Gent PROPN NNP Number=Sing 7 nmod _ Entity=(3-place-new-s-cf3-1-sgl)2)
10 on on ADP IN _ 11 case _ _
11 Friday Friday PROPN NNP Number=Sing 5 obl _ Entity=(4-time-new-s-cf4-1-sgl)|SpaceAfter=No
12 . . PUNCT . _ 5 punct _ _
"""


#: "Ada Bos and Max Bos of Gent met": two mentions in one, and a place inside the second.
PAIR = """# newdoc id = {document}
# global.Entity = GRP-etype-infstat-salience-centering-minspan-link-identity
# text = Ada Bos and Max Bos of Gent met.
1 Ada Ada PROPN NNP Number=Sing 8 nsubj _ Entity=(1-person-new-s-cf1-1,2,4,5,7-sgl(2-person-new-s-cf1-1,2-sgl
2 Bos Bos PROPN NNP Number=Sing 1 flat _ Entity=2)
3 and and CCONJ CC _ 4 cc _ _
4 Max Max PROPN NNP Number=Sing 1 conj _ Entity=(3-person-new-s-cf1-1,2,4-sgl
5 Bos Bos PROPN NNP Number=Sing 4 flat _ _
6 of of ADP IN _ 7 case _ _
7 Gent Gent PROPN NNP Number=Sing 4 nmod _ Entity=(4-place-new-s-cf3-1-sgl)3)1)
8 met meet VERB VBD Tense=Past 0 root _ SpaceAfter=No
9 . . PUNCT . _ 8 punct _ _
"""  # noqa: E501


def columns(text: str) -> str:
    """Written with blanks above, since tabs are hard to see."""
    lines = text.splitlines()
    return "\n".join(x if x.startswith("#") else x.replace(" ", "\t") for x in lines) + "\n\n"


def write(path: Path, text: str) -> Path:
    path.write_bytes(gzip.compress(text.encode()))
    return path


@pytest.fixture(scope="module")
def treebank(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("treebank")
    for part in ("train", "dev", "test"):
        write(folder / f"en_ewt-ud-{part}.conllu.gz", columns(DONT) * 12)
    licensed = (columns(NAMES.format(document=f"GUM_news_{n}")) for n in range(16))
    other = columns(NAMES.format(document="GUM_fiction_moon"))
    write(folder / "en_gum-ud-all.conllu.gz", other + "".join(licensed))
    return folder


@pytest.fixture(scope="module")
def dont(treebank: Path) -> Sentence:
    return next(ewt(treebank, "train"))


class TestReading:
    def test_words_spaces_and_arcs(self, dont: Sentence) -> None:
        assert dont.document == "web-1"
        assert [word.form for word in dont.words] == ["I", "do", "n't", "know", "her", "."]
        assert [word.space for word in dont.words] == [True, False, True, True, False, True]
        assert [word.head for word in dont.words] == [3, 3, 3, 3, 3, 3]
        assert dont.words[2].lemma == "not"
        assert all(word.name is None for word in dont.words)

    def test_names_are_cut_to_the_name(self, treebank: Path) -> None:
        names = [word.name for word in next(gum(treebank, "train")).words]
        person, school = ["B-PERSON", "I-PERSON"], ["B-ORG", "I-ORG", "I-ORG"]
        assert names == ["", "", *person, "", "", *school, "", "", ""]

    def test_names_beside_each_other_are_two(self, tmp_path: Path) -> None:
        path = write(tmp_path / "pair.conllu.gz", columns(PAIR.format(document="GUM_news_pair")))
        (sentence,) = read(path)
        found = [(start, end, sentence.words[start].name) for start, end in spans(sentence)]
        assert found == [(0, 2, "B-PERSON"), (3, 5, "B-PERSON"), (6, 7, "B-LOC")]

    def test_what_is_unknown_stays_unknown(self, treebank: Path) -> None:
        import spacy

        sentence = next(gum(treebank, "train"))
        unsure = msgspec.structs.replace(sentence.words[3], name=None)
        words = (*sentence.words[:3], unsure, *sentence.words[4:])
        gold = document(spacy.blank("en").vocab, [Sentence("d", words)])
        assert [token.ent_iob_ for token in gold[:5]] == ["O", "O", "B", "", "O"]

    def test_unlicensed_documents_are_passed_by(self, treebank: Path) -> None:
        names = {s.document for part in ("train", "dev", "test") for s in gum(treebank, part)}
        assert len(names) == 16
        assert all(map(is_licensed, names))

    def test_parts(self) -> None:
        parts = divide(f"GUM_news_{n}" for n in range(43))
        assert sorted(parts.values()).count("test") == 8
        assert sorted(parts.values()).count("dev") == 4
        assert divide(reversed(list(parts))) == parts

    def test_a_document_of_spacys(self, dont: Sentence, treebank: Path) -> None:
        import spacy

        vocab = spacy.blank("en").vocab
        gold = document(vocab, [dont, dont])
        assert gold.text == "I don't know her. I don't know her. "
        assert [token.head.i for token in gold] == [3] * 6 + [9] * 6
        assert [token.dep_ for token in gold][3] == "ROOT"
        assert len(list(gold.sents)) == 2
        assert not gold.has_annotation("ENT_IOB")  # nobody looked: not the same as no name
        named = document(vocab, [next(gum(treebank, "train"))])
        assert [(n.text, n.label_) for n in named.ents] == [
            ("Ada Bos", "PERSON"),
            ("University of Gent", "ORG"),
        ]

    @pytest.mark.parametrize(
        ("line", "problem"),
        [
            ("1\tHi", "expected 10 fields, got 2"),
            ("x" + "\t_" * 9, "not a treebank's row"),
            ("1\tHi\thi\tINTJ\tUH\t_\tup\troot\t_\t_", "not a treebank's row"),
            ("1\tHi\thi\tINTJ\tUH\t_\t7\troot\t_\t_", "not a treebank's row"),
        ],
    )
    def test_bad_rows(self, tmp_path: Path, line: str, problem: str) -> None:
        path = tmp_path / "bad.conllu"
        path.write_text(f"# text = Hi\n{line}\n\n")
        with pytest.raises(InputError, match=problem) as raised:
            list(read(path))
        assert str(raised.value).startswith(f"{path}:")

    def test_bad_files(self, tmp_path: Path, treebank: Path) -> None:
        with pytest.raises(DataError, match="no such file"):
            list(ewt(tmp_path, "train"))
        whole = (treebank / "en_ewt-ud-dev.conllu.gz").read_bytes()
        (tmp_path / "cut.gz").write_bytes(whole[: len(whole) // 2])
        with pytest.raises(DataError, match="cannot be read"):
            list(read(tmp_path / "cut.gz"))

    def test_the_real_ones(self, data: Path) -> None:
        import spacy

        test = list(ewt(data / "treebank", "test"))
        assert (len(test), sum(len(s.words) for s in test)) == (2077, 25094)
        held_out = list(gum(data / "treebank", "test"))
        assert len({s.document for s in held_out}) == 8
        kinds = {w.name[2:] for s in held_out for w in s.words if w.name}
        assert kinds == set(KINDS.values())
        vocab = spacy.blank("en").vocab
        for sentence in test:
            document(vocab, [sentence])


@st.composite
def trees(draw: st.DrawFn) -> Sentence:
    """Any tree: each word but the root hangs on one that was placed before it."""
    size = draw(st.integers(1, 9))
    order = draw(st.permutations(range(size)))
    heads = {order[0]: order[0]}
    for place in range(1, size):
        heads[order[place]] = order[draw(st.integers(0, place - 1))]
    forms = st.sampled_from(["I", "do", "n't", "know", ",", ".", "You", "so", "it", "'s", "Ada"])
    words = []
    for place in range(size):
        form = draw(forms)
        upos = "PUNCT" if form in ",." else "PART" if "'" in form else "ADV"
        dep = "root" if heads[place] == place else "dep"
        words.append(Word(form, form, upos, form, "", heads[place], dep, draw(st.booleans()), ""))
    return Sentence("d", tuple(words))


def is_tree(sentence: Sentence) -> bool:
    heads = [word.head for word in sentence.words]
    roots = [place for place, head in enumerate(heads) if place == head]
    for place in range(len(heads)):
        at = place
        for _ in heads:
            at = heads[at]
        if at not in roots:
            return False
    return [sentence.words[root].dep for root in roots] == ["root"]


class TestChat:
    @given(trees(), st.integers(0, 2**32 - 1))
    def test_trees_stay_trees(self, sentence: Sentence, seed: int) -> None:
        rng = np.random.default_rng(seed)
        assert all(is_tree(s) for s in chat.typed([sentence, sentence], rng))
        assert is_tree(measuring.plain(sentence))

    @given(trees(), st.integers(0, 2**32 - 1))
    def test_the_same_seed_types_the_same(self, sentence: Sentence, seed: int) -> None:
        once, twice = (chat.typed([sentence], np.random.default_rng(seed)) for _ in range(2))
        assert once == twice

    @pytest.mark.parametrize(
        ("habit", "expected"),
        [
            (chat.lower, "i don't know her. "),
            (chat.bare, "I don't know her "),
            (chat.unfinished, "I don't know her "),
            (chat.commaless, "I don't know her. "),
            (chat.unsure, "idk her. "),
        ],
    )
    def test_habits(self, dont: Sentence, habit: chat.Habit, expected: str) -> None:
        typed = habit(dont, np.random.default_rng(0))
        text = "".join(word.form + " " * word.space for word in typed.words)
        assert text == expected

    def test_contractions_together_and_apart(self, dont: Sentence) -> None:
        texts = set()
        for seed in range(20):
            words = chat.unquoted(dont, np.random.default_rng(seed)).words
            texts.add("".join(word.form + " " * word.space for word in words))
        assert texts == {"I dont know her. ", "I do nt know her. "}

    def test_asides_hang_on_the_root(self, dont: Sentence) -> None:
        for seed in range(20):
            words = chat.aside(dont, np.random.default_rng(seed)).words
            (new,) = [word for word in words if word.dep in ("discourse",) or word.upos == "ADV"]
            assert words[new.head].form == "know"
            assert len(words) == 7

    def test_a_name_that_loses_its_first_word(self) -> None:
        words = [Word(f, f, "PROPN", "NNP", "", 0, "root" if f == "A" else "flat") for f in "ABC"]
        marks = ("B-LOC", "I-LOC", "")
        named = [msgspec.structs.replace(w, name=m) for w, m in zip(words, marks, strict=True)]
        kept = chat.without(Sentence("d", tuple(named)), [True, False, False])
        assert [word.name for word in kept.words] == ["B-LOC", ""]
        assert is_tree(kept)


class TestNames:
    def test_other_names_of_the_same_kind(self, treebank: Path) -> None:
        sentence = next(gum(treebank, "train"))
        other = renamed(sentence, np.random.default_rng(1))
        assert [w.name for w in other.words] == [w.name for w in sentence.words]
        person = tuple(word.form for word in other.words[2:4])
        assert person in gazetteer()["PERSON", 2]
        changed = {p for p, w in enumerate(other.words) if w != sentence.words[p]}
        assert changed <= {2, 3, 6, 7, 8}

    def test_everything_below_a_word(self) -> None:
        lexicon = language.Lexicon.load()
        below = lexicon.below("dog")
        assert {"poodle", "terrier", "corgi"} <= set(below)
        counts = [lexicon.senses(name, "n")[0].count for name in below]
        assert counts == sorted(counts, reverse=True)  # the commonest first
        assert not {"dog", "cat", "boxer"} & set(below)  # a boxer is first of all a person
        assert set(lexicon.below("poodle")) < set(below)
        assert lexicon.below("qwertzuiop") == ()

    def test_what_words_are_known_to_name(self) -> None:
        import spacy

        assert (roles()["mozart"], roles()["peru"], roles()["agency"]) == ("S", "L", "o")
        nlp = spacy.blank("en")
        nlp.add_pipe("attribute_ruler").add_patterns(patterns())
        known = {token.text: token.ent_id_ for token in nlp("did mozart like Peru with him")}
        assert known == {"did": "", "mozart": "S", "like": "", "Peru": "L", "with": "", "him": ""}


class TestMeasuring:
    def test_f1_by_letters(self, dont: Sentence) -> None:
        import spacy

        nlp = spacy.blank("en")

        def knows(doc: object) -> object:
            gold = document(nlp.vocab, [dont])
            if len(doc) != len(gold):  # type: ignore[arg-type]
                gold = document(nlp.vocab, [dont, dont])
            return gold

        spacy.Language.component("test-knows-it-all", func=knows)
        nlp.add_pipe("test-knows-it-all")
        assert set(measuring.on_gold_tokens(nlp, [dont]).values()) == {100.0}
        assert set(measuring.on_raw_text(nlp, [[dont, dont]]).values()) == {100.0}

    def test_wrong_words_cost_both_ways(self) -> None:
        scores = measuring.f1([({"words": {1, 2, 3}}, {"words": {1, 2}, "ORG": {4}})])
        assert scores == {"words": pytest.approx(80), "ORG": 0}

    def test_markdown(self) -> None:
        rows = {"a": {"x": 1.25}, "b": {"y": 2.0}}
        assert measuring.markdown(rows).splitlines()[2:] == ["| a | 1.2 |  |", "| b |  | 2.0 |"]


SMALL = {"training.max_steps": 2, "training.eval_frequency": 1}
SMALLER = {
    "components.tok2vec.model.encode.width": 16,
    "components.tok2vec.model.encode.depth": 1,
    "components.parser.min_action_freq": 1,
    "components.trainable_lemmatizer.min_tree_freq": 1,
}
#: A graph whose sentence the treebank does not have.
GRAPH = """# ::snt Ada Bos saw Gent.
(s / see-01 :ARG0 (p / person :name (n / name :op1 "Ada" :op2 "Bos"))
   :ARG1 (c / city :name (n2 / name :op1 "Gent")))
"""


@pytest.fixture(scope="module")
def data_folder(treebank: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """A folder of data that holds the small treebank and one graph."""
    folder = tmp_path_factory.mktemp("data")
    (folder / "treebank").symlink_to(treebank)
    (folder / "amr").mkdir()
    (folder / "amr" / "one.txt").write_text(GRAPH)
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("DIALOGAUGE_DATA", str(folder))
        yield folder


def recipe(**changes: Any) -> Recipe:
    settings = {
        "parsing": {"config": "language.cfg", "changes": SMALL | SMALLER},
        "names": {"config": "language-names.cfg", "changes": SMALL},
        "graphs": [{"file": "one.txt", "licence": "ours"}],
        "words": 40,
        "kept": 30,
        "width": 8,
    }
    chosen = Chosen("dialogue-minilm")
    about = "A pipeline of a few sentences."
    return Recipe(
        name="few", task="language", about=about, backbone=chosen, settings=settings | changes
    )


@pytest.fixture(scope="module")
def trained(data_folder: Path) -> Trained:
    return train(recipe(), data_folder / "few", command="dialogauge train few.toml")


class TestTraining:
    def test_all_stages_end_to_end(self, data_folder: Path, trained: Trained) -> None:
        folder = Path(trained.folder)
        nlp = language.load(folder).nlp
        assert nlp.pipe_names[1:3] == ["tagger", "morphologizer"]
        assert {"PRP", "VB"} <= set(nlp.get_pipe("tagger").labels)
        assert set(nlp.get_pipe("ner").labels) == {"PERSON", "ORG", "LOC"}  # one by the graph
        assert nlp.vocab.vectors.shape == (30, 8)
        assert all(token.tag_ for token in nlp("dont know her lol!!!"))
        first = spacy_tags(folder / "training" / "parsing" / "model-best")
        assert spacy_tags(folder) == first  # the second stage leaves the first as it was
        assert "treebank" not in (folder / "config.cfg").read_text()
        files = set(models.verify(folder).files)
        assert {"card.md", "config.json", "recipe.json", "vocab/vectors"} <= files
        assert not any(name.startswith("training") for name in files)

    def test_the_card_has_the_numbers_of_this_run(self, trained: Trained) -> None:
        card = (Path(trained.folder) / "card.md").read_text()
        for said in (
            "# few",
            "A pipeline of a few sentences.",
            "dialogauge train few.toml",
            "| UD English EWT | CC BY-SA 4.0 | everything but names | 12 | 12 | 12 |",
            "| `one.txt` | ours | names |",
            "| vectors | words 40, width 8 |",
            "| parsing | steps 2, best step",
            "| silver | sentences 1, PERSON 1, LOC 1 |",
            "| EWT test, gold tokens, as it stands |",
            f"| {trained.best['LAS']:.1f} |",
            "news_",
        ):
            assert said in card
        for foreign in (
            "three times",
            "48.4",
            "the 70",
            "7,500",
            "17,500",
            "bamboo",
            "Self-dialogue",
        ):
            assert foreign not in card

    def test_a_finished_stage_is_not_done_again(self, data_folder: Path, trained: Trained) -> None:
        stages = Path(trained.folder) / "training"
        before = {path: path.read_bytes() for path in stages.glob("*/done.json")}
        (stages / "naming" / "done.json").unlink()
        again = train(recipe(), Path(trained.folder), resume=True)
        after = {path: path.read_bytes() for path in stages.glob("*/done.json")}
        assert {path.parent.name for path in before if before[path] != after[path]} == {"naming"}
        assert again.best == trained.best
        with pytest.raises(OutputError, match="is not an empty folder"):
            train(recipe(), Path(trained.folder))

    @pytest.mark.parametrize("written", [b"{", b'{"document": 3}', None])
    def test_names_that_are_not_sentences(
        self, treebank: Path, tmp_path: Path, written: bytes | None
    ) -> None:
        path = tmp_path / "names.jsonl"
        if written is not None:
            path.write_bytes(written)
        with pytest.raises(DataError, match="not a file of sentences with names"):
            reading.name_reader(treebank, "train", str(path), 0, 0, 0)

    def test_a_config_that_is_not_there(self, data_folder: Path, tmp_path: Path) -> None:
        with pytest.raises(DataError, match="no such recipe"):
            train(recipe(parsing={"config": "no.cfg"}), tmp_path / "out")

    def test_torch_is_not_needed(self) -> None:
        code = "import sys, dialogauge.train.run, dialogauge.train.models.language.task\n"
        code += "print('torch' in sys.modules, 'spacy' in sys.modules)"
        done = subprocess.run(
            [sys.executable, "-c", code], capture_output=True, text=True, check=True
        )
        assert done.stdout == "False False\n"


def spacy_tags(folder: Path) -> list[str]:
    import spacy

    return [token.tag_ for token in spacy.load(folder)("I do n't know Ada Bos of Gent .")]
