"""Writes the expected values of this folder, and checks three implementations against each other on the way.

For five prompts it runs the model in PyTorch (our trunk) and in llama.cpp (f32 KV cache, one thread):
  exact     the f32 weights as trained
  rounded   the same weights rounded to bf16 and held in f32: what a reader of the shipped file computes with
  shipped   the shipped file itself; llama.cpp also rounds the *activations* to bf16 before each product
It stops with an error if PyTorch and llama.cpp differ by more than 1e-3 in a top-20 logit of `exact` or `rounded`, in
a greedy token, or in how they split a text into tokens. The expected values are llama.cpp's for `rounded`.
"""

import argparse
import json
import sys
import tempfile
from pathlib import Path

import llama_cpp
import numpy as np
import torch

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "datasets" / "train"))

from export_gguf import export, round_matrices  # noqa: E402
from training import load_best, load_tokenizer  # noqa: E402
from trunk import Trunk  # noqa: E402

TOP, GREEDY, TOLERANCE = 20, 64, 1e-3
SMALLEST_LEAD = 5e-4  # of a greedy choice, in logits: below it the order of sums could decide
PROMPTS = [
    "It is a truth universally acknowledged",
    "Captain Wentworth was ",
    '"My dear Anne," said he,',
    "In 1814, with £20,000 & a house, the naïve Mr. Smith",
]
TOKENIZER_PROBES = [
    "",
    " ",
    "\n\n\n a  b\t c ",
    "12345 and 6,789.",
    "don't I'LL we've",
    "naïve café £5 \u2014 日本 \U0001f600",
    "a\r\nb",
]


def read_split(split: str) -> str:
    return (ROOT / "datasets" / "text" / f"austen-{split}.txt").read_text("utf-8")


def long_prompt() -> str:
    """The test novel's first paragraph: a few hundred tokens."""
    return read_split("test").split("\n\n")[1]


class TorchModel:
    def __init__(self, model: Trunk):
        self.model = model

    @torch.no_grad()
    def logits(self, tokens: list[int]) -> np.ndarray:
        """@return [vocab_size], of the token that follows; everything is recomputed"""
        return self.model(torch.tensor([tokens]))[0, -1].numpy()


class LlamaCpp:
    def __init__(self, path: Path):
        f32 = llama_cpp.GGML_TYPE_F32
        self.model = llama_cpp.Llama(
            str(path), n_ctx=512, n_threads=1, n_threads_batch=1, type_k=f32, type_v=f32, logits_all=True, verbose=False
        )

    def logits(self, tokens: list[int]) -> np.ndarray:
        """@return [vocab_size], of the token that follows; what the KV cache has of `tokens` is not recomputed"""
        n_cached = self.model.n_tokens
        if n_cached >= len(tokens) or list(self.model.input_ids[:n_cached]) != tokens[:n_cached]:
            self.model.reset()
            n_cached = 0
        self.model.eval(tokens[n_cached:])
        return np.array(self.model.scores[len(tokens) - 1])

    def tokenize(self, text: str) -> list[int]:
        return self.model.tokenize(text.encode("utf-8"), add_bos=False, special=False)


def top(logits: np.ndarray) -> np.ndarray:
    return np.argsort(-logits, kind="stable")[:TOP]


def greedy(model: TorchModel | LlamaCpp, tokens: list[int]) -> tuple[list[int], float]:
    """@return the tokens chosen, and the smallest lead of a chosen token over the second best, in logits"""
    tokens, lead, start = list(tokens), float("inf"), len(tokens)
    for _ in range(GREEDY):
        logits = model.logits(tokens)
        second, first = np.argsort(logits)[-2:]
        lead = min(lead, float(logits[first] - logits[second]))
        tokens.append(int(first))
    return tokens[start:], lead


def same_within_tolerance(ours: np.ndarray, theirs: np.ndarray) -> float:
    """@return the largest difference of a top-20 logit"""
    error = float(np.abs(ours - theirs)[top(theirs)].max())
    if not error <= TOLERANCE:
        raise SystemExit(f"PyTorch and llama.cpp differ by {error} in a top-{TOP} logit")
    return error


def check_tokenizer(theirs: LlamaCpp) -> None:
    tokenizer = load_tokenizer()
    texts = TOKENIZER_PROBES + [read_split(split) for split in ("validation", "test")]
    n_tokens = 0
    for text in texts:
        ids = tokenizer.encode(text).ids
        if ids != theirs.tokenize(text):
            raise SystemExit(f"llama.cpp splits {text[:40]!r} into other tokens")
        if tokenizer.decode(ids, skip_special_tokens=False) != text:
            raise SystemExit(f"{text[:40]!r} does not survive encoding and decoding")
        n_tokens += len(ids)
    print(f"tokenizer: {len(texts)} texts, {n_tokens:,} tokens, identical in llama.cpp")


def make(name: str, shipped: Path, out: Path) -> None:
    with tempfile.TemporaryDirectory() as scratch:
        files = {"exact": Path(scratch) / "exact.gguf", "rounded": Path(scratch) / "rounded.gguf"}
        exact, rounded = load_best(name), round_matrices(load_best(name))
        export(exact, name, files["exact"], as_f32=True)
        export(rounded, name, files["rounded"], as_f32=True)
        theirs = {kind: LlamaCpp(path) for kind, path in files.items()}
    theirs["shipped"] = LlamaCpp(shipped)
    check_tokenizer(theirs["shipped"])

    tokenizer = load_tokenizer()
    expected = []
    error, rounding, kernel = 0.0, 0.0, 0.0
    smallest_lead = float("inf")
    for prompt in [*PROMPTS, long_prompt()]:
        ids = tokenizer.encode(prompt).ids
        logits = {kind: model.logits(ids) for kind, model in theirs.items()}
        error = max(error, same_within_tolerance(TorchModel(exact).logits(ids), logits["exact"]))
        error = max(error, same_within_tolerance(TorchModel(rounded).logits(ids), logits["rounded"]))
        best = top(logits["rounded"])
        rounding = max(rounding, float(np.abs(logits["exact"] - logits["rounded"])[best].max()))
        kernel = max(kernel, float(np.abs(logits["shipped"] - logits["rounded"])[best].max()))
        for model, kind in ((exact, "exact"), (rounded, "rounded")):
            chosen, lead = greedy(theirs[kind], ids)
            if chosen != greedy(TorchModel(model), ids)[0]:
                raise SystemExit(f"PyTorch and llama.cpp ({kind}) continue {prompt[:40]!r} differently; lead {lead}")
        if not lead >= SMALLEST_LEAD:
            raise SystemExit(f"After {prompt[:40]!r} a choice leads by {lead} only; take another prompt")
        smallest_lead = min(smallest_lead, lead)
        pairs = [[int(i), round(float(logits["rounded"][i]), 6)] for i in best]
        expected.append({"prompt": prompt, "token_ids": ids, "top": pairs, "greedy": chosen})
    lines = ",\n".join(json.dumps(e, ensure_ascii=False) for e in expected)
    out.write_text(f"[\n{lines}\n]\n", encoding="utf-8")
    print(f"{name}: largest difference of a top-{TOP} logit over {len(expected)} prompts")
    print(f"  PyTorch against llama.cpp, same f32 weights    {error:.2e}")
    print(f"  weights rounded to bf16 against weights in f32 {rounding:.2e}")
    print(f"  bf16 products in llama.cpp against f32         {kernel:.2e}")
    print(f"  greedy: {GREEDY} tokens a prompt equal; the closest choice led by {smallest_lead:.2e}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("names", nargs="+", help="a shipped file and, after =, the trained model if its name differs")
    args = parser.parse_args()
    torch.set_num_threads(1)
    for name in args.names:
        file_name, trained_name = name.split("=") if "=" in name else (name, name)
        shipped = ROOT / f"datasets/models/{file_name}.gguf"
        make(trained_name, shipped, Path(__file__).parent / f"{file_name}.expected.json")


if __name__ == "__main__":
    main()
