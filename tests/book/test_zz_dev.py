from pathlib import Path
import pytest
from tests.book.test_practice import *  # noqa
from tests.book.test_practice import page, address  # noqa
@pytest.fixture(scope="session")
def site(): return Path("/tmp/bb-practice/_build/html")
