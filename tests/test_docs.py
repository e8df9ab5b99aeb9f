"""What the documents say is true: their code runs, their links lead somewhere."""

import re
import subprocess
import sys
from pathlib import Path

import pytest
import typer

from dialogauge import cli

ROOT = Path(__file__).parents[1]
COMMANDS = {*typer.main.get_group(cli.app).commands}
PAGES = sorted([*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md")])


def blocks(page: str, language: str) -> list[str]:
    return re.findall(rf"```{language}\n(.*?)```", (ROOT / page).read_text(), re.DOTALL)


def test_python_in_the_readme_runs(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(ROOT)
    first = blocks("README.md", "python")[0]
    exec(compile(first, "README.md", "exec"), {})
    said = re.search(r"# (0\.\d+ \[.*\] n=\d+)", first)
    assert said is not None
    assert said[1] in capsys.readouterr().out


def test_python_in_the_guide_runs(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)
    names: dict[str, object] = {}
    for block in blocks("docs/guide/python.md", "python"):
        exec(compile(block, "python.md", "exec"), names)
    assert names["questions"]


def test_what_repeats_the_code_is_up_to_date() -> None:
    script = [sys.executable, str(ROOT / "scripts" / "write_docs.py"), "--check"]
    done = subprocess.run(script, capture_output=True, text=True, check=False)
    assert done.returncode == 0, f"run `make docs`: {done.stdout}{done.stderr}"


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_a_link_that_names_a_file_leads_to_it(page: Path) -> None:
    for text, target in re.findall(r"\[([\w./-]+\.md)\]\(([^)#]+)", page.read_text()):
        assert Path(target).name == Path(text).name


def test_the_metric_in_the_readme_works(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "mine.py").write_text(blocks("README.md", "python")[1])
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", [*sys.path])
    talk = str(ROOT / "examples" / "talk.txt")
    monkeypatch.setattr(
        sys, "argv", ["dialogauge", "score", talk, "-m", "mine:Questions", "--json"]
    )
    with pytest.raises(SystemExit, match="0"):
        cli.main()
    assert '"turns":[1.0,1.0,0.0,1.0,0.0]' in capfd.readouterr().out


def test_the_readme_is_short_and_names_its_two_commands() -> None:
    text = (ROOT / "README.md").read_text()
    assert len(text.splitlines()) <= 200
    assert "make demo" in text
    assert "make test" in text


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_links_lead_somewhere(page: Path) -> None:
    for target in re.findall(r"\]\(([^)#:]+)\)", page.read_text()):
        assert (page.parent / target).exists(), f"{page.name} links to {target}"


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_files_that_are_named_exist(page: Path) -> None:
    named = r"\b((?:tests|src|docs|scripts|benchmarks|recipes|examples)/[\w/.-]+\.\w+)"
    for path in re.findall(named, page.read_text()):
        assert "NAME" in path or (ROOT / path).exists(), f"{page.name} names {path}"


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_commands_that_are_named_exist(page: Path) -> None:
    makefile = (ROOT / "Makefile").read_text()
    targets = {*re.findall(r"^([a-z-]+):", makefile, re.MULTILINE)}
    targets |= {*re.findall(r"^MODELS := (.*)", makefile, re.MULTILINE)[0].split()}
    for target in re.findall(r"`make ([a-z-]+)`", page.read_text()):
        assert target in targets, f"{page.name} names make {target}"
    for command in re.findall(r"^(?:\$ )?dialogauge (\w+)", page.read_text(), re.MULTILINE):
        assert command in COMMANDS, f"{page.name} names dialogauge {command}"
