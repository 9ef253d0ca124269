"""Writes smollm2.txt and smollm2.ids: a text and what the reference tokenizer makes of it.

    pip install tokenizers gguf            (llama-cpp-python as well for --llama-cpp)
    python make_reference.py SmolLM2-135M-Instruct.Q4_1.gguf [--llama-cpp]

The reference is Hugging Face's `tokenizers`, with vocabulary and merges taken from the file and the pre-tokenizer of
SmolLM2: single digits, then byte level. A line of smollm2.ids reads

    FIRST LAST MODE id id ...

for the lines FIRST to LAST (from 1) of the text, joined by line ends. MODE is `plain`, or `special` where names such
as <|im_end|> stand for the special tokens.

The reference takes Unicode, not bytes. Text that is not valid UTF-8 is therefore cut into runs of valid and of invalid
bytes (a byte is invalid if it belongs to no valid character, which is what Python's surrogateescape marks). A valid run
is given to the reference as a text of its own; an invalid run skips the pre-tokenizer and goes to the reference's BPE
model as one word.

--llama-cpp compares with llama.cpp's tokenizer as well and lists the lines on which it differs.
"""

import argparse
import pathlib
import re

from gguf import GGUFReader
from tokenizers import AddedToken, Tokenizer, models, pre_tokenizers

from make_text import make_text


def read_tokenizer(path):
    fields = GGUFReader(path).fields
    get = lambda key: fields["tokenizer.ggml." + key].contents()
    assert get("model") == "gpt2" and get("pre") == "smollm"
    tokens, types = get("tokens"), get("token_type")
    merges = [tuple(merge.split(" ")) for merge in get("merges")]
    special = [token for token, kind in zip(tokens, types) if kind == 3]

    def build(with_special):
        tokenizer = Tokenizer(models.BPE(vocab={token: i for i, token in enumerate(tokens)}, merges=merges))
        tokenizer.pre_tokenizer = pre_tokenizers.Sequence(
            [pre_tokenizers.Digits(individual_digits=True), pre_tokenizers.ByteLevel(add_prefix_space=False)])
        if with_special:
            tokenizer.add_special_tokens([AddedToken(token, special=True, normalized=False) for token in special])
        return tokenizer

    return build(False), build(True), tokens


def byte_alphabet():
    """GPT-2's printable character for every byte."""
    printable = [*range(33, 127), *range(161, 173), *range(174, 256)]
    others = [b for b in range(256) if b not in printable]
    return {b: chr(b) for b in printable} | {b: chr(256 + i) for i, b in enumerate(others)}


ALPHABET = byte_alphabet()


def encode(tokenizer, text):
    ids = []
    for run in re.findall("[\udc80-\udcff]+|[^\udc80-\udcff]+", text.decode("utf-8", "surrogateescape")):
        if "\udc80" <= run[0] <= "\udcff":
            word = "".join(ALPHABET[b] for b in run.encode("utf-8", "surrogateescape"))
            ids += [token.id for token in tokenizer.model.tokenize(word)]
        else:
            ids += tokenizer.encode(run, add_special_tokens=False).ids
    return ids


def compare_with_llama_cpp(path, lines, plain):
    from llama_cpp import Llama
    llama = Llama(path, vocab_only=True, verbose=False)
    n_compared = n_different = 0
    for i, text in enumerate(lines):
        try:
            text.decode()
        except UnicodeDecodeError:
            continue  # llama.cpp replaces invalid bytes by U+FFFD
        if not text:
            continue
        theirs = llama.tokenize(text, add_bos=False, special=False)
        n_compared += 1
        if theirs != plain[i]:
            n_different += 1
            print(f"line {i + 1}: {text!r}\n  tokenizers {plain[i]}\n  llama.cpp  {theirs}")
    print(f"llama.cpp differs on {n_different} of {n_compared} lines of valid UTF-8")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("gguf")
    parser.add_argument("--llama-cpp", action="store_true")
    arguments = parser.parse_args()

    plain_tokenizer, special_tokenizer, tokens = read_tokenizer(arguments.gguf)
    lines = make_text()
    folder = pathlib.Path(__file__).parent
    (folder / "smollm2.txt").write_bytes(b"\n".join(lines) + b"\n")

    plain = [encode(plain_tokenizer, text) for text in lines]
    rows = [(i, i, "plain", ids) for i, ids in enumerate(plain, 1)]
    for i, text in enumerate(lines, 1):
        ids = encode(special_tokenizer, text)
        if ids != plain[i - 1]:
            rows.append((i, i, "special", ids))
    for first in range(1, 1000, 50):
        rows.append((first, first + 4, "plain", encode(plain_tokenizer, b"\n".join(lines[first - 1:first + 4]))))
    with open(folder / "smollm2.ids", "w") as out:
        for first, last, mode, ids in rows:
            print(first, last, mode, *ids, file=out)
    if arguments.llama_cpp:
        compare_with_llama_cpp(arguments.gguf, lines, plain)


if __name__ == "__main__":
    main()
