"""Run the command with ``python -m featsieve.cli``."""

from featsieve.cli import main

if __name__ == "__main__":
    main()
