"""Step 5: a trained model as a GGUF file, architecture `llama`, with its tokenizer.

Matrices are bf16 (rounded to nearest, ties to even), norms f32. `--f32` writes f32 matrices instead; with `--rounded`
those f32 matrices hold the bf16 values, which is what a reader of the shipped file computes with.
"""

import argparse
import json
from pathlib import Path

import gguf
import numpy as np
import torch
from torch import Tensor

from train_tokenizer import END_OF_TEXT, SPECIAL_TOKENS
from training import BUILD, load_best
from trunk import Trunk

LAYER_TENSORS = {
    "attn_norm": "mixer_norm",
    "attn_q": "mixer.q",
    "attn_k": "mixer.k",
    "attn_v": "mixer.v",
    "attn_output": "mixer.output",
    "ffn_norm": "mlp_norm",
    "ffn_gate": "mlp.gate",
    "ffn_up": "mlp.up",
    "ffn_down": "mlp.down",
}


def tensors(model: Trunk) -> dict[str, Tensor]:
    """@return by GGUF's names; a matrix is [outputs, inputs]. The embedding serves as the output matrix too."""
    weights = model.state_dict()
    named = {"token_embd.weight": weights["embedding.weight"], "output_norm.weight": weights["final_norm.weight"]}
    for i in range(model.config.n_layers):
        for theirs, ours in LAYER_TENSORS.items():
            named[f"blk.{i}.{theirs}.weight"] = weights[f"layers.{i}.{ours}.weight"]
    return named


def rounded_to_bf16(weights: Tensor) -> Tensor:
    return weights.to(torch.bfloat16).float()


def round_matrices(model: Trunk) -> Trunk:
    """The model with the weights of the shipped file, in place."""
    for p in model.parameters():
        if p.dim() == 2:
            p.data = rounded_to_bf16(p.data)
    return model


def add_tokenizer(writer: gguf.GGUFWriter, tokenizer: dict) -> None:
    """@param tokenizer the content of tokenizer.json"""
    vocabulary = tokenizer["model"]["vocab"]
    names = sorted(vocabulary, key=vocabulary.get)
    kinds = [gguf.TokenType.CONTROL if t in SPECIAL_TOKENS else gguf.TokenType.NORMAL for t in names]
    merges = [m if isinstance(m, str) else " ".join(m) for m in tokenizer["model"]["merges"]]
    end = vocabulary[END_OF_TEXT]
    writer.add_tokenizer_model("gpt2")
    writer.add_tokenizer_pre("smollm")
    writer.add_token_list(names)
    writer.add_token_types(kinds)
    writer.add_token_merges(merges)
    writer.add_bos_token_id(end)
    writer.add_eos_token_id(end)
    writer.add_unk_token_id(end)
    writer.add_pad_token_id(end)
    writer.add_add_space_prefix(False)
    writer.add_add_bos_token(False)


def export(model: Trunk, title: str, path: Path, as_f32: bool = False) -> None:
    c = model.config
    writer = gguf.GGUFWriter(str(path), "llama")
    writer.add_type("model")
    writer.add_name(title)
    writer.add_languages(["en"])
    writer.add_block_count(c.n_layers)
    writer.add_context_length(c.seq_len)
    writer.add_embedding_length(c.d_model)
    writer.add_feed_forward_length(c.d_ff)
    writer.add_head_count(c.n_heads)
    writer.add_head_count_kv(c.n_kv_heads)
    writer.add_rope_freq_base(c.rope_base)
    writer.add_layer_norm_rms_eps(c.norm_eps)
    writer.add_vocab_size(c.vocab_size)
    writer.add_rope_dimension_count(c.head_dim)
    writer.add_file_type(gguf.LlamaFileType.ALL_F32 if as_f32 else gguf.LlamaFileType.MOSTLY_BF16)
    add_tokenizer(writer, json.loads((BUILD / "tokenizer.json").read_text(encoding="utf-8")))
    for name, weights in tensors(model).items():
        if weights.dim() == 1 or as_f32:
            writer.add_tensor(name, weights.float().numpy())
        else:
            bits = weights.to(torch.bfloat16).view(torch.int16).numpy().view(np.uint8)
            writer.add_tensor(name, bits, raw_shape=bits.shape, raw_dtype=gguf.GGMLQuantizationType.BF16)
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("name", help="a trained model, such as austen-target")
    parser.add_argument("out", type=Path, help="the .gguf file to write")
    parser.add_argument("--title", help="general.name in the file; the model's name if not given")
    parser.add_argument("--f32", action="store_true", help="f32 matrices")
    parser.add_argument("--rounded", action="store_true", help="round the f32 matrices to bf16 values")
    args = parser.parse_args()
    model = load_best(args.name)
    export(round_matrices(model) if args.rounded else model, args.title or args.name, args.out, args.f32)
    print(f"{args.out}: {model.n_parameters():,} parameters, {args.out.stat().st_size:,} bytes")


if __name__ == "__main__":
    main()
