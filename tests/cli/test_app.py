"""Help, usage errors, exit codes and shell completion."""

import os
import re
import subprocess
import sys

import pytest
from typer.testing import CliRunner

import featsieve
from featsieve.cli.app import app

COMMANDS = [command.name or command.callback.__name__ for command in app.registered_commands]


def test_version():
    result = CliRunner().invoke(app, ["--version"])
    assert (result.exit_code, result.stdout) == (0, f"featsieve {featsieve.__version__}\n")


def test_no_arguments_show_the_help():
    result = CliRunner().invoke(app, [])
    assert result.exit_code == 0
    assert result.stdout == CliRunner().invoke(app, ["--help"]).stdout


@pytest.mark.parametrize("arguments", [[], *([name] for name in COMMANDS)], ids=["", *COMMANDS])
def test_help_has_examples_that_parse(arguments):
    text = CliRunner().invoke(app, [*arguments, "--help"]).stdout
    examples = re.findall(r"^    featsieve (.*)$", text, flags=re.MULTILINE)
    assert len(examples) >= 3
    for example in examples:
        words = re.split(" [|>] ", example)[0].split()
        # with --help the options before it are parsed, but nothing is run
        assert CliRunner().invoke(app, [*words, "--help"]).exit_code == 0
        about = text if arguments else CliRunner().invoke(app, [words[0], "--help"]).stdout
        known = set(re.findall(r"--[a-z-]+", about.split("Examples:")[0]))
        assert set(re.findall(r"--[a-z-]+", example)) <= known


def test_help_imports_nothing_heavy():
    code = (
        "import sys; from typer.testing import CliRunner; from featsieve.cli.app import app;"
        f"runs = [CliRunner().invoke(app, [*c, '--help']) for c in ([], *([name] for name in {COMMANDS}))];"
        "assert all(run.exit_code == 0 for run in runs);"
        "print([m for m in ('numpy', 'scipy', 'sklearn', 'pandas', 'joblib') if m in sys.modules])"
    )
    result = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60)
    assert result.stdout.strip() == "[]", result.stderr


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["rank"], "Missing argument 'DATA'"),
        (["rank", "iris", "--tagret", "x"], "--tagret"),
        (["rank", "iris", "--top", "0"], "--top"),
        (["rank", "iris", "--top", "many"], "--top"),
        (["rnk"], "No such command 'rnk'"),
        (["select", "iris", "--top", "2"], "'--output'"),
    ],
)
def test_usage_errors_are_one_line(arguments, message):
    result = CliRunner().invoke(app, arguments)
    assert result.exit_code == 2
    assert result.stdout == ""
    assert re.fullmatch(r"Error: .* See featsieve.* --help\.\n", result.stderr.replace("root", "featsieve"))
    assert message in result.stderr


def test_help_lists_exit_codes():
    text = CliRunner().invoke(app, ["--help"]).stdout
    for code in ("0    success", "1    failure", "2    invalid options or data", "130  interrupted"):
        assert code in text


def test_every_command_has_json():
    for name in COMMANDS:
        assert "--json" in CliRunner().invoke(app, [name, "--help"]).stdout


def complete(words):
    """What bash is offered for the last of the words."""
    request = {
        "_FEATSIEVE_COMPLETE": "complete_bash",
        "COMP_WORDS": words,
        "COMP_CWORD": str(words.count(" ")),
    }
    code = "import sys; sys.argv = ['featsieve']; from featsieve.cli import main; main()"
    result = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, timeout=60, env=os.environ | request
    )
    assert result.returncode == 0, result.stderr
    return result.stdout.split()


@pytest.mark.slow
@pytest.mark.parametrize(
    ("words", "offers"),
    [
        ("featsieve sel", ["select"]),
        ("featsieve rank iri", ["iris"]),
        ("featsieve rank iris --metho", ["--method"]),
        ("featsieve rank iris --method fish", ["fisher"]),
    ],
)
def test_shell_completion(words, offers):
    assert complete(words) == offers
