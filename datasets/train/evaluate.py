"""Step 4: bits per character of models and baselines, and the drafts' acceptance, as Markdown tables.

A model's bits are the sum of -log2 p over all tokens, chapter ends included, over the number of characters of the
text. The context slides by half its length: every token is predicted from at least 256 tokens before it (fewer only
at the start of the text).

Acceptance is 1 - TV(p, q), the chance that speculative sampling at temperature 1 keeps a token of the draft q for the
target p; its mean is over all positions of the test text, with the same windows.
"""

import argparse
import math

import numpy as np
import torch
from torch import Tensor

from baselines import COMPRESSORS, CharacterNgram, compressed_bits_per_character
from corpus import read_tokens, scoring_windows
from export_gguf import round_matrices
from training import BUILD, DATASETS, load_best, load_tokenizer, total_nats
from trunk import Trunk

SPLITS = ("validation", "test")


def acceptance(p: Tensor, q: Tensor) -> Tensor:
    """1 - TV = the sum of min(p, q).   @param p, q logits [T, vocab_size]   @return [T]"""
    return torch.minimum(p.softmax(-1), q.softmax(-1)).sum(-1)


@torch.no_grad()
def mean_acceptance(target: Trunk, drafts: list[Trunk], tokens: np.ndarray) -> np.ndarray:
    """@param tokens [T]   @return [drafts, 2]: mean of 1 - TV, and how often both find the same token most likely"""
    sums, n = np.zeros((len(drafts), 2)), 0
    window = target.config.seq_len
    for inputs, _, skip in scoring_windows(tokens, window, window // 2):
        p = target(inputs)[0, skip:]
        n += len(p)
        for i, draft in enumerate(drafts):
            q = draft(inputs)[0, skip:]
            sums[i] += acceptance(p, q).sum().item(), (p.argmax(-1) == q.argmax(-1)).sum().item()
    return sums / n


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("models", nargs="*", default=["austen-target", "austen-draft-text", "austen-draft-distilled"])
    args = parser.parse_args()
    torch.set_num_threads(2)
    tokenizer = load_tokenizer()
    paths = {split: DATASETS / "text" / f"austen-{split}.txt" for split in ("train", *SPLITS)}
    texts = {split: path.read_text(encoding="utf-8") for split, path in paths.items()}
    tokens = {split: read_tokens(paths[split], tokenizer) for split in SPLITS}

    rows: list[tuple[str, list[float]]] = []
    models = {name: round_matrices(load_best(name)) for name in args.models if (BUILD / name / "best.pt").exists()}
    for name, model in models.items():
        window = model.config.seq_len
        bits = [total_nats(model, tokens[s], window, window // 2) / math.log(2) / len(texts[s]) for s in SPLITS]
        rows.append((f"`{name}`, {model.n_parameters():,} parameters", bits))
    ngram = CharacterNgram(texts["train"])
    rows.append(("5-gram characters, Witten-Bell", [ngram.bits_per_character(texts[s]) for s in SPLITS]))
    for name, command in COMPRESSORS.items():
        rows.append((f"`{name}`", [compressed_bits_per_character(command, texts[s]) for s in SPLITS]))
    xz = COMPRESSORS["xz -9"]
    seen = [compressed_bits_per_character(xz, texts[s], before=texts["train"]) for s in SPLITS]
    rows.append(("`xz -9` that has seen the training text", seen))

    print("| bits per character | validation | test |\n|---|---|---|")
    for name, bits in rows:
        print(f"| {name} | {bits[0]:.3f} | {bits[1]:.3f} |")

    target = models.pop("austen-target", None)
    if target is None:
        return
    print("\n| draft | acceptance on test | same first choice |\n|---|---|---|")
    results = mean_acceptance(target, list(models.values()), tokens["test"])
    for (name, draft), (kept, agreed) in zip(models.items(), results):
        print(f"| `{name}`, {draft.n_parameters():,} parameters | {kept:.4f} | {agreed:.4f} |")


if __name__ == "__main__":
    main()
