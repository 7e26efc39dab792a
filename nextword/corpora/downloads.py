"""Real corpora and test sets, fetched once by name and checked against a pinned sha256.

The course needs none of them. Leaves out: unpacking to disk (zip members are read in place).
"""

import zipfile
from pathlib import Path

from examiner.errors import UserError
from nextword.corpora import cache
from nextword.corpora.fetching import Download, check, transfer

_GENSIM = "https://raw.githubusercontent.com/piskvorky/gensim/4.3.3/gensim/test/test_data"
_WIKITEXT = "https://wikitext.smerity.com"
_PARTS = {
    "train": "wiki.train.tokens",
    "validation": "wiki.valid.tokens",
    "test": "wiki.test.tokens",
}


DOWNLOADS: dict[str, Download] = {
    "tinyshakespeare": Download(
        title="Tiny Shakespeare: 1.1 MB of Shakespeare's plays, for character models",
        url="https://raw.githubusercontent.com/karpathy/char-rnn/master/data/tinyshakespeare/input.txt",
        home="https://github.com/karpathy/char-rnn",
        licence="public domain (the plays)",
        n_bytes=1_115_394,
        sha256="86c4e6aa9db7c042ec79f339dcb96d42b0075e16b8fc2e86bf0ca57e2dc565ed",
    ),
    "wikitext-2": Download(
        title="WikiText-2: 2 million words of good Wikipedia articles, cut into words",
        url=f"{_WIKITEXT}/wikitext-2-v1.zip",
        home="https://arxiv.org/abs/1609.07843",
        licence="CC BY-SA 4.0",
        n_bytes=4_475_746,
        sha256="92675f1d63015c1c8b51f1656a52d5bdbc33aafa60cc47a218a66e7ee817488c",
        parts={split: f"wikitext-2/{member}" for split, member in _PARTS.items()},
    ),
    "wikitext-103": Download(
        title="WikiText-103: 103 million words of good Wikipedia articles, cut into words",
        url=f"{_WIKITEXT}/wikitext-103-v1.zip",
        home="https://arxiv.org/abs/1609.07843",
        licence="CC BY-SA 4.0",
        n_bytes=190_229_076,
        sha256="242ba0f20b329cfdf1ccc61e9e9e5b59becf189db7f7a81cd2a0e2fc31539590",
        parts={split: f"wikitext-103/{member}" for split, member in _PARTS.items()},
    ),
    "text8": Download(
        title="text8: 100 million characters of Wikipedia, only a-z and spaces",
        url="http://mattmahoney.net/dc/text8.zip",
        home="http://mattmahoney.net/dc/textdata.html",
        licence="GFDL and CC BY-SA 3.0 (Wikipedia, March 2006)",
        n_bytes=31_344_016,
        sha256="a6640522afe85d1963ad56c05b0ede0a0c000dddc9671758a6cc09b7a38e5232",
        parts={"all": "text8"},
    ),
    "wordsim353": Download(
        title="WordSim-353: how related people find 353 pairs of words",
        url=f"{_GENSIM}/wordsim353.tsv",
        home="https://gabrilovich.com/resources/data/wordsim353/wordsim353.html",
        licence="CC BY 4.0",
        n_bytes=7_186,
        sha256="f92a022fc2537793a15bc3a8c162ebcd74990e033a228bb6388cb71e4c0b1e1d",
    ),
    "simlex999": Download(
        title="SimLex-999: how similar people find 999 pairs of words",
        url=f"{_GENSIM}/simlex999.txt",
        home="https://fh295.github.io/simlex.html",
        licence="none stated; published by its authors for research",
        n_bytes=18_126,
        sha256="d5e0501971478a511430ee880bd0121e94ac701ba86d90544d83e6d2ba3db05d",
    ),
    "analogies": Download(
        title="Google analogies: 19,544 questions such as Paris : France = Rome : ?",
        url=f"{_GENSIM}/questions-words.txt",
        home="https://arxiv.org/abs/1301.3781",
        licence="Apache 2.0",
        n_bytes=603_955,
        sha256="8c29b3332afc46f3fb8be04cb5297bf96f39aa7131272dff57869b4485b22a36",
    ),
}
TEXTS = ("tinyshakespeare", "wikitext-2", "wikitext-103", "text8")  # the others are test sets


def fetch(name: str, *, progress: bool = True) -> Path:
    """The path of a download whose bytes are right; from the cache folder, else from the web.

    A file that is there already is never changed or deleted. Raises `UserError` for an unknown
    name, for bytes that are not the pinned ones, and like `fetching.transfer`.
    """
    download = _known(name)
    path = cache.folder("downloads") / name / download.file_name
    if path.exists():
        check(path, download)
    else:
        transfer(download, path, progress=progress)
    return path


def read(name: str, part: str | None = None, *, progress: bool = True) -> str:
    """The text of a download; for a zip, of one of its parts (see `DOWNLOADS[name].parts`)."""
    download = _known(name)
    if (part not in download.parts) if download.parts else part is not None:
        known = ", ".join(download.parts) or "no part (leave it out)"
        raise UserError(f"{name!r} has no part {part!r}: expected {known}")
    path = fetch(name, progress=progress)
    if part is None:
        return path.read_text(encoding="utf-8")
    with zipfile.ZipFile(path) as archive:
        return archive.read(download.parts[part]).decode("utf-8")


def _known(name: str) -> Download:
    if name not in DOWNLOADS:
        raise UserError(f"unknown download {name!r}: expected one of {', '.join(DOWNLOADS)}")
    return DOWNLOADS[name]
