"""Step 1: the six novels, out of Debian's r-cran-janeaustenr, split into train / validation / test.

The package keeps the novels in an R "lazy-load" database: `Rdata.rdx` is an index and `Rdata.rdb` holds one
compressed R object a novel, a character vector with one element a printed line. Both use R's XDR serialization,
of which `RReader` reads the few types that occur, so R itself is not needed.
"""

import argparse
import bz2
import gzip
import hashlib
import lzma
import re
import struct
import subprocess
import tempfile
import zlib
from pathlib import Path

PACKAGE = "r-cran-janeaustenr"
DATA_FOLDER = "usr/lib/R/site-library/janeaustenr/data"

TEST_NOVEL = "persuasion"

# Of each other novel, chapters 5, 20, 35, ... are validation; the rest is training text.
VALIDATION_PERIOD, VALIDATION_PHASE = 15, 5


class RReader:
    """Reads one object in R's XDR serialization, version 2 or 3 (R Internals, section 1.8)."""

    NIL, NULL, SYMBOL, REFERENCE = 0, 254, 1, 255
    PAIRLIST, CHAR, LOGICAL, INTEGER, REAL, STRING, LIST = 2, 9, 10, 13, 14, 16, 19

    def __init__(self, data: bytes):
        if data[:2] != b"X\n":
            raise ValueError("not an R object in XDR form")
        self.data, self.at = data, 2
        self.symbols: list[object] = []
        version, _, _ = self._ints(3)
        if version == 3:
            self._take(self._int())  # name of the native encoding

    def _take(self, n: int) -> bytes:
        piece = self.data[self.at : self.at + n]
        if n < 0 or len(piece) != n:
            raise ValueError("the R object ends early")
        self.at += n
        return piece

    def _ints(self, n: int) -> tuple[int, ...]:
        return struct.unpack(f">{n}i", self._take(4 * n))

    def _int(self) -> int:
        return self._ints(1)[0]

    def read(self) -> object:
        flags = self._int()
        kind, has_attributes, has_tag = flags & 0xFF, flags & 0x200, flags & 0x400
        if kind in (self.NIL, self.NULL):
            return None
        if kind == self.SYMBOL:
            self.symbols.append(self.read())
            return self.symbols[-1]
        if kind == self.REFERENCE:
            return self.symbols[(flags >> 8) - 1]
        if kind == self.CHAR:
            n = self._int()
            return None if n == -1 else self._take(n).decode("utf-8")
        if kind == self.PAIRLIST:
            if has_attributes:
                self.read()
            tag = self.read() if has_tag else None
            value = self.read()
            rest = self.read() or []
            return [(tag, value), *rest]

        n = self._int()
        if kind in (self.LOGICAL, self.INTEGER):
            value = list(self._ints(n))
        elif kind == self.REAL:
            value = list(struct.unpack(f">{n}d", self._take(8 * n)))
        elif kind in (self.STRING, self.LIST):
            value = [self.read() for _ in range(n)]
        else:
            raise ValueError(f"R type {kind} is not handled")
        attributes = dict(self.read() or []) if has_attributes else {}
        return dict(zip(attributes["names"], value)) if "names" in attributes else value


def decompress_record(record: bytes) -> bytes:
    """Undoes R's lazy-load compression: a big-endian length, then a type letter unless the method is zlib."""
    size, method = struct.unpack(">I", record[:4])[0], record[4:5]
    if method == b"2":
        data = bz2.decompress(record[5:])
    elif method == b"Z":
        data = lzma.decompress(record[5:])
    else:
        data = zlib.decompress(record[4:])
    if len(data) != size:
        raise ValueError("a record of the lazy-load database has the wrong size")
    return data


def read_novels(folder: Path) -> dict[str, list[str]]:
    """@return the printed lines of each novel, by the package's name for it."""
    index = RReader(gzip.decompress((folder / "Rdata.rdx").read_bytes())).read()
    database = (folder / "Rdata.rdb").read_bytes()
    novels = {}
    for name, (start, size) in index["variables"].items():
        novels[name] = RReader(decompress_record(database[start : start + size])).read()
    return novels


def fetch_package(into: Path) -> Path:
    """Downloads the Debian package with apt, without installing it. @return its data folder."""
    download = ["apt-get", "-qq", "-o", "APT::Sandbox::User=root", "download", PACKAGE]
    subprocess.run(download, cwd=into, check=True)
    (archive,) = into.glob(f"{PACKAGE}_*.deb")
    print(f"{sha256(archive.read_bytes())}  {archive.name}")
    subprocess.run(["dpkg-deb", "-x", archive.name, "files"], cwd=into, check=True)
    return into / "files" / DATA_FOLDER


CHAPTER = re.compile(r"chapter ([ivxl]+|\d+)", re.IGNORECASE)
# Lines that belong to an edition rather than to a novel.
FURNITURE = re.compile(r"VOLUME [IVX]+|FINIS|Finis|THE END|[* ]+|\[(End volume|At this point).*")
# Northanger Abbey ends with a footnote and an editor's note.
ENDNOTES = "*Vide a letter from Mr. Richardson"


def chapters(lines: list[str]) -> list[str]:
    """Splits a novel into chapters and normalises them; what precedes the first heading (title, date) is dropped.

    A chapter is "Chapter N" (N counts through the novel) and its paragraphs, each on one line, with one empty line
    between. Runs of blanks become one; underscores (italics) and asterisks (footnote marks) go.
    """
    found: list[list[str]] = []
    paragraph: list[str] = []

    def end_paragraph() -> None:
        text = " ".join(" ".join(paragraph).replace("_", "").replace("*", "").split())
        paragraph.clear()
        if text and found:
            found[-1].append(text)

    for line in map(str.strip, lines):
        if line.startswith(ENDNOTES):
            break
        if not line or FURNITURE.fullmatch(line):
            end_paragraph()
        elif CHAPTER.fullmatch(line):
            end_paragraph()
            found.append([f"Chapter {len(found) + 1}"])
        else:
            paragraph.append(line)
    end_paragraph()
    return ["\n\n".join(chapter) + "\n" for chapter in found]


def split(novels: dict[str, list[str]]) -> dict[str, str]:
    """@return the text of each split: chapters with an empty line between."""
    splits: dict[str, list[str]] = {"train": [], "validation": [], "test": []}
    for name, lines in sorted(novels.items()):
        for number, chapter in enumerate(chapters(lines), start=1):
            held_out = number % VALIDATION_PERIOD == VALIDATION_PHASE
            split_name = "test" if name == TEST_NOVEL else "validation" if held_out else "train"
            splits[split_name].append(chapter)
    return {name: "\n".join(parts) for name, parts in splits.items()}


def sha256(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--out", type=Path, default=Path(__file__).parent.parent / "text", help="folder for the text")
    parser.add_argument("--data", type=Path, help="folder with Rdata.rdb and Rdata.rdx; fetched by apt if not given")
    args = parser.parse_args()
    args.out.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as scratch:
        novels = read_novels(args.data or fetch_package(Path(scratch)))
    for name, text in split(novels).items():
        path = args.out / f"austen-{name}.txt"
        path.write_bytes(text.encode("utf-8"))
        print(f"{sha256(path.read_bytes())}  {path.name}  {len(text):,} characters")


if __name__ == "__main__":
    main()
