"""Writes smollm2.txt: 1,000 lines that try everything a tokenizer may meet. Deterministic; every line is composed
here from single words and characters, nothing is quoted from anywhere.

Lines end with "\\n" and hold none otherwise; they are byte strings, and about every tenth is not valid UTF-8.
Characters that are picked at random were assigned in Unicode 3.2, so that the answer does not depend on the Unicode
version of the library that classifies them.
"""

import random
import unicodedata

WORDS = {
    "english": "a the of to and in is that it wait less token cache memory model batch prompt reader river lantern "
               "unbelievable internationalization don't I'll we've you're she's they'd I'm o'clock x-ray e.g. naïve "
               "HTTPServer camelCase snake_case SHOUTING Mr. café antidisestablishmentarianism".split(),
    "german": "der Fluss über die Brücke straße größe Wörterbuch Geschwindigkeitsbegrenzung und läuft schnell".split(),
    "french": "l'eau déjà vu où çà être garçon aujourd'hui qu'il œuvre naïf".split(),
    "vietnamese": "tiếng Việt rất đẹp người nước không được những".split(),
    "russian": "вода течёт под мостом быстро и тихо память модель объём съёмка".split(),
    "greek": "το νερό κυλάει γρήγορα κάτω από τη γέφυρα ψηφίο".split(),
    "hebrew": "המים זורמים מהר שלום עולם מילה אחת".split(),
    "arabic": "الماء يجري بسرعة تحت الجسر كلمة واحدة مَرْحَبًا ٱلْعَالَم".split(),
    "hindi": "पानी तेज़ी से बहता है पुल के नीचे शब्द क्षेत्र श्रृंखला".split(),
    "tamil": "தண்ணீர் வேகமாக ஓடுகிறது பாலத்தின் கீழ்".split(),
    "thai": ["น้ำ", "ไหล", "เร็ว", "ใต้", "สะพาน", "ภาษาไทย"],
    "chinese": "水 流 得 很快 桥 下面 推理 优化 模型 缓存 等待 更少 读者 学习 龍 龜 𠮷".split(),
    "japanese": "水が はやく 流れる 橋の 下で カタカナ ｶﾀｶﾅ 推論 ー々 っ です。".split(),
    "korean": "물이 빠르게 흐른다 다리 아래 모델 캐시 학습".split(),
}
SPACELESS = {"thai", "chinese", "japanese"}
PUNCTUATION = list(".,;:!?") + ["...", "…", "—", " - ", "?!", "。", "、", "！", "،", "؟", "।", "«", "»", "“", "”", "’s", "'S"]
EMOJI = ["😀", "🙏🏽", "👩‍👩‍👧‍👦", "🏳️‍🌈", "🇯🇵", "🇺🇳🇧🇷", "❤️", "☕", "1️⃣", "👨🏿‍🚀", "🏴󠁧󠁢󠁳󠁣󠁴󠁿", "✈️", "🧑‍💻", "⌚︎", "🫠"]
SPACES = [" ", "  ", "   ", "        ", "\t", "\t\t", "\r", "\x0b", "\x0c", "\x85", "\xa0", "\u1680", "\u2002", "\u2003",
          "\u200a", "\u2028", "\u2029", "\u202f", "\u205f", "\u3000", "\u180e", "\u200b", "\u200d", "\u2060", "\ufeff"]
DIGITS = "0123456789" + "٠١٢٣٤٥" + "०१२३" + "１２３" + "½¾²³①⑳Ⅳⅻ〇"
CODE = ["int main(int argc, char** argv) {", "  return x[i]*y[j] + 0x7fff;", "}", "def f(self, *args, **kwargs):",
        "        if n<=1: return n", "#include <vector>", "// TODO(1.5): rows", "for (auto& [k,v] : map) k+=v;",
        "SELECT * FROM t WHERE id=42;", "<div class=\"a\">&nbsp;</div>", "\\frac{a}{b}^{2}", "a->b::c<d>()", "$HOME/.cache/*",
        "{\"id\": 7, \"top\": [1e-3, -2.5]}", "x = [[0]*8 for _ in range(8)]", "!!!", "=====", "-----", "/* ... */", "\t\treturn;"]
MARKS = [chr(c) for c in range(0x300, 0x330)] + ["\u05b0", "\u064b", "\u093c", "\u0e31", "\u20dd", "\u3099", "\ufe0f"]
NAMES = ["<|im_start|>", "<|im_end|>", "<|endoftext|>", "<repo_name>", "<|im_start", "|im_end|>", "<|IM_START|>", "<filename>"]
INVALID = [b"\x80", b"\xbf\xbf", b"\xc3", b"\xe4\xb8", b"\xf0\x9f\x98", b"\xc3(", b"\xe2\x28\xa1", b"\xed\xa0\x80", b"\xed\xbf\xbf",
           b"\xe0\x80\xaf", b"\xe0\x9f\xbf", b"\xf0\x80\x80\xaf", b"\xf4\x90\x80\x80", b"\xc2\xc2\xa9", b"\xe4\xb8\xe4\xb8\xad",
           b"\xc0\x80", b"\xf8\x88\x80\x80\x80", b"\xfe\xff", b"\xff\xfe"]
# Planes from U+40000 on begin with bytes (F1, F2) for which SmolLM2 has no token.
RARE = ["\U0001d11e", "\ufffd", "\ufffe", "\U0001ffff", "\U00040000", "\U000e0001", "\ue000", "\U0010ffff", "\x7f", "\x00"]


def phrase(pick, language=None):
    language = language or pick.choice(sorted(WORDS))
    words = [pick.choice(WORDS[language]) for _ in range(pick.randint(1, 9))]
    out = ""
    for i, word in enumerate(words):
        out += ("" if i == 0 or language in SPACELESS else " ") + word
        if pick.random() < 0.2:
            out += pick.choice(PUNCTUATION)
    return out


def number(pick):
    digits = "".join(pick.choice(DIGITS[:10] if pick.random() < 0.8 else DIGITS) for _ in range(pick.randint(1, 9)))
    return pick.choice(["", "-", "$", "€", "#", "v", "0x"]) + digits + pick.choice(["", ".5", ",000", "%", "th", "e-3", "'s", "°C"])


def any_character(pick):
    while True:
        character = chr(pick.choice([pick.randrange(0x20, 0x250), pick.randrange(0x250, 0x3000), pick.randrange(0x3000, 0xfffd)]))
        if unicodedata.ucd_3_2_0.category(character) not in ("Cn", "Cs", "Co"):
            return character


def invalid_line(pick):
    line = b""
    for _ in range(pick.randint(1, 5)):
        line += pick.choice([
            pick.choice(INVALID),
            phrase(pick).encode(),
            bytes(pick.choice([b for b in range(256) if b != 10]) for _ in range(pick.randint(1, 12))),
            phrase(pick).encode()[:-1],
            b" ",
        ])
    return line


def line(pick, i):
    spaced = lambda parts: "".join(part + pick.choice(SPACES[:5] if pick.random() < 0.5 else SPACES) for part in parts)
    several = lambda make, most: [make() for _ in range(pick.randint(1, most))]
    kinds = [
        lambda: phrase(pick, "english"),
        lambda: phrase(pick),
        lambda: " ".join(several(lambda: phrase(pick), 3)),
        lambda: "".join(several(lambda: pick.choice(EMOJI), 5)) + " " + phrase(pick),
        lambda: " ".join(several(lambda: number(pick), 5)) + pick.choice(["", " " + phrase(pick)]),
        lambda: pick.choice(CODE) + pick.choice(["", "  ", "\t", "\r"]) + pick.choice(CODE),
        lambda: pick.choice(SPACES) + spaced(several(lambda: pick.choice([phrase(pick, "english"), number(pick), "", "."]), 4)),
        lambda: "".join(c + "".join(several(lambda: pick.choice(MARKS), 2)) for c in pick.choice(WORDS["english"])),
        lambda: unicodedata.normalize(pick.choice(["NFD", "NFC", "NFKC"]), phrase(pick)),
        lambda: "".join(several(lambda: any_character(pick), 20)),
        lambda: phrase(pick) + "".join(several(lambda: chr(pick.choice([c for c in range(1, 0x20) if c != 10])), 4)) + phrase(pick),
        lambda: phrase(pick) + pick.choice(NAMES) + pick.choice(["", "user", " ", phrase(pick)]) + pick.choice(NAMES),
        lambda: pick.choice(["a", " ", "=", "ha", "0", "的", "!", ".", "\t"]) * pick.randint(2, 60),
        lambda: phrase(pick) + "".join(several(lambda: pick.choice(RARE), 2)),
    ]
    if i % 10 == 9:
        return invalid_line(pick)
    return kinds[i % len(kinds)]().encode()


def make_text():
    pick = random.Random(2026)
    lines = [line(pick, i) for i in range(1000)]
    lines[0], lines[1], lines[2] = b"", b" ", "\ufeffwait".encode()
    assert all(b"\n" not in it for it in lines)
    return lines


if __name__ == "__main__":
    import pathlib
    pathlib.Path(__file__).with_name("smollm2.txt").write_bytes(b"\n".join(make_text()) + b"\n")
