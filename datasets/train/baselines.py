"""What the trained models must beat: a 5-gram model of characters, and general-purpose compressors."""

import math
import subprocess
from collections import Counter


class CharacterNgram:
    """Interpolated Witten-Bell model: P_n(c | h) = (count(hc) + kinds(h) P_(n-1)(c | h')) / (count(h) + kinds(h)).

    h is the n - 1 characters before c, h' is h without its first, and kinds(h) is the number of different characters
    seen after h. P_0 is uniform over the characters of the training text and one more, for all that it lacks.
    Source: Chen and Goodman 1998, section 2.5.
    """

    def __init__(self, text: str, order: int = 5):
        self.order = order
        self.counts: Counter[str] = Counter()  # of every string of 1 .. order characters
        for n in range(1, order + 1):
            self.counts.update(text[i : i + n] for i in range(len(text) - n + 1))
        self.totals: Counter[str] = Counter()  # by history: occurrences with a character after it
        self.kinds: Counter[str] = Counter()
        for string, count in self.counts.items():
            self.totals[string[:-1]] += count
            self.kinds[string[:-1]] += 1
        self.uniform = 1 / (self.kinds[""] + 1)

    def probability(self, character: str, history: str) -> float:
        p = self.uniform
        for n in range(self.order):
            if n > len(history):
                break
            context = history[len(history) - n :]
            if context not in self.totals:
                break
            kinds = self.kinds[context]
            p = (self.counts[context + character] + kinds * p) / (self.totals[context] + kinds)
        return p

    def bits_per_character(self, text: str) -> float:
        reach = self.order - 1
        bits = (-math.log2(self.probability(c, text[max(0, i - reach) : i])) for i, c in enumerate(text))
        return math.fsum(bits) / len(text)


COMPRESSORS = {
    "gzip -9": ["gzip", "-9", "-n", "-c"],
    "zstd -19": ["zstd", "-19", "-q", "-c", "--single-thread"],
    "xz -9": ["xz", "-9", "-c", "-T1"],
}


def compressed_bits_per_character(command: list[str], text: str, before: str = "") -> float:
    """@param before text that the compressor has already seen: what it takes by itself does not count"""

    def size(data: str) -> int:
        return len(subprocess.run(command, input=data.encode("utf-8"), capture_output=True, check=True).stdout)

    return 8 * (size(before + text) - (size(before) if before else 0)) / len(text)
