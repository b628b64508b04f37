// TeX to MathML with MathJax's own parser, run at build by book/_ext/formulas.py in an engine without a browser.
// MathJax also knows how wide TeX makes the space before each symbol; browsers guess it, so it is written down.
const SPACES = { thinmathspace: "0.167em", mediummathspace: "0.222em", thickmathspace: "0.278em" };
const PACKAGES = ["base", "ams", "boldsymbol", "newcommand"];

MathJax._.handlers.html_ts.RegisterHTMLHandler(MathJax._.adaptors.liteAdaptor.liteAdaptor());
const parser = new MathJax._.input.tex_ts.TeX({
  packages: PACKAGES,
  formatError: (_, error) => {
    throw new Error(error.message);
  },
});
const page = MathJax._.mathjax.mathjax.document("", { InputJax: parser });
const writer = new MathJax._.core.MmlTree.SerializedMmlVisitor.SerializedMmlVisitor();

function space(node) {
  const width = node.texSpacing ? SPACES[node.texSpacing()] || "0" : "0";
  if (node.isKind("mo") || (node.isEmbellished && node.coreMO)) {
    const core = node.isKind("mo") ? node : node.coreMO();
    for (const [side, size] of [["lspace", width], ["rspace", "0"]])
      if (!core.attributes.isSet(side)) core.attributes.set(side, size);
  } else if (width !== "0") {
    node.attributes.set("data-before", width);
  }
}

function typeset(latex, display) {
  const tree = page.convert(latex, { display, end: MathJax._.core.MathItem.STATE.CONVERT });
  tree.setTeXclass(null);
  tree.walkTree((node) => {
    if (node.attributes) space(node);
  });
  return writer.visitTree(tree);
}
