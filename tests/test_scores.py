"""Tables of scores: three layouts that hold the same, and errors that name the place."""

import csv
import math
from pathlib import Path

import msgspec
import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from dialogauge.dialogue import Dialogue, Turn
from dialogauge.errors import InputError, UnknownNameError
from dialogauge.scores import Cause, Row, Score, Scores, row_of
from dialogauge.scores.files import row_line

SIGNATURES = {"one": "one|v:1", "two-2": "=two|v:2"}
NUMBERS = st.floats(allow_nan=True, allow_infinity=False)
TEXTS = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), max_size=12)
SPANS = st.lists(st.tuples(st.integers(0, 9), st.integers(0, 99)), max_size=2).map(tuple)
SCORE = st.builds(
    Score,
    value=NUMBERS,
    turns=st.lists(NUMBERS, max_size=4).map(tuple),
    aspects=st.dictionaries(TEXTS, NUMBERS, max_size=2),
    causes=st.lists(st.builds(Cause, st.integers(0, 9), TEXTS, SPANS), max_size=2).map(tuple),
    interval=st.none() | st.tuples(NUMBERS, NUMBERS),
)
ROW = st.builds(
    Row,
    id=TEXTS,
    digest=st.just("0" * 16),
    context=st.just("1" * 16),
    scores=st.tuples(SCORE, SCORE).map(lambda pair: dict(zip(SIGNATURES, pair, strict=True))),
    system=TEXTS,
    level=st.sampled_from(["dialogue", "turn"]),
)


def example() -> Scores:
    rows = []
    for at in range(3):
        dialogue = Dialogue(f"d{at}", (Turn("A", "x"), Turn("B", "y")), system="=cmd()")
        rows.append(row_of(dialogue, {"one": Score(at / 3, (math.nan, at / 3))}))
    return Scores({"one": "one|v:1"}, tuple(rows))


@pytest.mark.parametrize("ending", [".jsonl", ".csv", ".parquet"])
@given(rows=st.lists(ROW, max_size=4).map(tuple))
@settings(max_examples=40, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_round_trip(tmp_path: Path, ending: str, rows: tuple[Row, ...]) -> None:
    path = tmp_path / f"scores{ending}"
    Scores(SIGNATURES, rows).write(path)
    again = Scores.read(path)
    assert [row_line(row) for row in again.rows] == [row_line(row) for row in rows]
    if rows or ending != ".csv":  # an empty CSV has nowhere to put its signatures
        assert dict(again.signatures) == SIGNATURES


def test_a_cause_of_a_turn_as_a_whole_needs_no_characters(tmp_path: Path) -> None:
    path = tmp_path / "old.jsonl"
    rows = [row_of(Dialogue("d", (Turn("A", "x"),)), {"one": Score(0.5, causes=(Cause(0, "c"),))})]
    Scores({"one": "one|v:1"}, tuple(rows)).write(path)
    path.write_text(path.read_text().replace('[0,"c",[]]', '[0,"c"]'))
    assert Scores.read(path).rows[0].scores["one"].causes == (Cause(0, "c"),)


OLD_CSV = """\
"id","system","level","context","digest","one","one.turns","one.aspects","one.causes","one.signature"
"d0","","dialogue","1","0",0.25,"[null,0.25]","","[]","one|v:1"
"""


def test_a_table_without_the_columns_of_an_interval_is_read(tmp_path: Path) -> None:
    import pyarrow as pa
    from pyarrow import parquet

    (tmp_path / "old.csv").write_text(OLD_CSV)
    old = Scores.read(tmp_path / "old.csv")
    assert (old.rows[0].id, old.rows[0].scores["one"].turns[1]) == ("d0", 0.25)
    old.write(tmp_path / "new.parquet")
    table = parquet.read_table(tmp_path / "new.parquet")
    parquet.write_table(table.drop_columns(["one.low", "one.high"]), tmp_path / "old.parquet")
    old.write(tmp_path / "old.jsonl")
    assert "interval" not in (tmp_path / "old.jsonl").read_text()
    for ending in ("csv", "parquet", "jsonl"):
        (row,) = Scores.read(tmp_path / f"old.{ending}").rows
        assert row.value("one") == 0.25
        assert row.scores["one"].interval is None
    assert pa.types.is_floating(table.schema.field("one.low").type)


def test_an_interval_has_two_columns(tmp_path: Path) -> None:
    dialogue = Dialogue("d", (Turn("A", "x"),))
    ends = [None, (0.2, 0.7), (math.nan, 0.7)]
    rows = [row_of(dialogue, {"one": Score(0.5, interval=each)}) for each in ends]
    Scores({"one": "one|v:1"}, tuple(rows)).write(tmp_path / "s.csv")
    with (tmp_path / "s.csv").open(newline="") as file:
        cells = [(row["one.low"], row["one.high"]) for row in csv.DictReader(file)]
    assert cells == [("", ""), ("0.2", "0.7"), ("", "0.7")]
    again = [row.scores["one"].interval for row in Scores.read(tmp_path / "s.csv").rows]
    assert repr(again) == repr(ends)


def test_an_interval_without_ends_is_none() -> None:
    assert Score(0.5, interval=(math.nan, math.nan)).interval is None
    assert Score(0.5, interval=(None, None)).interval is None  # type: ignore[arg-type]
    assert repr(Score(0.5, interval=(None, 1.0)).interval) == "(nan, 1.0)"  # type: ignore[arg-type]


def test_csv_cells_are_no_formulas(tmp_path: Path) -> None:
    example().write(tmp_path / "s.csv")
    with (tmp_path / "s.csv").open(newline="") as file:
        cells = [cell for row in csv.reader(file) for cell in row]
    assert "'=cmd()" in cells
    assert not any(cell.startswith(("=", "+", "@", "\t", "\r")) for cell in cells)


@pytest.mark.parametrize("ending", [".jsonl", ".csv", ".parquet"])
def test_no_table_of_scores(tmp_path: Path, ending: str) -> None:
    path = tmp_path / f"x{ending}"
    for content in (b"", b"{}\n", b'{"id": 1}\n', b"a,b\n1,2\n", b"\xff\xfe\0", b"PAR1garbagePAR1"):
        path.write_bytes(content)
        with pytest.raises(InputError, match="no table of scores") as caught:
            Scores.read(path)
        assert str(path) in str(caught.value)
    with pytest.raises(InputError, match="cannot be read"):
        Scores.read(tmp_path / f"absent{ending}")


@pytest.mark.parametrize("ending", [".jsonl", ".csv", ".parquet"])
def test_every_cut_is_noticed_or_harmless(tmp_path: Path, ending: str) -> None:
    whole = tmp_path / f"s{ending}"
    example().write(whole)
    data, cut = whole.read_bytes(), tmp_path / f"cut{ending}"
    for at in range(len(data) - 1):
        cut.write_bytes(data[:at])
        try:
            assert len(Scores.read(cut)) <= 3
        except InputError as error:
            assert "\n" not in str(error)  # noqa: PT017


def test_columns() -> None:
    scores = example()
    assert scores.ids == ("d0", "d1", "d2")
    np.testing.assert_allclose(scores.column("one"), [0, 1 / 3, 2 / 3])
    with pytest.raises(UnknownNameError, match="no scored metric is called 'two'"):
        scores.column("two")
    with pytest.raises(UnknownNameError):
        scores.write("scores.xlsx")


def test_the_last_turn_is_judged_at_turn_level() -> None:
    score = Score(0.5, (0.25, 0.75))
    assert Row("d", "", "", {"m": score}, level="turn").value("m") == 0.75
    assert Row("d", "", "", {"m": score}).value("m") == 0.5
    assert Row("d", "", "", {"m": Score(0.5)}, level="turn").value("m") == 0.5


def test_an_interval_is_that_of_the_number_beside_it() -> None:
    score = Score(0.5, (0.25, 0.75), interval=(0.4, 0.6))
    last = msgspec.structs.replace(score, turns=(0.25, 0.5))
    assert Row("d", "", "", {"m": score}).interval("m") == (0.4, 0.6)
    assert Row("d", "", "", {"m": score}, level="turn").interval("m") is None
    assert Row("d", "", "", {"m": last}, level="turn").interval("m") == (0.4, 0.6)
    assert Row("d", "", "", {}).interval("m") is None


def test_frames() -> None:
    import pandas
    import polars

    scores = example()
    for frame in (scores.to_polars(), scores.to_pandas()):
        assert isinstance(frame, polars.DataFrame | pandas.DataFrame)
        assert frame.shape == (3, 9)
        assert [*frame.columns][5:] == ["one", "one.low", "one.high", "one.turns"]
        assert list(frame["one"]) == pytest.approx([0, 1 / 3, 2 / 3])


def test_a_missing_frame_library_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    import sys

    monkeypatch.setitem(sys.modules, "polars", None)
    with pytest.raises(Exception, match="pip install polars"):
        example().to_polars()
