"""Turn the book's MyST Markdown into the plain Markdown that Colab, VS Code and GitHub show."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

from pybtex.database import Entry, parse_file

DOLLAR_EQUATION = re.compile(r"\$\$(?P<body>(?:(?!\$\$).)+?)\$\$[ \t]*\((?P<label>[\w:.-]+)\)", re.DOTALL)
DIRECTIVE = re.compile(r"^(?P<fence>`{3,}|:{3,})\{(?P<name>[\w:-]+)\}[ \t]*(?P<argument>.*)$")
# One pattern, so that a role's closing backtick never opens a piece of code.
ROLE_OR_CODE = re.compile(
    r"(?ms)\{(?P<role>[a-z][\w:+-]*)\}`(?P<content>[^`]+)`"
    r"|^(?P<fence>`{3,}|~{3,}).*?^(?P=fence)[ \t]*$|`[^`\n]+`"
)
LOCAL_LINK = re.compile(r"(?<!!)\[([^\]]+)\]\((?!\w+:|#)[^)\s]+\.(?:ipynb|md)(?:#[\w-]+)?\)")
TITLES = {"note": "Note", "tip": "Tip", "warning": "Warning", "important": "Important", "seealso": "See also"}
LISTING = "\1"  # stands for the list of references until all citations of the cell are known
QUIET = {"tableofcontents", "contents", "index"}


class Equations:
    """Numbers for labelled equations, in the order they are first met."""

    def __init__(self) -> None:
        self.numbers: dict[str, int] = {}

    def number(self, label: str) -> int:
        return self.numbers.setdefault(label, len(self.numbers) + 1)


def authors(entry: Entry) -> str:
    names = [
        " ".join(person.last_names) for person in entry.persons.get("author", entry.persons.get("editor", []))
    ]
    names = [re.sub(r"[{}]", "", name) for name in names]
    return f"{names[0]} and others" if len(names) > 2 else " and ".join(names)


class References:
    """The entries of references.bib that a notebook cites."""

    def __init__(self, path: Path):
        self.entries = parse_file(str(path)).entries if path.exists() else {}
        self.cited: list[str] = []

    def cite(self, key: str, textual: bool) -> str:
        if key not in self.entries:
            raise KeyError(f"references.bib has no entry {key}")
        if key not in self.cited:
            self.cited.append(key)
        entry = self.entries[key]
        year = entry.fields.get("year", "n.d.")
        return f"{authors(entry)} ({year})" if textual else f"{authors(entry)}, {year}"

    def listing(self) -> str:
        lines = []
        for key in sorted(self.cited):
            entry = self.entries[key]
            fields = {name: re.sub(r"[{}]", "", value) for name, value in entry.fields.items()}
            rest = [fields.get(name) for name in ("journal", "booktitle", "publisher", "year")]
            tail = ", ".join(value for value in rest if value)
            lines.append(f"- {authors(entry)}. *{fields.get('title', key)}*. {tail}.")
        return "\n".join(lines)


def role(name: str, content: str, equations: Equations, references: References) -> str:
    """One role as plain text."""
    shown = re.fullmatch(r"(.*?)\s*<([^>]+)>", content, re.DOTALL)
    text, target = (shown[1], shown[2]) if shown else (content, content)
    if name in ("eq", "math:numref"):
        return f"({equations.number(target)})"
    if name == "math":
        return f"${content}$"
    if name.startswith("cite"):
        textual = name.endswith(":t")
        cited = [references.cite(key.strip(), textual) for key in target.split(",")]
        return ", ".join(cited) if textual else f"[{'; '.join(cited)}]"
    if name == "doc" and not shown:
        return f"*{target.rsplit('/', 1)[-1].replace('_', ' ')}*"
    if name in ("code", "py:func", "download"):
        return f"`{text}`"
    return text


def directive(name: str, argument: str, body: list[str], options: dict[str, str], convert: Callable) -> str:
    """One directive as plain Markdown: mathematics, a quoted box, a fenced block, or its body."""
    if name == "math":
        return convert(
            "$$\n" + "\n".join(body) + "\n$$" + (f" ({options['label']})" if "label" in options else "")
        )
    if name in QUIET:
        return ""
    if name in ("code-block", "code", "sourcecode"):
        return "\n".join([f"```{argument}", *body, "```"])
    inner = convert("\n".join(body)).strip("\n")
    if name in ("figure", "image"):
        return f"*{inner or options.get('alt', '')}*"
    title = convert(argument) or TITLES.get(name, "")
    text = (f"**{title}**\n\n" if title else "") + inner
    return "\n".join(("> " + line).rstrip() for line in text.split("\n"))


def split_options(lines: list[str]) -> tuple[dict[str, str], list[str]]:
    """``:key: value`` lines at the head of a directive, and what follows them."""
    options = {}
    while lines and (found := re.match(r":([\w-]+):[ \t]*(.*)$", lines[0])):
        options[found[1]] = found[2].strip()
        lines = lines[1:]
    return options, lines


class Plain:
    """Converts the Markdown cells of one notebook, keeping its equation numbers and citations."""

    def __init__(self, bibliography: Path):
        self.equations = Equations()
        self.references = References(bibliography)

    def __call__(self, text: str) -> str:
        kept: list[str] = []

        def keep(found: re.Match) -> str:
            if found["role"]:
                return role(found["role"], found["content"], self.equations, self.references)
            kept.append(found[0])
            return f"\0{len(kept) - 1}\0"

        text = DOLLAR_EQUATION.sub(self.equation, self.blocks(text))
        text = self.links(ROLE_OR_CODE.sub(keep, text))
        text = text.replace(LISTING, self.references.listing())
        return re.sub(r"\0(\d+)\0", lambda found: kept[int(found[1])], text)

    def blocks(self, text: str) -> str:
        out: list[str] = []
        lines = text.split("\n")
        at = 0
        while at < len(lines):
            opening = DIRECTIVE.match(lines[at])
            if not opening:
                out.append(lines[at])
                at += 1
                continue
            end = at + 1
            while end < len(lines) and lines[end].rstrip() != opening["fence"]:
                end += 1
            options, body = split_options(lines[at + 1 : end])
            if opening["name"] == "bibliography":
                out.append(LISTING)
            else:
                out.append(directive(opening["name"], opening["argument"].strip(), body, options, self))
            at = end + 1
        return "\n".join(out)

    def links(self, text: str) -> str:
        """Drop link targets, and links to pages that do not come along with the notebook."""
        return LOCAL_LINK.sub(r"\1", re.sub(r"(?m)^\([\w:.-]+\)=[ \t]*\n?", "", text))

    def equation(self, found: re.Match) -> str:
        number = self.equations.number(found["label"])
        return f"$${found['body'].rstrip()} \\tag{{{number}}}\n$$"
