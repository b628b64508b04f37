r"""Tokens to a syntax tree: terms, products and what takes the rest of a term as its operand.

Conventions. ∑, ∇ and d/dx reach to the end of their term. A function without a bracket takes one factor, or a
number with the symbols that follow it (\log2\pi v); so does a slash (x/2v). Whatever else could be read in
two ways (a/bc, \log x y) is refused.
"""

from __future__ import annotations

from chapters_src.studio.formula import tree
from chapters_src.studio.formula.atoms import BUILT_IN
from chapters_src.studio.formula.brackets import Brackets
from chapters_src.studio.formula.errors import FormulaError
from chapters_src.studio.formula.tokens import Token
from chapters_src.studio.formula.tree import Node, factors_of, product

ENTRYWISE = ("odot", "oslash", "otimes")
SMOOTH = ("log", "ln", "sin", "cos", "tan", "sinh", "cosh", "tanh")


class Parser(Brackets):
    """Reads an expression."""

    def expression(self) -> Node:
        """Terms with signs."""
        terms = [self._signed()]
        while self.on("op", "+", "-"):
            terms.append(self._signed())
        return terms[0] if len(terms) == 1 else tree.Sum(tuple(terms))

    def _signed(self) -> Node:
        negative = self.on("op", "-")
        if not self.take("op", "+", "-") and self.on("op", "pm"):
            self.refuse("has two values")
        term = self.term()
        return tree.Negative(term) if negative else term

    def term(self) -> Node:
        """Factors side by side, between ⊙, and over a slash."""
        left, loose = self._run()
        while self.on("op", *ENTRYWISE):
            operator = self.next().text
            right, right_loose = self._run()
            left = tree.Entrywise(operator, left, right, (loose, right_loose))
            loose = False
        return left

    def _run(self) -> tuple[Node, bool]:
        """A product without brackets, and whether it has several factors."""
        start = self.at
        factors: list[Node] = []
        while True:
            if factors and self.take("op", "cdot", "times"):
                factors.append(self.factor())
            elif factors and self.take("op", "/"):
                quotient = tree.Quotient(product(factors), self._denominator())
                if self.starts_factor() or self.on("op", "/", "cdot", "times"):
                    self.refuse("is ambiguous: put brackets around what stands below the slash", start)
                return quotient, False
            elif self.starts_factor():
                if self.on("digit") and factors and isinstance(factors[-1], tree.Number):
                    self.refuse("is a number after a number", start)
                factors.append(self.factor())
            elif factors:
                return product(factors), len(factors) > 1
            else:
                self.refuse("stands where a factor should")

    def _denominator(self) -> Node:
        return self.monomial() if self.on("digit") else self.factor()

    def monomial(self) -> Node:
        """A number and the symbols that follow it."""
        factors = [self.factor()]
        while self.on("letter") or self.on("accent") or (self.on("op", "sqrt") and len(factors) > 1):
            factors.append(self.factor())
        return product(factors)

    def starts_factor(self) -> bool:
        """Whether a factor can start here."""
        kinds = ("digit", "letter", "word", "text", "open", "accent", "ones", "begin", "bar")
        operators = ("sum", "prod", "frac", "sqrt", "nabla", "binom", "brace", "infty", "partial")
        return self.here.kind in kinds or self.on("op", *operators) or self.on("{")

    def factor(self) -> Node:
        if self.on("op", "sum", "prod"):
            return self._over(self.next().text)
        if self.on("op", "nabla"):
            return self._gradient()
        if self.on("op", "frac") and (derivative := self._quotient_of_differentials()):
            return derivative
        if self.on("word", "max", "min") and self.stream[self.at + 1].kind == "_":
            return self._over(self.next().text)
        if self.on("word") and not self.scope.is_known(self.here.text) and self.here.text in BUILT_IN:
            return self._function()
        return self.postfixed()

    def rest_of_term(self) -> Node:
        """The operand of ∑ or ∇: a minus is allowed in front."""
        return self._signed() if self.on("op", "-") else self.term()

    def _over(self, kind: str) -> Node:
        start = self.at - 1
        bound: tuple[str, ...] = ()
        lower, condition = None, None
        if self.take("_"):
            bound, lower, condition = self._binder(self.group())
        upper = self.sub_parser(self.group()).all() if self.take("^") else None
        if not bound:
            self.refuse("does not say over what", start, self.at - 1)
        if upper is not None and lower is None:
            self.refuse("has an upper limit and no lower one", start, self.at - 1)
        with self.binding(bound, start):
            if kind == "sum":
                body = self.rest_of_term()
                return tree.Over(kind, bound, body, lower, upper, condition)
            return self._of_factors(
                kind, start, tree.Over(kind, bound, tree.Number("0"), lower, upper, condition)
            )

    def _of_factors(self, kind: str, start: int, node: tree.Over) -> Node:
        """A product or maximum reaches as far as its index occurs; what comes after stands outside."""
        inside, outside = [self.factor()], []
        while self.take("op", "cdot", "times") or self.starts_factor():
            factor = self.factor()
            if not any(isinstance(part, tree.Index) and part.name in node.bound for part in factor.parts):
                outside.append(factor)
            elif outside:
                self.refuse("uses its index again after a factor without it: put brackets", start)
            else:
                inside.append(factor)
        if self.on("op", "/", *ENTRYWISE) or (outside and kind == "prod"):
            self.refuse("is ambiguous: put brackets around what it is taken of", start)
        over = tree.Over(kind, node.bound, product(inside), node.lower, node.upper, node.condition)
        return product([over, *outside])

    def _binder(self, group: list[Token]) -> tuple[tuple[str, ...], Node | None, tree.Relation | None]:
        """The indices under a ∑, its lower limit, and a condition on the first."""
        at = next((i for i, token in enumerate(group) if token.kind == "relation"), None)
        letters = [token for token in group[:at] if token.text != ","]
        if not letters or any(token.kind != "letter" for token in letters):
            self.refuse("does not name its indices by letters", self.at - len(group) - 1, self.at - 1)
        bound = tuple(token.text for token in letters)
        if at is None:
            return bound, None, None
        if len(bound) > 1:
            self.refuse("gives a limit to several indices at once", self.at - len(group), self.at - 1)
        with self.binding(bound, self.at):
            other = self.sub_parser(group[at + 1 :]).index_expression()
        if group[at].text == "=":
            return bound, other, None
        return bound, None, tree.Relation(group[at].text, tree.Index(bound[0]), other)

    def _gradient(self) -> Node:
        start = self.at
        self.next()
        order, variable = "gradient", None
        for _ in range(2):
            if self.take("^"):
                if [token.text for token in self.group()] != ["2"]:
                    self.refuse("is a power of ∇ other than 2", start)
                order = "hessian"
            elif self.take("_"):
                variable = self.variable(self.group())
        if variable is None:
            return self._gradient_at(order, start)
        return tree.Derivative(order, variable, factors_of(self.rest_of_term()))

    def _gradient_at(self, order: str, start: int) -> Node:
        """∇f(x) without a subscript: of a declared function, at the point x."""
        operand = self.function_call()
        if operand is None or operand.primes or len(operand.arguments) != 1:
            self.refuse("does not say by what to differentiate", start, start)
        at = tree.GradientAt(1 if order == "gradient" else 2, operand.function, operand.arguments[0])
        return self.postfix(at)

    def _quotient_of_differentials(self) -> Node | None:
        r"""\frac{∂f}{∂x}, or \frac{d}{dx} before its operand; None for an ordinary fraction."""
        start = self.at
        self.next()
        above, below = self.group(), self.group()
        signs = [tokens[0].text for tokens in (above, below) if tokens and len(below) > 1]
        if signs not in (["partial", "partial"], ["d", "d"]):
            self.at = start
            return None
        if signs[0] == "d" and self.scope.is_known("d"):
            self.refuse("is a derivative or a fraction with d, which has a value", start, self.at - 1)
        if above[1:2] and above[1].kind == "^":
            self.refuse("is a higher derivative", start, self.at - 1)
        variable = self.variable(below[1:])
        body = self.sub_parser(above[1:]).all() if len(above) > 1 else self.rest_of_term()
        return tree.Derivative("partial", variable, factors_of(body))

    def variable(self, group: list[Token]) -> Node:
        """What is differentiated by: a symbol, or an entry of one."""
        node = self.sub_parser(group).all()
        base = node.base if isinstance(node, tree.Entry) else node
        if not isinstance(base, tree.Symbol):
            piece = self.latex[group[0].start : group[-1].end]
            raise FormulaError(piece, "is no symbol to differentiate by", self.latex)
        return node

    def _function(self) -> Node:
        """A built-in function with its argument."""
        start = self.at
        name = self.next().text
        bound: tuple[str, ...] = ()
        exponent = None
        if self.take("_"):
            group = self.group()
            if any(token.kind != "letter" or not token.text.islower() for token in group):
                self.refuse("is a function with a subscript that is no index", start, self.at - 1)
            bound = tuple(token.text for token in group)
        if self.take("^"):
            exponent = self.sub_parser(self.group()).all()
            if not isinstance(exponent, tree.Number):
                self.refuse("is a function to a power that is no number", start, self.at - 1)
        with self.binding(bound, start, again=True):
            if self.on("open", "(", "[", "{"):
                arguments = self.arguments(conditional=name == "normal_density")
                if name in SMOOTH and self.on("^"):
                    self.refuse("has a power after its bracket: inside or outside?", start)
            else:
                arguments = (self._bare_argument(name, start),)
        if bound:
            arguments = (tree.Table(bound, *arguments),)
        node: Node = tree.Apply(name, arguments)
        if bound:
            node = tree.Entry(node, tuple(self.index_named(letter) for letter in bound))
        node = node if exponent is None else tree.Power(node, exponent)
        return node if name in SMOOTH else self.postfix(node)

    def _bare_argument(self, name: str, start: int) -> Node:
        if not self.starts_factor():
            self.refuse("has no argument", start, self.at - 1)
        reaches = self.on("op", "sum", "prod", "nabla")
        argument = self.monomial() if self.on("digit") else self.factor()
        if not reaches and (self.starts_factor() or self.on("op", "/", "cdot", "times", *ENTRYWISE)):
            self.refuse(f"is ambiguous: put brackets around what \\{name} is taken of", start)
        return argument

    def fraction(self) -> Node:
        """An ordinary fraction."""
        return tree.Quotient(self.sub_parser(self.group()).all(), self.sub_parser(self.group()).all())
