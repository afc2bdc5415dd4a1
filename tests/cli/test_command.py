"""The command as a program: streams, exit codes, what the help costs, an interrupted run."""

import json
import os
import re
import signal
import subprocess
import sys

import pytest
from typer.testing import CliRunner

import featsieve
from featsieve.cli.app import app

COMMAND = [sys.executable, "-m", "featsieve.cli"]


def run(*arguments, **options):
    return subprocess.run([*COMMAND, *arguments], capture_output=True, text=True, timeout=120, **options)


def test_installed_command():
    script = os.path.join(os.path.dirname(sys.executable), "featsieve")
    if not os.path.exists(script):
        pytest.skip("the package is not installed with its command")
    result = subprocess.run([script, "--version"], capture_output=True, text=True, timeout=60)
    assert result.stdout == f"featsieve {featsieve.__version__}\n"


def test_version():
    result = CliRunner().invoke(app, ["--version"])
    assert (result.exit_code, result.stdout) == (0, f"featsieve {featsieve.__version__}\n")


def test_help_without_arguments():
    result = CliRunner().invoke(app, [])
    assert result.exit_code == 0
    assert result.stdout == CliRunner().invoke(app, ["--help"]).stdout


COMMANDS = [command.name or command.callback.__name__ for command in app.registered_commands]


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
    ("arguments", "says"),
    [
        (["rank"], "Missing argument 'DATA'"),
        (["rank", "iris", "--tagret", "x"], "--tagret"),
        (["rank", "iris", "--top", "0"], "--top"),
        (["rank", "iris", "--top", "many"], "--top"),
        (["rnk"], "No such command 'rnk'"),
        (["select", "iris", "--top", "2"], "'--output'"),
    ],
)
def test_wrong_usage_is_one_line(arguments, says):
    result = CliRunner().invoke(app, arguments)
    assert result.exit_code == 2
    assert result.stdout == ""
    assert re.fullmatch(r"Error: .* See featsieve.* --help\.\n", result.stderr.replace("root", "featsieve"))
    assert says in result.stderr


def test_results_and_messages_are_apart(tmp_path):
    (tmp_path / "t.csv").write_text("a,b,target\n" + "".join(f"{i * i},{i % 5},{i % 2}\n" for i in range(12)))
    result = run("rank", "t.csv", "--scale", "--json", cwd=tmp_path)
    assert result.returncode == 0
    assert json.loads(result.stdout)["shape"] == [12, 2]
    assert result.stderr == "Note: Using column 'target' as the labels.\n"


def test_user_error_has_no_traceback(tmp_path):
    result = run("rank", "nothing.csv", cwd=tmp_path, env=os.environ | {"FEATSIEVE_DATA": ""})
    assert (result.returncode, result.stdout) == (2, "")
    assert result.stderr.startswith("Error: no file or dataset 'nothing.csv'")
    assert result.stderr.count("\n") == 1


def test_other_errors_are_not_hidden(monkeypatch):
    def broken(*args, **options):
        raise ZeroDivisionError("a defect")

    monkeypatch.setattr(featsieve.LaplacianScore, "fit", broken)
    with pytest.raises(ZeroDivisionError):
        CliRunner().invoke(app, ["rank", "iris"], catch_exceptions=False)


def test_too_little_memory_is_one_line(monkeypatch):
    def large(*args, **options):
        raise MemoryError

    monkeypatch.setattr(featsieve.LaplacianScore, "fit", large)
    result = CliRunner().invoke(app, ["rank", "iris"], catch_exceptions=False)
    assert (result.exit_code, result.stdout) == (1, "")
    assert result.stderr.startswith("Error: Not enough memory. ")


def test_warnings_are_one_line(monkeypatch):
    import warnings

    fit = featsieve.LaplacianScore.fit

    def warn(self, X, y=None):
        with warnings.catch_warnings():
            warnings.simplefilter("always")
            warnings.warn("first\nof two", RuntimeWarning, stacklevel=1)
            warnings.warn("second", RuntimeWarning, stacklevel=1)
        return fit(self, X, y)

    monkeypatch.setattr(featsieve.LaplacianScore, "fit", warn)
    result = CliRunner().invoke(app, ["rank", "iris"])
    assert result.exit_code == 0
    assert result.stderr == "RuntimeWarning (2 times): first of two\n"


def test_a_terminal_that_cannot_show_a_name(tmp_path):
    (tmp_path / "t.csv").write_text(
        "β,b\n" + "".join(f"{i * i},{i % 5}\n" for i in range(12)), encoding="utf-8"
    )
    result = run("rank", "t.csv", cwd=tmp_path, env=os.environ | {"PYTHONIOENCODING": "ascii"})
    assert result.returncode == 0
    assert r"\u03b2" in result.stdout


@pytest.mark.skipif(sys.platform == "win32", reason="SIGINT is sent otherwise there")
def test_interrupt_is_quiet():
    code = (
        "import sys, time, featsieve; from featsieve.cli import main;"
        "featsieve.LaplacianScore.fit = lambda *_: (print('fitting', flush=True), time.sleep(60));"
        "sys.argv = ['featsieve', 'rank', 'iris']; main()"
    )
    with subprocess.Popen(
        [sys.executable, "-c", code], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout.readline() == "fitting\n"
        process.send_signal(signal.SIGINT)
        stdout, stderr = process.communicate(timeout=30)
    assert (process.returncode, stdout, stderr) == (130, "", "")


def test_interrupt_while_importing_is_quiet(monkeypatch):
    import featsieve.cli

    monkeypatch.setitem(sys.modules, "featsieve.cli.app", _Interrupted())
    with pytest.raises(SystemExit) as stopped:
        featsieve.cli.main()
    assert stopped.value.code == 130


class _Interrupted:
    def __getattr__(self, name):
        raise KeyboardInterrupt


def test_exit_codes_are_told():
    text = CliRunner().invoke(app, ["--help"]).stdout
    for code in ("0    success", "1    failure", "2    invalid options or data", "130  interrupted"):
        assert code in text


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


@pytest.mark.parametrize(
    ("words", "offers"),
    [
        ("featsieve sel", ["select"]),
        ("featsieve rank iri", ["iris"]),
        ("featsieve rank iris --metho", ["--method"]),
        ("featsieve rank iris --method fish", ["fisher"]),
    ],
)
def test_completion_by_the_shell(words, offers):
    assert complete(words) == offers


def test_every_command_has_json():
    for name in COMMANDS:
        assert "--json" in CliRunner().invoke(app, [name, "--help"]).stdout


def ended_early(*command):
    """Exit code and messages of a command whose output nobody reads."""
    reader, writer = os.pipe()
    os.close(reader)
    try:
        result = subprocess.run(command, stdout=writer, stderr=subprocess.PIPE, text=True, timeout=120)
    finally:
        os.close(writer)
    return result.returncode, result.stderr


@pytest.mark.skipif(os.name == "nt", reason="pipes break in another way there")
@pytest.mark.parametrize(
    "arguments",
    [
        ["rank", "iris"],
        ["rank", "digits", "--top", "64", "--json"],
        ["select", "iris", "--top", "2", "--json"],
        ["methods"],
        ["methods", "--json"],
        ["datasets"],
        ["datasets", "--json"],
        ["--help"],
        ["rank", "--help"],
        ["--version"],
        ["compare", "iris", "--methods", "fisher", "--repeats", "2"],
        ["compare", "iris", "--methods", "fisher", "--repeats", "2", "--json"],
    ],
    ids=" ".join,
)
def test_reader_that_closes_early(arguments, tmp_path, monkeypatch):
    monkeypatch.setenv("FEATSIEVE_DATA", str(tmp_path))
    output = ["--output", str(tmp_path / "out.csv")] if "select" in arguments else []
    assert ended_early(*COMMAND, *arguments, *output) == (141, "")


@pytest.mark.skipif(os.name == "nt", reason="there is no shell")
def test_reader_that_takes_a_line():
    line = f"{sys.executable} -m featsieve.cli methods | head -1; echo ${{PIPESTATUS[0]}}"
    result = subprocess.run(["bash", "-c", line], capture_output=True, text=True, timeout=120)
    assert result.stderr == ""
    assert result.stdout.splitlines()[-1] in ("0", "141")


@pytest.mark.skipif(os.name == "nt", reason="pipes break in another way there")
def test_reader_that_closes_before_the_last_flush():
    """What is left in a buffer is written before the interpreter exits, where an error cannot be handled."""
    code = (
        "import sys, featsieve.cli, featsieve.cli.app as module\n"
        "module.app = lambda **options: (sys.stdout.write('a line'), sys.exit(0))\n"
        "featsieve.cli.main()"
    )
    assert ended_early(sys.executable, "-c", code) == (141, "")


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="there is no disk that is always full")
@pytest.mark.parametrize(
    "arguments",
    [["rank", "iris"], ["--version"], ["compare", "iris", "--methods", "fisher", "--repeats", "2", "--json"]],
    ids=" ".join,
)
def test_full_disk(arguments):
    with open("/dev/full", "w") as disk:
        command = [*COMMAND, *arguments]
        result = subprocess.run(command, stdout=disk, stderr=subprocess.PIPE, text=True, timeout=120)
    assert result.returncode == 1
    assert result.stderr.splitlines()[-1].startswith("Error: ")
    assert "No space left on device" in result.stderr
    assert result.stderr.count("Error: ") == 1
    assert "Traceback" not in result.stderr


@pytest.mark.skipif(os.name == "nt", reason="there is no shell")
@pytest.mark.parametrize("closed", [">&-", "2>&-", "<&- >&- 2>&-"])
def test_closed_streams(closed):
    line = f"{sys.executable} -m featsieve.cli rank iris {closed}"
    result = subprocess.run(["bash", "-c", line], capture_output=True, text=True, timeout=120)
    assert result.returncode == 0
    assert "Traceback" not in result.stderr
