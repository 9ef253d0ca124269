"""Writes a text of a given number of words, from the start of a chapter, with the weights of the shipped file."""

import argparse

import torch

from export_gguf import round_matrices
from train_tokenizer import END_OF_TEXT
from training import load_best, load_tokenizer
from trunk import Trunk


@torch.no_grad()
def sample(model: Trunk, tokens: list[int], temperature: float, seed: int):
    """@yield token ids, drawn from softmax(logits / temperature)"""
    random = torch.Generator().manual_seed(seed)
    tokens = list(tokens)
    while True:
        logits = model(torch.tensor([tokens[-model.config.seq_len :]]))[0, -1]
        tokens.append(torch.multinomial((logits / temperature).softmax(-1), 1, generator=random).item())
        yield tokens[-1]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("name", nargs="?", default="austen-target")
    parser.add_argument("--words", type=int, default=200)
    parser.add_argument("--temperature", type=float, default=0.8)
    parser.add_argument("--seed", type=int, default=1)
    args = parser.parse_args()
    model, tokenizer = round_matrices(load_best(args.name)), load_tokenizer()
    written: list[int] = []
    for token in sample(model, [tokenizer.token_to_id(END_OF_TEXT)], args.temperature, args.seed):
        written.append(token)
        text = tokenizer.decode(written)
        if len(text.split()) > args.words:
            break
    print(text.rsplit(maxsplit=1)[0])


if __name__ == "__main__":
    main()
