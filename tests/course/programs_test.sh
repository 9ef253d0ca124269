#!/usr/bin/env bash
# The chapters' programs as a user meets them: programs_test.sh PROGRAM, of the same build.
set -u
build=$(cd "$(dirname "$1")/../.." && pwd)
source=$(cd "$(dirname "$0")/../.." && pwd)
. "$(dirname "$0")/shell_testing.sh"
naive=$build/01_naive_generation_solution_run
cached=$build/02_kv_cache_solution_run

# What the chapters declare is what their programs can do.
for verbs in "$source"/tests/*/verbs.csv; do
  program=$build/$(basename "$(dirname "$verbs")")_solution_run
  "$program" --describe >description.json || fail "$program does not describe itself"
  sed '1d; s/^\([^,]*\),"*\([^"]*\)"*$/\1:\2/' "$verbs" | sort >declared
  sed -n '/"name": "[a-z]*",/{N; s/.*"name": "\(.*\)",.*"summary": "\(.*\)".*/\1:\2/p}' description.json | sort >brought
  cmp -s declared brought || fail "$verbs declares $(cat declared), but $program brings $(cat brought)"
done

# Files that are no models. The last one is complete, but its last weight is a NaN in bf16.
temporary_folder
draft=$source/datasets/models/austen-draft.gguf
: >empty.gguf
mkdir folder.gguf
echo 'no model' >text.gguf
head -c 100000 "$draft" >cut.gguf
{ head -c -2 "$draft"; printf '\300\177'; } >nan.gguf

# Options that contradict each other or are out of range.
for program in "$naive" "$cached"; do
  expect 0 'Example: ' "$program" --help
  expect 1 'the prompt is empty: give it some text' "$program" --prompt ''
  expect 1 'the prompt is empty: give it some text' "$program" ''
  expect 1 'the message of --chat is empty: give it some text' "$program" --chat ''
  expect 1 'not valid UTF-8: its byte 1 ' "$program" --prompt $'a\xff'
  expect 1 'there is no model nowhere.gguf: give austen' "$program" --model nowhere.gguf
  expect 1 ': --chat excludes --prompt' "$program" --prompt a --chat b
  expect 1 ': --system requires --chat$' "$program" --system a
  expect 1 'not expected: .*words$' "$program" several words
  expect 1 'no chat template; it continues text only' "$program" --chat b
  expect 1 'must be a whole number from 1 to 1000000000, not -1' "$program" --max-tokens -1
  expect 1 'must be a number from 0, not warm' "$program" --temperature warm
  expect 1 'must be above 0 and at most 1, not 1.5' "$program" --top-p 1.5
  expect 1 '^--seed: must be a whole number from 0 to 18446744073709551615, not -1$' "$program" --seed -1
  expect 1 '^--seed: .*, not 18446744073709551616$' "$program" --seed 18446744073709551616
  expect 1 'the prompt has [0-9]* tokens, but the model.s context holds 512$' "$program" --prompt "$(printf 'word %.0s' $(seq 600))"
  expect 1 'cannot write the record to /nowhere/record.json' "$program" --record /nowhere/record.json

  # Files that are no models, and a disk that is full.
  expect 1 'empty.gguf: the file is empty$' "$program" --model empty.gguf
  expect 1 'folder.gguf: is a folder, not a file$' "$program" --model folder.gguf
  expect 1 'text.gguf: is not a GGUF file' "$program" --model text.gguf
  expect 1 'cut.gguf: .* is larger than the whole file of 100000 bytes$' "$program" --model cut.gguf
  expect 1 'nan.gguf: .* holds a number that is not finite, in row 95$' "$program" --model nan.gguf
  to_full_disk() { "$program" --model austen-draft -n 2 >/dev/full; }
  [ ! -c /dev/full ] || expect 1 '^[0-9a-z_]*: cannot write the text: No space left on device$' to_full_disk
done

# A text as a plain argument, several texts, and the device before the text.
expect 0 '^It was ' "$naive" 'It was' -n 2
expect 0 '^She was ' "$cached" --prompt 'It was' --prompt 'She was' -n 2
expect 0 'KV cache on cpu: 2 prompts, ' "$cached" --prompt 'It was' --prompt 'She was' -n 2
text_with_device() { "$cached" --cuda 'It was' -n 2 2>&1 | grep -A 1 -F '[device: '; }
expect 0 '^It was ' text_with_device

# Ctrl-C ends the text, not the program.
"$naive" -n 100000 --model austen-draft >text 2>summary & # the context of 512 tokens is not filled yet when it comes
for _ in $(seq 200); do [ "$(wc -c <text)" -gt 60 ] && break; sleep 0.05; done
kill -INT $!
wait $!
[ $? = 130 ] || fail 'Ctrl-C does not end with status 130'
grep -q '^\[naive generation on cpu: interrupted, ' summary || fail "no summary after Ctrl-C: $(cat summary)"

# Chapter 02 beside chapter 01.
expect 0 'KV cache against naive generation: .*; the same tokens\]$' "$cached" --prompt 'It was' -n 12 --compare 01
expect 1 '03 not in \{01\}' "$cached" --compare 03
expect 1 'runs on the CPU only: leave out --cuda' "$cached" --compare 01 --cuda

# The bill: Llama-3.1-8B in 16 bits is 8,030,261,248 * 2 bytes = 14.958 GiB, and 8,192 tokens at 131,072 bytes are 1 GiB.
expect 0 '^weights +14.958 GiB' "$cached" fits --model Llama-3.1-8B --context 8192 --batch 16 --device H100-SXM
expect 0 '^KV cache, 131072 bytes a token +16.000 GiB' "$cached" fits --model Llama-3.1-8B --context 8192 --batch 16 --device H100-SXM
expect 0 'It fits. At context 8192 the largest batch is 64;' "$cached" fits --model Llama-3.1-8B --context 8192 --batch 16 --device H100-SXM
expect 0 '^missing +7.958 GiB' "$cached" fits --model Llama-3.1-8B --context 8192 --batch 1 --device 8
expect 0 'It does not fit. Not even the weights do.' "$cached" fits --model Llama-3.1-405B --device H200-SXM
expect 0 '^KV cache, 2048 bytes a token' "$cached" fits --model austen --kv-bits 32
expect 1 'there is no model nope: .*; published shapes are SmolLM2-135M' "$cached" fits --model nope
expect 1 'there is no device nope: give a number of GiB, or one of A100-80GB' "$cached" fits --device nope
expect 1 'there is no device -3: ' "$cached" fits --device -3
expect 1 'must be a whole number from 1 to 1000000000, not 0' "$cached" fits --context 0
expect 1 'must be a whole number from 1 to 64, not 65' "$cached" fits --kv-bits 65
expect 1 'larger than any memory' "$cached" fits --context 1000000000 --batch 1000000000

# The experiments.
expect 0 '^    1  \.##$' "$cached" --cache-validity --prompt 'one two three'
expect 0 '^latent of 64 +1024 +34\.' "$cached" --low-rank-kv
finish
