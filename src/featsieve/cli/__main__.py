"""Run the command by ``python -m featsieve.cli``."""

from featsieve.cli import main

if __name__ == "__main__":
    main()
