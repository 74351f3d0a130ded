import gzip
import hashlib
import tarfile
from dataclasses import dataclass
from io import BytesIO
from pathlib import Path

import pytest
import requests
import yaml
from requests.adapters import HTTPAdapter

from mvcc.datasets import _files, _registry

# Classes 1 to 6 with 2, 1, 3 and 1, 2, 2 instances: pairs 1 + 1 + 2.
TINY_PROTEIN = (
    b"@relation tiny\n@attribute x real\n@attribute class {1,2,3,4,5,6}\n@data\n"
    + b"".join(
        b"%d.5   %d\n" % (i, label) for i, label in enumerate([1, 1, 2, 3, 3, 3, 4, 5, 5, 6, 6])
    )
)
# In the order of their names as text, which is not that of the numbers. One byte is not UTF-8.
TINY_GROUP = {
    "10": b"Subject: caf\xe9\n\nOne.\n",
    "11": b"From: me\n\n> One.\nTwo.\n",
    "9": b"From: you\n\nThree.\n",
}


def packed(members=None, links=None):
    """Pack an archive; the one of the sandbox has the tiny group in two parts, and others."""
    if members is None:
        parts = {"10": "train", "11": "test", "9": "train"}
        members = {
            f"20news-bydate-{parts[name]}/rec.autos/{name}": content
            for name, content in TINY_GROUP.items()
        }
        members |= {
            "20news-bydate-train/rec.boats/7": b"not asked for",
            "20news-bydate-train/rec.autos/README": b"no",
        }
    file = BytesIO()
    with (
        gzip.GzipFile(fileobj=file, mode="wb", mtime=0, compresslevel=1) as zipped,
        tarfile.open(fileobj=zipped, mode="w") as archive,
    ):
        for name, content in members.items():
            info = tarfile.TarInfo(name)
            info.size = len(content)
            archive.addfile(info, BytesIO(content))
        for name, target in (links or {}).items():
            info = tarfile.TarInfo(name)
            info.type, info.linkname = tarfile.SYMTYPE, target
            archive.addfile(info)
    return file.getvalue()


class Network:
    """Stands in for the network: answers every request, by any scheme, with what is given."""

    def __init__(self):
        self.asked: list[str] = []
        self.content = b""
        self.error: BaseException | None = None
        self.redirects: dict[str, str] = {}

    def send(self, request):
        self.asked.append(str(request.url))
        answer = requests.Response()
        answer.request, answer.url, answer.status_code = request, str(request.url), 200
        if target := self.redirects.get(str(request.url)):
            answer.status_code = 302
            answer.headers["Location"] = target
        answer.raw = _Stream(self.content, self.error)
        return answer


class _Stream(BytesIO):
    """A body that breaks off, where there is an error, after all of it was sent."""

    def __init__(self, content, error):
        super().__init__(content)
        self.error = error

    def read(self, size=-1):
        if not (content := super().read(size)) and self.error is not None:
            raise self.error
        return content


@pytest.fixture
def network(monkeypatch):
    stub = Network()
    monkeypatch.setattr(HTTPAdapter, "send", lambda adapter, request, **options: stub.send(request))
    return stub


@dataclass
class Sandbox:
    """A registry with a tiny file and a tiny newsgroup, and an empty cache."""

    cache: Path
    file: _registry.DataFile
    group: _registry.DataFile
    content: bytes = TINY_PROTEIN


@pytest.fixture
def sandbox(tmp_path, monkeypatch):
    entry = {
        "url": "https://example.org/protein.arff",
        "sha256": hashlib.sha256(TINY_PROTEIN).hexdigest(),
        "size": len(TINY_PROTEIN),
        "licence": "none",
        "citation": "nobody",
    }
    protein = {
        **{"title": "Protein", "description": "tiny", "loader": "loaders:protein"},
        **{"clusters": 3, "relations": 4, "files": ["protein.arff"]},
        "views": {"c1-c3": [6, 1], "c4-c6": [5, 1]},
    }
    documents = b"".join(TINY_GROUP.values())
    group = entry | {
        "url": "https://example.org/20news.tar.gz",
        "archive_sha256": hashlib.sha256(packed()).hexdigest(),
        "sha256": hashlib.sha256(documents).hexdigest(),
        "size": len(documents),
    }
    news = {**protein, "title": "News", "files": ["20newsgroups/rec.autos"]}
    content = {
        "datasets": {"protein": protein, "news": news},
        "files": {"protein.arff": entry},
        "folders": {"20newsgroups/rec.autos": group},
    }
    path = tmp_path / "registry.yaml"
    path.write_text(yaml.safe_dump(content))
    cache = tmp_path / "cache"
    monkeypatch.delenv("MVCC_DATA", raising=False)
    monkeypatch.setattr(_registry, "_REGISTRY", path)
    monkeypatch.setattr(_files, "cache_folder", lambda: cache)
    _registry._registry_on.cache_clear()
    known = _registry.registry()
    yield Sandbox(cache, known["protein"].files[0], known["news"].files[0])
    _registry._registry_on.cache_clear()
