"""featsieve: find the few features that matter in high-dimensional data, with or without labels."""

import lazy_loader

__version__ = "0.1.0"

# Names are imported on first use, so that ``import featsieve`` stays light. They are listed in __init__.pyi.
try:
    __getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
except ValueError:  # the package is in an archive: extract the list
    from importlib.resources import as_file, files

    with as_file(files(__name__) / "__init__.pyi") as path:
        __getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, str(path))
