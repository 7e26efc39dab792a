"""Makes chapters/_static/formulas.css again: STIX Two Math with the signs that a course needs.

The font stands in the sheet: Firefox loads no file of a font for a page opened from a disk.

    pip install fonttools brotli
    python .ci/math_font.py STIXTwoMath-Regular.otf

The font, version 2.13, comes from https://github.com/stipub/stixfonts: SIL Open Font Licence 1.1.
"""

import base64
import io
import sys
from pathlib import Path

from fontTools import subset
from fontTools.ttLib import TTFont

SHEET = Path(__file__).parents[1] / "chapters" / "_static" / "formulas.css"
HEAD, TAIL = "/* ---- the font, by .ci/math_font.py ---- */\n", "/* ---- end of the font ---- */\n"


def letters(first: int, count: int = 26) -> set[int]:
    """Return the code points of an alphabet."""
    return set(range(first, first + count))


ALPHABETS = (
    letters(0x1D434, 52),  # italic: what a browser puts in place of a single letter
    letters(0x1D400, 52),  # bold
    letters(0x1D49C),  # script
    letters(0x1D538),  # double-struck
    letters(0x1D6E2, 58),  # italic Greek
)
SIGNS = set(map(ord, "ℎℬℰℱℋℐℒℳℛℂℍℕℙℚℝℤℓ∂∇ħ")) | set(
    map(
        ord,
        (
            "°¬±·×÷¯ˆ˜ˇ˘˙¨´`‖‘’“”•…′″‴ "
            "←↑→↓↔↦⇐⇒⇔⟵⟶⟷⟸⟹⟺"
            "∀∃∅∈∉∋∏∑−∓∕∖∗∘∙√∝∞∠∣∥∧∨∩∪∫∼≃≅≈≔≠≡≤≥≪≫⊂⊃⊆⊇⊕⊖⊗⊙⊤⊥⋀⋁⋂⋃⋄⋅⋆⋮⋯⋱"
            "⌈⌉⌊⌋⏞⏟⎵⟦⟧⟨⟩⟮⟯□■△▽○●∎"
        ),
    )
)
GREEK = set(range(0x391, 0x3CA)) | set(map(ord, "ϵϑϕϱϖ"))
COMBINING = {0x302, 0x303, 0x304, 0x305, 0x307, 0x308, 0x30C, 0x20D7, 0x332, 0x338}
# a fraction in a sentence stands as close to its line as in TeX's own font
FRACTIONS = {"FractionNumeratorShiftUp": 410, "FractionDenominatorShiftDown": 365}
WANTED = set(range(0x20, 0x7F)) | SIGNS | GREEK | COMBINING | set().union(*ALPHABETS)


def small(font: Path) -> tuple[bytes, set[int]]:
    """Return the font as WOFF2, with what its table for formulas needs of each sign; its signs."""
    options = subset.Options(
        flavor="woff2", layout_features=["ssty", "dtls", "flac"], hinting=False,
        desubroutinize=False, name_IDs=[0, 1, 2, 13, 14], notdef_outline=True,
    )  # fmt: skip
    whole = TTFont(font)
    cutter = subset.Subsetter(options)
    cutter.populate(unicodes=WANTED & set(whole.getBestCmap()))
    cutter.subset(whole)
    constants = whole["MATH"].table.MathConstants
    for name, value in FRACTIONS.items():
        getattr(constants, name).Value = value
    out = io.BytesIO()
    subset.save_font(whole, out, options)
    return out.getvalue(), set(whole.getBestCmap())


def ranges(signs: set[int]) -> str:
    """Write code points as a style sheet does: U+41-5A, U+3B1."""
    ordered, runs = sorted(signs), []
    for sign in ordered:
        if runs and sign == runs[-1][1] + 1:
            runs[-1][1] = sign
        else:
            runs.append([sign, sign])
    return ", ".join(f"U+{a:X}" + (f"-{b:X}" if b > a else "") for a, b in runs)


def main(font: str) -> None:
    """Write the font between the marks of the style sheet."""
    written, signs = small(Path(font))
    data = base64.b64encode(written).decode()
    face = (
        '@font-face { font-family: "STIX Two Math Part"; font-display: block; '
        f"unicode-range: {ranges(signs)}; "
        f'src: url("data:font/woff2;base64,{data}") format("woff2"); }}\n'
    )
    sheet = SHEET.read_text(encoding="utf-8")
    start, end = sheet.index(HEAD) + len(HEAD), sheet.index(TAIL)
    SHEET.write_text(sheet[:start] + face + sheet[end:], encoding="utf-8")
    print(f"{SHEET.name}: {len(face) / 1000:.0f} kB")


if __name__ == "__main__":
    main(sys.argv[1])
