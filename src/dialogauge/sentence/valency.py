"""What verbs want beside them: objects, clauses, infinitives, adjectives.

A verb in the place of another must be able to take what the sentence has there ("I think it is
good" is not "I talk it is good"), and an object can go only from a verb that does without. The
tables list common verbs by what they have beside them in talk (Topical-Chat and Self-dialogue,
parsed) and in the English Web Treebank, read through by hand; a verb in none of the first two takes
an object or leaves it.
"""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from spacy.tokens import Token as Word

_WANTING = """
abandon absorb accept accomplish accuse achieve acquire address affect afford allow amaze announce
appreciate assume assure attract ban be beat become blame bother bring build buy call capture carry
catch cause choose claim confirm consider constitute contact contain contradict convince cost cover
create crush define delete demonstrate deny describe deserve determine devote direct discover
discuss do doubt dress earn eliminate enable encourage end enjoy ensure equal establish exceed
excite expect experience express face feed feel fill find fix follow force generate get give grab
guess handle hate have hear highlight hire hit hold host identify ignore impress include indicate
influence inform inspire install intend interest introduce invent invite involve join keep kill
lack let like look lose love maintain make manage mean meet mention miss mix name need notice
obtain offer owe own persuade place portray prefer present pretend prevent produce promote propose
protect prove provide purchase pursue put quote raise rate reach realize receive recommend reduce
reflect regret release remind remove rent replace represent request require respect reveal ruin
save say scare see seek seem select sell send set share show solve sound spend spoil state steal
suggest suit suppose surprise surround take tell tend thank throw trap treat trigger trust try
undertake unfriend update urge use value visit want warn watch wear wish wonder
"""
#: Verbs that want their object or complement.
TRANSITIVE = frozenset(_WANTING.split())

_ALONE = """
act agree apologize appear apply argue arrive be belong care chat come communicate compete complain
consist contribute cooperate cry deal depend die differ disagree disappear emerge exist fall flow
focus function go graduate happen hope insist intend interact joke laugh lie listen live look
matter occur participate pray progress rain react refer relate relax rely remain respond result
retire rise seem sit sleep smile snow sound stay step struggle subscribe succeed suck talk tend
think travel vary vote wait wonder work worry
"""
#: Verbs that take no object.
INTRANSITIVE = frozenset(_ALONE.split())

_EITHER = """
admit agree approve argue ask attend bite blow break burn call cancel change check clean click
climb close compare continue count cross cut dance deliver drink drive drop eat enter escape expand
explode fail fight finish fly follow forget grow guess hear help hurt improve join judge kick know
laugh lead learn leave listen marry melt move open paint park pass pay perform plan play practice
prepare print promise quit read recall relax remember repeat reply research return ride rock roll
run rush sail scream search serve shop sing smell smoke speak spread start stop stream study suffer
swim switch talk tour train travel turn understand vote wait walk win withdraw work write
"""
#: Verbs whose object can go.
EITHER = frozenset(_EITHER.split())

_THAT = """
acknowledge add admit agree announce appreciate argue assume believe bet claim conclude confirm
decide determine discover doubt dream expect explain fear feel figure find forget guess hear hope
imagine indicate insist know learn mean mention note notice predict pretend prove read realise
realize recall recognize remember reply say see state suggest suppose suspect swear think understand
wish worry
"""
_IF = "ask care decide doubt figure know mind remember say see tell understand wonder"
_TO = """
afford agree aim appear ask attempt begin choose claim continue decide deserve expect fail forget
happen hate hesitate hope intend learn like love manage mean need offer plan prefer pretend promise
refuse remember seem start tend threaten try wait want wish
"""
_DOING = """
avoid begin consider continue discuss dislike enjoy finish hate imagine keep like love mention
mind miss practice prefer propose quit recommend regret remember risk skip start stop suggest try
"""
_TELLING = "advise assure convince inform promise reassure remind show teach tell warn"
_ASKING = """
advise allow ask beg cause convince enable encourage expect force get help invite like need order
persuade prefer push remind require teach tell trust urge want warn
"""
_GIVING = """
ask bring buy charge cost deny feed get give hand leave lend make offer owe pay save sell send show
teach tell throw wish
"""
_TAKING = {
    kind: frozenset(verbs.split())
    for kind, verbs in {
        "that": _THAT,
        "if": _IF,
        "to": _TO,
        "doing": _DOING,
        "so": "appear be become feel get go grow keep look remain seem smell sound stay taste turn",
        "being": "be become remain",
        # with an object beside it
        "object that": _TELLING,
        "object if": "ask show tell",
        "object to": _ASKING,
        "object doing": "catch find hate hear keep leave like love notice see watch",
        "object so": "consider drive find get keep leave make paint prefer render",
        "object being": "call consider elect make name rate",
        "object object": _GIVING,
    }.items()
}


_WITH_CLAUSES = """
afford assume be become claim doubt end ensure equal feel guess indicate intend let look manage mean
pretend realize say seem sound state suppose tend think try wish wonder put
"""
#: Verbs that want something else than an object.
_CLAUSAL = frozenset(_WITH_CLAUSES.split())
_OF = frozenset(
    {"speak", "think", "hear", "dream", "know", "talk", "learn", "tell", "die", "complain"}
)
#: Verbs that have an object and no passive.
_ACTIVE = frozenset({"resemble", "have", "lack", "cost", "suit", "mean", "let", "become", "fit"})


def fits(verb: "Word", new: str) -> bool:
    """Whether a verb can take what another one has beside it."""
    had = [kind for word in verb.children if (kind := _kind(word))]
    objects = had.count("object") + any(it.dep_ == "aux:pass" for it in verb.children)
    others = [kind for kind in had if kind != "object"]
    wanted = [f"object {kind}" if objects else kind for kind in others]
    two = objects > 1 or (any(it.dep_ == "iobj" for it in verb.children) and not others)
    wanted += ["object object"] if two else []
    if not all(new in _TAKING[kind] for kind in wanted):
        return False
    following = verb.nbor().lower_ if verb.i + 1 < len(verb.doc) else ""
    if following == "of" or (following == "like" and not objects):  # "looks like", "speaks of"
        return new in (_TAKING["so"] | {"act"} if following == "like" else _OF)
    if objects:
        return new not in INTRANSITIVE and not (verb.tag_ == "VBN" and new in _ACTIVE)
    return not _is_alone(verb) or new not in TRANSITIVE or lacks_object(verb, new)


_LEADING = frozenset({"to", "for", "at", "on", "about", "with", "into", "from", "through"})


def lacks_object(verb: "Word", new: str) -> bool:
    """Whether a verb wants an object where another had none, and *something* can be it."""
    if new not in TRANSITIVE - _CLAUSAL or verb.tag_ == "VBN" or not _is_alone(verb):
        return False
    joined = verb.dep_ == "conj" or any(it.dep_ == "conj" for it in verb.children)
    led = verb.i + 1 < len(verb.doc) and verb.nbor().lower_ in _LEADING  # "listen to the radio"
    return verb.dep_ not in ("amod", "compound", "csubj") and not joined and not led


def _is_alone(verb: "Word") -> bool:
    """Whether a verb has nothing that completes it, neither beside it nor before its clause."""
    asked = (it for it in verb.children if it.tag_ in ("WP", "WDT") and it.dep_ != "nsubj")
    gap = verb.dep_ in ("acl:relcl", "acl") or any(asked)
    return not gap and not any(map(_kind, verb.children))


def _kind(word: "Word") -> str:
    """What a dependent asks of its verb; nothing if any verb can have it."""
    if word.dep_ in ("obj", "iobj"):
        return "object"
    if word.dep_ == "ccomp":
        return _kind_of_clause(word)
    if word.dep_ == "advcl" and word.tag_ == "VBG" and word.i == word.head.i + 1:
        return "doing"
    if word.dep_ != "xcomp":
        return ""
    to = any(it.tag_ == "TO" for it in word.children)
    kinds = {"VBG": "doing", "JJ": "so", "JJR": "so", "VBN": "so"}
    return "to" if to else kinds.get(word.tag_, "being")


def _kind_of_clause(word: "Word") -> str:
    first = word.left_edge
    if first.tag_ in ("WP", "WRB"):
        return "object"  # "what you mean"
    return "if" if first.lower_ in ("if", "whether") else "that"
