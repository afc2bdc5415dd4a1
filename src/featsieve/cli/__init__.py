"""The command ``featsieve``."""


def main() -> None:
    """Run the command."""
    import sys

    try:
        from featsieve.cli.app import app

        if hasattr(sys.stdout, "reconfigure"):
            sys.stdout.reconfigure(
                errors="backslashreplace"
            )  # as stderr does: a name it cannot show is no crash
        app(prog_name="featsieve")
    except KeyboardInterrupt:
        sys.exit(130)
