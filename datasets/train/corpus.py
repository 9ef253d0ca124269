"""Text as token ids: chapters with an end-of-text token before each, and windows of them for training."""

import re
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import torch
from tokenizers import Tokenizer
from torch import Tensor

from train_tokenizer import END_OF_TEXT


def documents(text: str) -> list[str]:
    """The chapters; the empty line that separates two of them belongs to neither."""
    return re.split(r"\n\n(?=Chapter \d+\n)", text.rstrip("\n"))


def encode(text: str, tokenizer: Tokenizer) -> np.ndarray:
    """@return [T] int64: an end-of-text token, a chapter, an end-of-text token, a chapter, ... and one at the end"""
    end = tokenizer.token_to_id(END_OF_TEXT)
    ids = [end]
    for document in tokenizer.encode_batch(documents(text)):
        ids += [*document.ids, end]
    return np.array(ids, dtype=np.int64)


def read_tokens(path: Path, tokenizer: Tokenizer) -> np.ndarray:
    return encode(path.read_text(encoding="utf-8"), tokenizer)


@dataclass(frozen=True)
class Windows:
    """Every epoch cuts the text at a new random offset into windows and visits each of them once, in random order.

    A batch is a function of (seed, step) alone, so a resumed run sees what an uninterrupted one would have seen.
    """

    tokens: np.ndarray  # [T]
    seed: int

    def batch(self, step: int, n_sequences: int, window: int) -> tuple[Tensor, Tensor]:
        """@return inputs and the tokens that follow them, each [n_sequences, window]"""
        n_windows = (len(self.tokens) - window - 1) // window
        n_batches = n_windows // n_sequences
        random = np.random.default_rng([self.seed, window, step // n_batches])
        offset = random.integers(window)
        first = (step % n_batches) * n_sequences
        starts = offset + window * random.permutation(n_windows)[first : first + n_sequences]
        rows = torch.from_numpy(np.stack([self.tokens[s : s + window + 1] for s in starts]))
        return rows[:, :-1], rows[:, 1:]


def scoring_windows(tokens: np.ndarray, window: int, stride: int):
    """Sliding windows in which every token but the first is scored exactly once.

    A token has at least `window - stride` tokens of context, except at the very beginning of the text.
    @yield (inputs [1, T], targets [T], number of leading targets that an earlier window has scored)
    """
    scored = 1
    while scored < len(tokens):
        end = min(scored + stride if scored > 1 else window + 1, len(tokens))
        start = max(0, end - window - 1)
        piece = torch.from_numpy(tokens[start:end])
        yield piece[None, :-1], piece[1:], scored - start - 1
        scored = end
