"""The command ``featsieve``."""

# Exit code that a shell reports for a process ended by SIGPIPE. Python ignores the signal because it would
# also end a process that writes to one of its workers. The error raised instead is converted to this code,
# which scripts with ``set -o pipefail`` know; exit code 0 would claim that everything was written.
CLOSED_PIPE = 141


def main() -> None:
    """Run the command."""
    import sys

    _open_missing_streams()
    try:
        from featsieve.cli.app import app

        if hasattr(sys.stdout, "reconfigure"):
            # as stderr does, so that a terminal that cannot show a name does not end the command
            sys.stdout.reconfigure(errors="backslashreplace")
        try:
            app(prog_name="featsieve")
        except SystemExit as stop:
            _flush_output(failed=bool(stop.code))
            raise
    except KeyboardInterrupt:
        sys.exit(130)
    except BrokenPipeError:  # as in ``featsieve rank DATA | head -1``
        _discard_output()
        sys.exit(CLOSED_PIPE)
    except OSError as error:  # such as a full disk
        from featsieve.cli.console import print_error

        _discard_output()
        subject = error.filename or "The results could not be written"
        print_error(f"{subject}: {error.strerror or error}.")
        sys.exit(1)


def _flush_output(failed: bool) -> None:
    """Write buffered output now, because errors cannot be handled when the interpreter exits."""
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
    """Redirect stdout to the null device, so that flushing it at exit does not fail."""
    import os
    import sys

    if sys.__stdout__ is not None:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.__stdout__.fileno())


def _open_missing_streams() -> None:
    """Open the streams that the caller has closed (``>&-``), so that no other file takes their numbers."""
    import os
    import sys

    for name, mode in (("stdin", "r"), ("stdout", "w"), ("stderr", "w")):
        if getattr(sys, name) is None:
            setattr(sys, name, open(os.devnull, mode))  # noqa: SIM115
