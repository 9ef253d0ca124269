"""Step 2: a byte-level BPE tokenizer, trained on the training split only.

It follows SmolLM2's: every digit stands alone, GPT-2's pattern splits the text into words with their leading blank,
and merges never cross a word. All 256 bytes are tokens, so every text can be encoded.
"""

import argparse
from pathlib import Path

from tokenizers import Tokenizer, decoders, models, pre_tokenizers, trainers

VOCAB_SIZE = 2048
END_OF_TEXT = "<|endoftext|>"
# The last two are unused by the models of this folder; they are reserved so that later variants keep the tokenizer.
SPECIAL_TOKENS = [END_OF_TEXT, "<|mask|>", "<|gist|>"]


def train(text: str) -> Tokenizer:
    tokenizer = Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.Sequence(
        [pre_tokenizers.Digits(individual_digits=True), pre_tokenizers.ByteLevel(add_prefix_space=False)]
    )
    tokenizer.decoder = decoders.ByteLevel()
    trainer = trainers.BpeTrainer(
        vocab_size=VOCAB_SIZE,
        special_tokens=SPECIAL_TOKENS,
        initial_alphabet=sorted(pre_tokenizers.ByteLevel.alphabet()),
        show_progress=False,
    )
    tokenizer.train_from_iterator(text.splitlines(keepends=True), trainer)
    return tokenizer


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("text", type=Path, help="the training split")
    parser.add_argument("out", type=Path, help="where to write tokenizer.json")
    args = parser.parse_args()
    text = args.text.read_text(encoding="utf-8")
    tokenizer = train(text)
    args.out.parent.mkdir(parents=True, exist_ok=True)
    tokenizer.save(str(args.out))
    n_tokens = len(tokenizer.encode(text).ids)
    print(f"{tokenizer.get_vocab_size()} tokens; {len(text) / n_tokens:.3f} characters a token on the training split")


if __name__ == "__main__":
    main()
