"""Check the files of a release: build them, check them with twine, and use the wheel in a clean environment.

python .ci/release_check.py [TAG]

TAG, such as v0.2.0, must be the version. The only network access is that of pip.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tarfile
import tempfile
import venv
from pathlib import Path

ROOT = Path(__file__).parents[1]
DIST = ROOT / "dist"
# Files that the source distribution must contain.
REQUIRED = ("README.md", "LICENSE", "CHANGELOG.md", "CITATION.cff", "docs/conf.py", "examples", "tests")


def run(*command: object, cwd: Path = ROOT, **options: object) -> str:
    """Run a command; return its output, or stop with it."""
    done = subprocess.run([*map(str, command)], cwd=cwd, capture_output=True, text=True, **options)  # type: ignore[call-overload]
    if done.returncode:
        sys.exit(f"{' '.join(map(str, command))} failed:\n{done.stdout}{done.stderr}")
    return done.stdout


def build() -> tuple[Path, Path]:
    """Build the source distribution and, from it, the wheel."""
    shutil.rmtree(DIST, ignore_errors=True)
    run(sys.executable, "-m", "build", "--outdir", DIST)
    run(sys.executable, "-m", "twine", "check", "--strict", *DIST.iterdir())
    (sdist,), (wheel,) = DIST.glob("*.tar.gz"), DIST.glob("*.whl")
    return sdist, wheel


def check_content(sdist: Path) -> None:
    """Stop if the source distribution lacks a file."""
    with tarfile.open(sdist) as archive:
        names = {name.partition("/")[2] for name in archive.getnames()}
    missing = [
        path for path in REQUIRED if not any(name == path or name.startswith(f"{path}/") for name in names)
    ]
    if missing:
        sys.exit(f"{sdist.name} must contain {', '.join(missing)}: see [tool.hatch.build.targets.sdist].")


def smoke_test(wheel: Path) -> str:
    """Install the wheel in a clean environment, use the command and the library; return the version."""
    with tempfile.TemporaryDirectory() as folder:
        venv.create(folder, with_pip=True)
        scripts = Path(folder, "Scripts" if os.name == "nt" else "bin")
        clean = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
        here = Path(folder)
        run(
            scripts / "python",
            "-m",
            "pip",
            "install",
            "--quiet",
            f"{wheel}[report,plot]",
            cwd=here,
            env=clean,
        )
        ranked = run(scripts / "featsieve", "rank", "iris", "--method", "fisher", cwd=here, env=clean)
        if "petal length (cm)" not in ranked:
            sys.exit(f"`featsieve rank iris` must rank the petal length; got:\n{ranked}")
        table = here / "few.csv"
        run(scripts / "featsieve", "select", "iris", "--top", "2", "-o", table, cwd=here, env=clean)
        if not table.exists():
            sys.exit("`featsieve select` must write its file.")
        report = here / "report.html"
        options = ("--methods", "fisher", "--report", report)
        run(scripts / "featsieve", "compare", "iris", *options, cwd=here, env=clean)
        if not report.exists():
            sys.exit("`featsieve compare` must write its report.")
        code = "import featsieve, featsieve.plot; print(featsieve.__version__)"
        return run(scripts / "python", "-c", code, cwd=here, env=clean).strip()


def main(tag: str | None) -> None:
    """Check everything."""
    sdist, wheel = build()
    check_content(sdist)
    version = smoke_test(wheel)
    if f"-{version}-" not in wheel.name or (tag and tag != f"v{version}"):
        sys.exit(f"the tag and the file must have the version {version}; got {tag} and {wheel.name}.")
    print(f"{sdist.name} and {wheel.name} are ready to be published as v{version}.")


if __name__ == "__main__":
    main(next(iter(sys.argv[1:]), None) or None)
