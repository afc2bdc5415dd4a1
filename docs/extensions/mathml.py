"""Formulas as MathML, which browsers draw without scripts, fonts or a network."""

import re

from docutils import nodes
from docutils.utils.math import latex2mathml

# Sizes of delimiters, which MathML chooses itself.
SIZES = re.compile(r"\\[Bb]igg?[lr]?(?![a-z])")


def convert(formula, **options):
    """Convert a formula from LaTeX."""
    return latex2mathml.tex2mathml(SIZES.sub("", formula), **options)


def visit_inline(translator, node):
    """Write a formula inside a sentence."""
    translator.body.append(convert(node.astext()))
    raise nodes.SkipNode


def visit_block(translator, node):
    """Write a formula in a paragraph of its own."""
    formula = convert(node.astext(), as_block=True)
    translator.body.append(translator.starttag(node, "div", CLASS="math-block"))
    translator.body.append(f"{formula}</div>\n")
    raise nodes.SkipNode


def setup(app):
    """Register the renderer."""
    app.add_html_math_renderer("mathml", (visit_inline, None), (visit_block, None))
    return {"parallel_read_safe": True, "parallel_write_safe": True}
