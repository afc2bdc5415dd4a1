"""The command as a process: streams, interrupts, closed pipes and full disks."""

import json
import os
import signal
import subprocess
import sys

import pytest

import featsieve

COMMAND = [sys.executable, "-m", "featsieve.cli"]


def run(*arguments, **options):
    return subprocess.run([*COMMAND, *arguments], capture_output=True, text=True, timeout=120, **options)


def test_installed_command():
    script = os.path.join(os.path.dirname(sys.executable), "featsieve")
    if not os.path.exists(script):
        pytest.skip("the package is not installed with its command")
    result = subprocess.run([script, "--version"], capture_output=True, text=True, timeout=60)
    assert result.stdout == f"featsieve {featsieve.__version__}\n"


def test_results_go_to_stdout_and_messages_to_stderr(tmp_path):
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


def test_names_are_escaped_if_the_encoding_lacks_them(tmp_path):
    (tmp_path / "t.csv").write_text(
        "β,b\n" + "".join(f"{i * i},{i % 5}\n" for i in range(12)), encoding="utf-8"
    )
    result = run("rank", "t.csv", cwd=tmp_path, env=os.environ | {"PYTHONIOENCODING": "ascii"})
    assert result.returncode == 0
    assert r"\u03b2" in result.stdout


@pytest.mark.skipif(sys.platform == "win32", reason="SIGINT is sent differently on Windows")
def test_interrupt_is_quiet():
    code = (
        "import sys, time, featsieve; from featsieve.cli import main;"
        "featsieve.AutoSelector.fit = lambda *_: (print('fitting', flush=True), time.sleep(60));"
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


def ended_early(*command):
    """Exit code and messages of a command whose output is not read."""
    reader, writer = os.pipe()
    os.close(reader)
    try:
        result = subprocess.run(command, stdout=writer, stderr=subprocess.PIPE, text=True, timeout=120)
    finally:
        os.close(writer)
    return result.returncode, result.stderr


@pytest.mark.skipif(os.name == "nt", reason="pipes break differently on Windows")
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
def test_closed_pipe(arguments, tmp_path, monkeypatch):
    monkeypatch.setenv("FEATSIEVE_DATA", str(tmp_path))
    output = ["--output", str(tmp_path / "out.csv")] if "select" in arguments else []
    code, errors = ended_early(*COMMAND, *arguments, *output)
    assert code == 141
    assert all("% done" in line for line in errors.splitlines())  # progress, on a slow machine


@pytest.mark.skipif(os.name == "nt", reason="Windows has no bash")
def test_pipe_closed_after_one_line():
    line = f"{sys.executable} -m featsieve.cli methods | head -1; echo ${{PIPESTATUS[0]}}"
    result = subprocess.run(["bash", "-c", line], capture_output=True, text=True, timeout=120)
    assert result.stderr == ""
    assert result.stdout.splitlines()[-1] in ("0", "141")


@pytest.mark.skipif(os.name == "nt", reason="pipes break differently on Windows")
def test_pipe_closed_before_the_last_flush():
    """Buffered output is written before the interpreter exits, when errors can still be handled."""
    code = (
        "import sys, featsieve.cli, featsieve.cli.app as module\n"
        "module.app = lambda **options: (sys.stdout.write('a line'), sys.exit(0))\n"
        "featsieve.cli.main()"
    )
    assert ended_early(sys.executable, "-c", code) == (141, "")


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="this system has no /dev/full")
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


@pytest.mark.skipif(os.name == "nt", reason="Windows has no bash")
@pytest.mark.parametrize("closed", [">&-", "2>&-", "<&- >&- 2>&-"])
def test_closed_streams(closed):
    line = f"{sys.executable} -m featsieve.cli rank iris {closed}"
    result = subprocess.run(["bash", "-c", line], capture_output=True, text=True, timeout=120)
    assert result.returncode == 0
    assert "Traceback" not in result.stderr
