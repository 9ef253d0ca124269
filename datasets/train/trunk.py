"""The trunk that every model of the course shares: embedding, layers, final norm, tied output matrix.

A layer is `x + mixer(norm(x))`, then `x + mlp(norm(x))`. The mixer is the seam: the target and the draft use
`Attention`; another variant passes its own `make_mixer` and keeps the rest. Names and conventions are those of GGUF's
`llama` architecture, so that a file needs no permuted rows: adjacent pairs rotate (interleaved RoPE).

Shape letters: B sequences, T tokens, H heads, D head_dim.
"""

from collections.abc import Callable
from dataclasses import dataclass

import torch
from torch import Tensor, nn
from torch.nn import functional as F


@dataclass(frozen=True)
class ModelConfig:
    vocab_size: int
    seq_len: int
    d_model: int
    n_layers: int
    n_heads: int
    n_kv_heads: int
    head_dim: int
    d_ff: int
    rope_base: float = 10000.0
    norm_eps: float = 1e-5
    dropout: float = 0.0

    def __post_init__(self) -> None:
        if self.n_heads % self.n_kv_heads or self.head_dim % 2:
            raise ValueError("n_heads must be a multiple of n_kv_heads, and head_dim even")


class RmsNorm(nn.Module):
    def __init__(self, size: int, eps: float):
        super().__init__()
        self.weight = nn.Parameter(torch.ones(size))
        self.eps = eps

    def forward(self, x: Tensor) -> Tensor:
        return F.rms_norm(x, self.weight.shape, self.weight, self.eps)


def rotation_angles(positions: Tensor, head_dim: int, base: float) -> tuple[Tensor, Tensor]:
    """@param positions [T]   @return cosine and sine, each [T, D / 2]"""
    frequency = base ** (-torch.arange(0, head_dim, 2, dtype=torch.float64) / head_dim)
    angle = positions.double()[:, None] * frequency
    return angle.cos().float(), angle.sin().float()


def rotate_pairs(x: Tensor, cos: Tensor, sin: Tensor) -> Tensor:
    """Rotates (x[2i], x[2i + 1]) by its angle.   @param x [B, H, T, D]   @return [B, H, T, D]"""
    even, odd = x[..., 0::2], x[..., 1::2]
    return torch.stack((even * cos - odd * sin, even * sin + odd * cos), dim=-1).flatten(-2)


class Attention(nn.Module):
    """Grouped-query attention: query head h reads key/value head h // (n_heads / n_kv_heads)."""

    def __init__(self, config: ModelConfig):
        super().__init__()
        self.config = config
        q_size, kv_size = config.n_heads * config.head_dim, config.n_kv_heads * config.head_dim
        self.q = nn.Linear(config.d_model, q_size, bias=False)
        self.k = nn.Linear(config.d_model, kv_size, bias=False)
        self.v = nn.Linear(config.d_model, kv_size, bias=False)
        self.output = nn.Linear(q_size, config.d_model, bias=False)

    def forward(self, x: Tensor, rotation: tuple[Tensor, Tensor], visible: Tensor | None) -> Tensor:
        """@param x [B, T, d_model]   @param visible [T, T] or None: causal   @return [B, T, d_model]"""
        c = self.config
        n_sequences, n_tokens, _ = x.shape

        def heads(projected: Tensor, n: int) -> Tensor:
            return projected.view(n_sequences, n_tokens, n, c.head_dim).transpose(1, 2)

        q = rotate_pairs(heads(self.q(x), c.n_heads), *rotation)
        k = rotate_pairs(heads(self.k(x), c.n_kv_heads), *rotation)
        v = heads(self.v(x), c.n_kv_heads)
        group = c.n_heads // c.n_kv_heads
        k, v = k.repeat_interleave(group, dim=1), v.repeat_interleave(group, dim=1)
        mixed = F.scaled_dot_product_attention(q, k, v, attn_mask=visible, is_causal=visible is None)
        return self.output(mixed.transpose(1, 2).flatten(-2))


class GatedMlp(nn.Module):
    def __init__(self, config: ModelConfig):
        super().__init__()
        self.gate = nn.Linear(config.d_model, config.d_ff, bias=False)
        self.up = nn.Linear(config.d_model, config.d_ff, bias=False)
        self.down = nn.Linear(config.d_ff, config.d_model, bias=False)

    def forward(self, x: Tensor) -> Tensor:
        return self.down(F.silu(self.gate(x)) * self.up(x))


class Layer(nn.Module):
    def __init__(self, config: ModelConfig, mixer: nn.Module):
        super().__init__()
        self.mixer_norm = RmsNorm(config.d_model, config.norm_eps)
        self.mixer = mixer
        self.mlp_norm = RmsNorm(config.d_model, config.norm_eps)
        self.mlp = GatedMlp(config)
        self.dropout = nn.Dropout(config.dropout)

    def forward(self, x: Tensor, rotation: tuple[Tensor, Tensor], visible: Tensor | None) -> Tensor:
        x = x + self.dropout(self.mixer(self.mixer_norm(x), rotation, visible))
        return x + self.dropout(self.mlp(self.mlp_norm(x)))


class Trunk(nn.Module):
    """@param make_mixer called with (config, layer number); returns a module called as `Attention` is"""

    def __init__(
        self,
        config: ModelConfig,
        make_mixer: Callable[[ModelConfig, int], nn.Module] = lambda config, layer: Attention(config),
    ):
        super().__init__()
        self.config = config
        self.embedding = nn.Embedding(config.vocab_size, config.d_model)
        self.layers = nn.ModuleList(Layer(config, make_mixer(config, i)) for i in range(config.n_layers))
        self.final_norm = RmsNorm(config.d_model, config.norm_eps)
        self.dropout = nn.Dropout(config.dropout)
        self.apply(self._initialise)
        # Each layer adds twice to the residual stream; smaller steps keep its variance level at the start.
        for layer in self.layers:
            for last in (layer.mixer.output, layer.mlp.down):
                last.weight.data.div_((2 * config.n_layers) ** 0.5)

    @staticmethod
    def _initialise(module: nn.Module) -> None:
        if isinstance(module, (nn.Linear, nn.Embedding)):
            nn.init.normal_(module.weight, std=0.02)

    def embed(self, tokens: Tensor) -> Tensor:
        """@param tokens [B, T]   @return [B, T, d_model]"""
        return self.dropout(self.embedding(tokens))

    def run_layers(self, x: Tensor, visible: Tensor | None = None) -> Tensor:
        """The residual stream before the final norm.   @param x [B, T, d_model]   @return [B, T, d_model]"""
        positions = torch.arange(x.shape[1])
        rotation = rotation_angles(positions, self.config.head_dim, self.config.rope_base)
        for layer in self.layers:
            x = layer(x, rotation, visible)
        return x

    def logits(self, x: Tensor) -> Tensor:
        """@param x [..., d_model], before the final norm   @return [..., vocab_size]"""
        return F.linear(self.final_norm(x), self.embedding.weight)

    def forward(self, tokens: Tensor) -> Tensor:
        """@param tokens [B, T]   @return [B, T, vocab_size]"""
        return self.logits(self.run_layers(self.embed(tokens)))

    def n_parameters(self) -> int:
        return sum(p.numel() for p in self.parameters())
