"""Writes what independent implementations compute for a model: NAME.expected.json, read by the tests of chapter 01.

    pip install gguf llama-cpp-python transformers accelerate torch
    python make_expected_smollm2.py MODEL.gguf NAME.expected.json [--prompts PROMPTS.json]

llama.cpp runs an F32 file of the dequantized weights with an F32 cache: on a quantized file it would quantize the
activations as well. Its logits are then compared with those of transformers in double precision.

The result is a list of prompts:
    prompt, chat   the text, and whether it is a user's turn in the model's chat template
    token_ids      the whole input
    top            the 20 largest logits after the last token: [id, logit], descending
    greedy         the 32 tokens that follow if the most probable one is taken each time, stop tokens or not
In every step of `greedy` the best logit leads by at least 1e-3, so that rounding cannot change the continuation.
"""

import argparse
import json
import pathlib
import tempfile

import numpy
from gguf import GGUFReader, GGUFValueType, GGUFWriter
from gguf.quants import dequantize

PROMPTS = [
    {"prompt": "Are dogs real?", "chat": True},
    {"prompt": "The capital of France", "chat": False},
    {"prompt": "def fibonacci(n):\n    if n < 2:\n        return n\n    return", "chat": False},
    {"prompt": "At inference time the processor mostly waits for data. Every weight of the model is read from memory once for "
               "each token, and the arithmetic that is done with it takes far less time than the reading. The obvious "
               "conclusion is that", "chat": False},
    {"prompt": "In 1969, 3 people flew to the", "chat": False},
]
N_TOP, N_GREEDY, SMALLEST_LEAD = 20, 32, 1e-3


def write_f32(source, target):
    """Writes the model of one GGUF file into another with all tensors dequantized to F32."""
    reader = GGUFReader(source)
    writer = GGUFWriter(target, "llama")
    for name, field in reader.fields.items():
        if name.startswith("GGUF.") or name == "general.architecture":
            continue
        value = 0 if name == "general.file_type" else field.contents()
        is_array = field.types[0] == GGUFValueType.ARRAY
        writer.add_key_value(name, value, field.types[0], sub_type=field.types[-1] if is_array else None)
    for tensor in reader.tensors:
        writer.add_tensor(tensor.name, dequantize(tensor.data, tensor.tensor_type).astype(numpy.float32))
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()


class LlamaCpp:
    def __init__(self, path):
        from llama_cpp import GGML_TYPE_F32, Llama
        self.llama = Llama(path, n_ctx=512, logits_all=True, type_k=GGML_TYPE_F32, type_v=GGML_TYPE_F32, flash_attn=False,
                           verbose=False)

    def tokenize(self, prompt, chat):
        """The ids of a text, or of a user's turn rendered by the template of the file."""
        if not chat:
            return self.llama.tokenize(prompt.encode(), add_bos=False, special=False)
        import jinja2
        template = self.llama.metadata["tokenizer.chat_template"]
        environment = jinja2.Environment(trim_blocks=True, lstrip_blocks=True)  # as transformers does
        text = environment.from_string(template).render(messages=[{"role": "user", "content": prompt}], add_generation_prompt=True)
        return self.llama.tokenize(text.encode(), add_bos=False, special=True)

    def logits(self, new_ids, restart):
        """The logits after the last of new_ids, which follow what was given before unless restart is set."""
        if restart:
            self.llama.reset()
        self.llama.eval(new_ids)
        return self.llama.scores[self.llama.n_tokens - 1].copy()


class Transformers:
    def __init__(self, path):
        import torch
        import transformers
        path = pathlib.Path(path)
        self.torch = torch
        self.model = transformers.AutoModelForCausalLM.from_pretrained(path.parent, gguf_file=path.name, dtype=torch.float32)
        self.model = self.model.double().eval()

    def logits(self, ids):
        with self.torch.no_grad():
            return self.model(self.torch.tensor([ids])).logits[0].numpy()


def compute(model, prompt):
    ids = model.tokenize(**prompt)
    logits = model.logits(ids, restart=True)
    order = numpy.argsort(-logits, kind="stable")
    result = prompt | {"token_ids": ids, "top": [[int(i), round(float(logits[i]), 6)] for i in order[:N_TOP]], "greedy": []}
    for _ in range(N_GREEDY):
        second, first = numpy.argsort(logits)[-2:]
        if logits[first] - logits[second] < SMALLEST_LEAD:
            raise SystemExit(f"{prompt['prompt']!r}: the best two tokens are too close; choose another prompt")
        result["greedy"].append(int(first))
        logits = model.logits([int(first)], restart=False)
    return result


def check(model, result):
    """@return the largest difference of the top logits between llama.cpp and transformers."""
    ids = result["token_ids"]
    logits = model.logits(ids + result["greedy"][:-1])
    last = logits[len(ids) - 1]
    assert numpy.argmax(logits[len(ids) - 1:], axis=1).tolist() == result["greedy"], "greedy continuations differ"
    return max(abs(last[i] - logit) for i, logit in result["top"])


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("gguf")
    parser.add_argument("output")
    parser.add_argument("--prompts", help="a JSON list of {prompt, chat}")
    arguments = parser.parse_args()
    prompts = json.loads(pathlib.Path(arguments.prompts).read_text()) if arguments.prompts else PROMPTS

    with tempfile.TemporaryDirectory() as folder:
        f32 = str(pathlib.Path(folder) / "f32.gguf")
        write_f32(arguments.gguf, f32)
        llama_cpp = LlamaCpp(f32)
        results = [compute(llama_cpp, prompt) for prompt in prompts]
        transformers = Transformers(f32)
        for result in results:
            print(f"{len(result['token_ids']):4} tokens, largest difference {check(transformers, result):.1e}: {result['prompt']!r}")
            print("     ->", repr(llama_cpp.llama.detokenize(result["greedy"]).decode(errors="replace")))
    lines = ",\n".join(json.dumps(result, ensure_ascii=False) for result in results)
    pathlib.Path(arguments.output).write_text(f"[\n{lines}\n]\n")


if __name__ == "__main__":
    main()
