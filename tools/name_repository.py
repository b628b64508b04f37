"""Write the repository's address into _config.yml: ``python tools/name_repository.py https://github.com/owner/name``."""

import re
import sys
from pathlib import Path

CONFIG = Path(__file__).parents[1] / "_config.yml"


def with_repository(config: str, url: str) -> str:
    """The text of ``_config.yml`` with ``repository.url`` set to ``url``."""
    named, count = re.subn(r"(?m)^(repository:\n  url: ).*$", lambda found: found[1] + f'"{url}"', config)
    if count != 1:
        raise ValueError("with_repository: config must hold one repository.url; got " + str(count))
    return named


if __name__ == "__main__":
    CONFIG.write_text(with_repository(CONFIG.read_text(encoding="utf-8"), sys.argv[1]), encoding="utf-8")
