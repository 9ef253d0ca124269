"""Step 3: one training loop for every model of this folder. `python training.py configs/austen-target.toml`

It writes, under `build/NAME/`: `checkpoint.pt` (to resume from), `best.pt` (the weights with the lowest validation
loss) and `log.csv`. Stop it as you like: the same command goes on from the last checkpoint, and the weights have the
same bytes as those of an uninterrupted run on that machine. `n_steps` and `decay_steps` may be changed until the decay
has begun.
"""

import argparse
import csv
import math
import os
import shutil
import time
import tomllib
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import torch
from tokenizers import Tokenizer
from torch import Tensor
from torch.nn import functional as F

from corpus import Windows, read_tokens, scoring_windows
from trunk import ModelConfig, Trunk

DATASETS = Path(__file__).resolve().parent.parent
BUILD = DATASETS / "build"
LOG_COLUMNS = ["step", "tokens", "seconds", "learning_rate", "train_loss", "validation_loss", "validation_bpc"]
NEEDED_DISK_MIB, NEEDED_MEMORY_MIB = 500, 3000


@dataclass(frozen=True)
class TrainingConfig:
    seed: int
    n_steps: int
    warmup_steps: int
    decay_steps: int  # the last so many steps: the learning rate falls to zero, and sequences are long
    batch_tokens: int  # a step sees this many tokens
    window: int  # tokens of a training sequence, before the decay ...
    final_window: int  # ... and during it
    learning_rate: float  # between warm-up and decay
    weight_decay: float
    clip_norm: float
    validate_every: int  # steps
    checkpoint_minutes: float = 3.0
    teacher: str = ""  # name of the model to distil from, if any
    threads: int = 2


def load_config(path: Path) -> tuple[ModelConfig, TrainingConfig]:
    options = tomllib.loads(path.read_text())
    return ModelConfig(**options["model"]), TrainingConfig(**options["training"])


def load_best(name: str) -> Trunk:
    """The trained model `name`, ready for evaluation."""
    saved = torch.load(BUILD / name / "best.pt", weights_only=True)
    model = Trunk(ModelConfig(**saved["config"]))
    model.load_state_dict(saved["model"])
    return model.eval()


def load_tokenizer() -> Tokenizer:
    return Tokenizer.from_file(str(BUILD / "tokenizer.json"))


def refuse_if_short(folder: Path) -> None:
    free_disk = shutil.disk_usage(folder).free >> 20
    if free_disk < NEEDED_DISK_MIB:
        raise SystemExit(f"Training needs {NEEDED_DISK_MIB} MiB of disk in {folder}, and {free_disk} MiB are free.")
    meminfo = Path("/proc/meminfo")
    if meminfo.exists():
        fields = dict(line.split(":") for line in meminfo.read_text().splitlines())
        free_memory = int(fields["MemAvailable"].split()[0]) >> 10
        if free_memory < NEEDED_MEMORY_MIB:
            raise SystemExit(f"Training needs {NEEDED_MEMORY_MIB} MiB of memory, and {free_memory} MiB are available.")


def save(data: dict, path: Path) -> None:
    """Writes beside `path`, then renames: a kill at any moment leaves the old file or the new one, both whole."""
    partial = path.with_suffix(".partial")
    try:
        with partial.open("wb") as file:
            torch.save(data, file)
            file.flush()
            os.fsync(file.fileno())
        partial.replace(path)
    except (OSError, RuntimeError) as error:
        raise SystemExit(f"Could not write {path}: {error}") from None


def learning_rate(step: int, c: TrainingConfig) -> float:
    """Warm-up, constant, linear decay: before the decay nothing depends on the number of steps."""
    return c.learning_rate * min(1.0, (step + 1) / c.warmup_steps, (c.n_steps - step) / c.decay_steps)


def window(step: int, c: TrainingConfig) -> int:
    return c.window if step < c.n_steps - c.decay_steps else c.final_window


def make_optimizers(model: Trunk, c: TrainingConfig) -> list[torch.optim.Optimizer]:
    """Muon turns the layers' matrices, AdamW the embedding and the norms; one learning rate fits both."""
    hidden = [p for p in model.layers.parameters() if p.dim() == 2]
    vectors = [p for p in model.parameters() if p.dim() == 1]
    adam_groups = [
        {"params": [model.embedding.weight], "weight_decay": c.weight_decay},
        {"params": vectors, "weight_decay": 0.0},
    ]
    return [
        torch.optim.Muon(hidden, lr=c.learning_rate, weight_decay=c.weight_decay, adjust_lr_fn="match_rms_adamw"),
        torch.optim.AdamW(adam_groups, lr=c.learning_rate, betas=(0.9, 0.95)),
    ]


def cross_entropy(logits: Tensor, targets: Tensor) -> Tensor:
    """Mean nats a token.   @param logits [..., vocab_size]   @param targets [...]"""
    return F.cross_entropy(logits.float().flatten(0, -2), targets.flatten())


def distillation_loss(logits: Tensor, teacher_logits: Tensor) -> Tensor:
    """Mean KL(teacher || student) in nats a token.   @param logits, teacher_logits [B, T, vocab_size]"""
    student = F.log_softmax(logits.float().flatten(0, -2), dim=-1)
    teacher = F.log_softmax(teacher_logits.float().flatten(0, -2), dim=-1)
    return F.kl_div(student, teacher, reduction="batchmean", log_target=True)


@torch.no_grad()
def total_nats(model: Trunk, tokens: np.ndarray, window: int, stride: int) -> float:
    """Nats of all tokens but the first, in sliding windows.   @param tokens [T]"""
    model.eval()
    nats = 0.0
    for inputs, targets, skip in scoring_windows(tokens, window, stride):
        nats += F.cross_entropy(model(inputs)[0, skip:], targets[skip:], reduction="sum").item()
    return nats


class Run:
    """The state of one training run and the loop that advances it."""

    # What a checkpoint holds beside the weights and the optimizers.
    PROGRESS = ("step", "seconds", "recent", "best_loss", "best_weights", "log")

    def __init__(self, name: str, model_config: ModelConfig, config: TrainingConfig):
        self.name, self.config = name, config
        self.folder = BUILD / name
        self.folder.mkdir(parents=True, exist_ok=True)
        refuse_if_short(self.folder)
        torch.set_num_threads(config.threads)
        torch.use_deterministic_algorithms(True)
        torch.manual_seed(config.seed)

        tokenizer = load_tokenizer()
        text = DATASETS / "text"
        self.windows = Windows(read_tokens(text / "austen-train.txt", tokenizer), config.seed)
        self.validation = read_tokens(text / "austen-validation.txt", tokenizer)
        self.n_validation_chars = len((text / "austen-validation.txt").read_text(encoding="utf-8"))

        self.model = Trunk(model_config)
        self.teacher = load_best(config.teacher) if config.teacher else None
        self.optimizers = make_optimizers(self.model, config)
        self.step, self.seconds = 0, 0.0
        self.best_loss: float = math.inf
        self.best_weights: dict[str, Tensor] | None = None
        self.recent: list[float] = []  # training losses since the last validation
        self.log: list[list] = []
        self._resume()

    def _resume(self) -> None:
        path = self.folder / "checkpoint.pt"
        if not path.exists():
            return
        saved = torch.load(path, weights_only=True)
        ours, theirs = self._options(), saved["options"]
        # Until the decay begins, nothing has depended on when it begins: the length of a run may still be changed.
        lengths = {(o["training"].pop("n_steps"), o["training"].pop("decay_steps")) for o in (ours, theirs)}
        decay_start = min(n_steps - decay_steps for n_steps, decay_steps in lengths)
        if ours != theirs or (len(lengths) > 1 and saved["step"] > decay_start):
            raise SystemExit(f"{path} was made with other options; remove {self.folder} to start again.")
        self.model.load_state_dict(saved["model"])
        for optimizer, state in zip(self.optimizers, saved["optimizers"], strict=True):
            optimizer.load_state_dict(state)
        for name in self.PROGRESS:
            setattr(self, name, saved[name])
        print(f"{self.name}: resumed at step {self.step}", flush=True)

    def _options(self) -> dict:
        return {"model": dict(vars(self.model.config)), "training": dict(vars(self.config))}

    def _checkpoint(self) -> None:
        state = {name: getattr(self, name) for name in self.PROGRESS}
        state["model"] = self.model.state_dict()
        state["optimizers"] = [optimizer.state_dict() for optimizer in self.optimizers]
        save(state | {"options": self._options()}, self.folder / "checkpoint.pt")
        if self.best_weights is not None:
            save({"config": vars(self.model.config), "model": self.best_weights}, self.folder / "best.pt")
        with (self.folder / "log.csv").open("w", newline="") as file:
            writer = csv.writer(file, lineterminator="\n")
            writer.writerows([LOG_COLUMNS, *self.log])

    def _train_step(self) -> float:
        """One optimizer step.   @return the loss that was minimised, nats a token"""
        c = self.config
        torch.manual_seed(c.seed * 1_000_003 + self.step)  # dropout, too, is a function of (seed, step)
        n = window(self.step, c)
        inputs, targets = self.windows.batch(self.step, c.batch_tokens // n, n)
        for optimizer in self.optimizers:
            for group in optimizer.param_groups:
                group["lr"] = learning_rate(self.step, c)
        self.model.train()
        with torch.autocast("cpu", dtype=torch.bfloat16):  # bf16 products; the weights stay f32
            logits = self.model(inputs)
            if self.teacher is None:
                loss = cross_entropy(logits, targets)
            else:
                with torch.no_grad():
                    teacher_logits = self.teacher(inputs)
                loss = distillation_loss(logits, teacher_logits)
        loss.backward()
        torch.nn.utils.clip_grad_norm_(self.model.parameters(), c.clip_norm)
        for optimizer in self.optimizers:
            optimizer.step()
            optimizer.zero_grad()
        self.step += 1
        return loss.item()

    def _validate(self) -> None:
        n = window(self.step - 1, self.config)
        nats = total_nats(self.model, self.validation, n, stride=n)
        loss = nats / (len(self.validation) - 1)
        bpc = nats / math.log(2) / self.n_validation_chars
        if loss < self.best_loss:
            self.best_loss = loss
            self.best_weights = {k: v.clone() for k, v in self.model.state_dict().items()}
        train_loss = sum(self.recent) / len(self.recent)
        self.recent.clear()
        rate = learning_rate(self.step - 1, self.config)
        row = [self.step, self.step * self.config.batch_tokens, round(self.seconds, 1), f"{rate:.3g}"]
        self.log.append([*row, round(train_loss, 4), round(loss, 4), round(bpc, 4)])

    def _report(self, seconds_a_step: float) -> None:
        if self.recent:
            news = f"loss {sum(self.recent) / len(self.recent):.3f}"
        else:
            news = "loss {}, validation {} nats a token = {} bits a character".format(*self.log[-1][-3:])
        left = seconds_a_step * (self.config.n_steps - self.step) / 60
        print(f"{self.name}: step {self.step}/{self.config.n_steps}, {news}, {left:.1f} min left", flush=True)

    def train(self) -> None:
        c = self.config
        print(f"{self.name}: {self.model.n_parameters():,} parameters, {len(self.windows.tokens):,} tokens", flush=True)
        started = last_checkpoint = last_report = now = time.monotonic()
        first_step = self.step
        while self.step < c.n_steps:
            before = now
            self.recent.append(self._train_step())
            if self.step % c.validate_every == 0 or self.step == c.n_steps:
                self._validate()
            now = time.monotonic()
            self.seconds += now - before
            if not self.recent or now - last_report > 20:
                self._report((now - started) / (self.step - first_step))
                last_report = now
            if now - last_checkpoint > 60 * c.checkpoint_minutes:
                self._checkpoint()
                last_checkpoint = now
        self._checkpoint()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("config", type=Path, help="a file of configs/")
    args = parser.parse_args()
    Run(args.config.stem, *load_config(args.config)).train()


if __name__ == "__main__":
    main()
