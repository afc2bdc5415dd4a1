"""The command ``featsieve``."""

# The exit code that a shell shows for a command that SIGPIPE ended. Python ignores that signal, because it
# would also end a process that writes to one of its workers; so the error it raises instead is turned into
# the same code here. Scripts with ``set -o pipefail`` know it, and 0 would claim that all was written.
READER_LEFT = 141


def main() -> None:
    """Run the command."""
    import sys

    _open_missing_streams()
    try:
        from featsieve.cli.app import app

        if hasattr(sys.stdout, "reconfigure"):
            sys.stdout.reconfigure(
                errors="backslashreplace"
            )  # as stderr does: a name it cannot show is no crash
        try:
            app(prog_name="featsieve")
        except SystemExit as end:
            _flush_output(failed=bool(end.code))
            raise
    except KeyboardInterrupt:
        sys.exit(130)
    except BrokenPipeError:  # as in ``featsieve rank DATA | head -1``
        _discard_output()
        sys.exit(READER_LEFT)
    except OSError as mistake:  # such as a full disk
        from featsieve.cli.console import error

        _discard_output()
        what = mistake.filename or "the results could not be written"
        error(f"{what}: {mistake.strerror or mistake}.")
        sys.exit(1)


def _flush_output(failed: bool) -> None:
    """Write what is left now: at the exit of the interpreter an error could not be handled."""
    import sys

    try:
        sys.stdout.flush()
        sys.stderr.flush()
    except BrokenPipeError:
        raise
    except OSError:
        if not failed:
            raise
        _discard_output()  # the failure has been reported


def _discard_output() -> None:
    """Send what is still to be written to stdout nowhere, so that flushing it at the exit does not fail."""
    import os
    import sys

    if sys.__stdout__ is not None:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.__stdout__.fileno())


def _open_missing_streams() -> None:
    """Open what the caller has closed (``>&-``), so that printing works and no file takes its number."""
    import os
    import sys

    for name, mode in (("stdin", "r"), ("stdout", "w"), ("stderr", "w")):
        if getattr(sys, name) is None:
            setattr(sys, name, open(os.devnull, mode))  # noqa: SIM115
