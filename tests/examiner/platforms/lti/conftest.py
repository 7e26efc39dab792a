"""A platform, and a tool that is registered in it."""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from examiner.platforms.lti import keys as tool_keys
from examiner.platforms.lti.keys import Keys
from examiner.platforms.lti.ledger import Ledger
from examiner.platforms.lti.settings import Settings, read_settings
from tests.examiner.platforms.lti.platform import Platform

ADDRESS = "https://grader.example.org"


@dataclass(frozen=True)
class Registered:
    """A tool's folder, and the platform that knows it."""

    platform: Platform
    settings: Settings
    keys: Keys


@pytest.fixture(scope="session")
def folder(tmp_path_factory) -> Path:
    made = tmp_path_factory.mktemp("lti") / "keys"
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(tool_keys, "BITS", 2048)  # larger ones are slower to read
        tool_keys.make(made, ADDRESS)
    return made


@pytest.fixture(scope="session")
def keys(folder: Path) -> Keys:
    return tool_keys.read([folder / tool_keys.KEY])


@pytest.fixture
def registered(folder: Path, keys: Keys) -> Iterator[Registered]:
    platform = Platform()
    text = (folder / tool_keys.SETTINGS).read_text("utf-8").split("# One for each")[0]
    path = folder / "registered.toml"
    path.write_text(text + platform.settings, "utf-8")
    yield Registered(platform, read_settings(path), keys)
    platform.close()


@pytest.fixture
def ledger(tmp_path: Path) -> Iterator[Ledger]:
    made = Ledger(tmp_path)
    yield made
    made.close()
