"""Automata in the Hanoi format (HOA), as Spot, Owl, ltl3ba and MONA's relatives write them.

The format describes automata on infinite words; here the same states and moves read finite words. A state accepts if it is in
the set of ``Acceptance: 1 Inf(0)``, as tools for temporal logic on finite words mark it. Marks on edges, or any other
acceptance, say nothing about finite words: then the automaton is read without accepting states.

A letter is a valuation of the atomic propositions, and n of them have 2^n letters, called ``a&!b``. With the property
``exclusive-letters``, which `hoa_text` writes, one proposition holds at a time and the letters are the propositions.

Readers that were looked at: hoa-utils 0.1.0 (2020) and its fork hoa-utils-redux 0.2.0 (2026). Both return the labels as syntax
trees, which remain to be evaluated, and need lark; Spot is not on PyPI. So the format is parsed here, and tests hold it
against the fork.

Source: T. Babiak et al., *The Hanoi Omega-Automata Format*, CAV 2015; https://adl.github.io/hoaf/.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from theory.automata.assembled import assembled
from theory.automata.cost import table as table_cost
from theory.automata.dfa import Dfa
from theory.automata.semiautomaton import Semiautomaton
from theory.cost import power, refuse

__all__ = ["from_hoa", "hoa_text"]

_TOKEN = re.compile(
    r"""\s+ | (?P<mark>--(?:BODY|END|ABORT)--) | (?P<string>"(?:\\.|[^"\\])*") | (?P<header>[A-Za-z_][\w-]*:)
    | (?P<name>[A-Za-z_][\w-]*) | (?P<alias>@[\w-]+) | (?P<int>\d+) | (?P<sign>[!&|()\[\]{}])""",
    re.VERBOSE,
)
_KNOWN = {"HOA:", "States:", "Start:", "AP:", "Alias:", "Acceptance:"}  # other headers in capitals change the meaning


def from_hoa(text: str, name: str = "this automaton") -> Dfa | Semiautomaton:
    """The automaton of a text in the Hanoi format; a `Dfa` if ``Acceptance: 1 Inf(0)`` marks states.

    States that no word reaches are left out, and missing moves lead to a sink.

    Args:
        text: One automaton, version 1 of the format.
        name: Name used in messages, where the text has none.

    Raises:
        ValueError: The text is not in the format; or the automaton is nondeterministic (the state is named), alternating, or
            has no initial state.
        TooExpensive: There are too many propositions for the limit of `theory.cost`.

    >>> from_hoa('HOA: v1 States: 2 Start: 0 AP: 1 "a" Acceptance: 1 Inf(0) --BODY-- State: 0 [0] 1 [!0] 0 '
    ...     'State: 1 {0} [t] 1 --END--')
    <Dfa this automaton: 2 states, 1 accepting, letters !a, a>
    """
    return _Reader(list(_tokens(text))).automaton(name)


def hoa_text(automaton: Dfa | Semiautomaton) -> str:
    """The automaton in the Hanoi format, one proposition for each letter, of which one holds at a time.

    >>> from theory.automata.regular import regular
    >>> from_hoa(hoa_text(regular("(ab)*"))).accepts("abab").item()
    True
    """
    machine = automaton.automaton if isinstance(automaton, Dfa) else automaton
    letters = machine.letters or tuple(map(str, range(machine.num_letters)))
    letters = automaton.letters if isinstance(automaton, Dfa) else letters
    states = machine.states or tuple(map(str, range(machine.num_states)))
    labels = [
        "&".join(f"{'' if k == letter else '!'}{k}" for k in range(len(letters))) or "t" for letter in range(len(letters))
    ]
    marked = isinstance(automaton, Dfa)
    lines = [
        "HOA: v1",
        f"name: {_quoted(machine.name)}",
        'tool: "depthjax"',
        f"States: {machine.num_states}",
        "Start: 0",
        f"AP: {len(letters)} {' '.join(map(_quoted, letters))}",
        *(["acc-name: Buchi", "Acceptance: 1 Inf(0)"] if marked else ["acc-name: all", "Acceptance: 0 t"]),
        "properties: explicit-labels state-acc deterministic exclusive-letters",
        "--BODY--",
    ]
    for state, row in enumerate(machine.table.tolist()):
        mark = " {0}" if marked and automaton.accepting[state] else ""  # type: ignore[union-attr]
        lines.append(f"State: {state} {_quoted(states[state])}{mark}")
        lines += [f"[{label}] {target}" for label, target in zip(labels, row, strict=True)]
    return "\n".join([*lines, "--END--", ""])


def _quoted(text: str) -> str:
    return '"' + re.sub(r'(["\\])', r"\\\1", text) + '"'


def _tokens(text: str) -> Iterator[tuple[str, str, int]]:
    """Kind, text and line of every token; comments, which may nest, are left out."""
    at, line = 0, 1
    while at < len(text):
        if text.startswith("/*", at):
            depth, end = 0, at
            while end < len(text):
                mark = text[end : end + 2]
                depth += (mark == "/*") - (mark == "*/")
                end += 2 if mark in ("/*", "*/") else 1
                if not depth:
                    break
            if depth:
                raise ValueError(f"line {line}: the comment that begins here never ends")
            line, at = line + text.count("\n", at, end), end
            continue
        match = _TOKEN.match(text, at)
        if match is None:
            raise ValueError(f"line {line}: {text[at : at + 20].split(chr(10))[0]!r} is no word of the Hanoi format")
        if match.lastgroup:
            yield match.lastgroup, match[0], line
        line, at = line + match[0].count("\n"), match.end()


@dataclass
class _Reader:
    """A text as tokens, read from the front."""

    tokens: list[tuple[str, str, int]]
    at: int = 0
    letters: list[int] = field(default_factory=list)  # the propositions of each letter, as bits
    aliases: dict[str, int] = field(default_factory=dict)  # the letters of each alias, as bits

    def automaton(self, name: str) -> Dfa | Semiautomaton:
        headers = self.header()
        propositions = self.propositions(headers)
        exclusive = any(text == "exclusive-letters" for value in headers.get("properties:", []) for _, text, _ in value)
        given = [_unquoted(value[0][1]) for value in headers.get("name:", []) if value]
        name = given[0] if given and given[0] else name
        if not exclusive:
            refuse(table_cost(name, 1, power(2, len(propositions))))
        count = len(propositions)
        self.letters = [1 << bit for bit in range(count)] if exclusive else list(range(2**count))
        names = propositions if exclusive else [_valuation(letter, propositions) for letter in self.letters]
        for value in headers.get("Alias:", []):
            inner = _Reader(value[1:], 0, self.letters, self.aliases)
            self.aliases[value[0][1]] = inner.label_inside()
        starts = headers.get("Start:", [])
        if not starts:
            raise ValueError("the automaton has no initial state: the header lacks Start:")
        if any(len(value) > 1 for value in starts):
            raise ValueError("the automaton is alternating: Start: joins several states; a semiautomaton starts in one state")
        if len({value[0][1] for value in starts}) > 1:
            several = ", ".join(value[0][1] for value in starts)
            raise ValueError(f"the automaton is nondeterministic: it has the initial states {several}; expected one")
        acceptance = "".join(text for _, text, _ in headers.get("Acceptance:", [[]])[0])
        moves, titles, marks, by_edges = self.body(names)
        known = {int(value[0][1]) for value in headers.get("States:", []) if value and value[0][0] == "int"}
        start, most = int(starts[0][0][1]), max(known, default=len(moves))
        if wild := [q for q in (start, *moves, *(q for row in moves.values() for q in row.values())) if q >= most]:
            raise ValueError(f"state {wild[0]} is none of the {most} states 0 .. {most - 1}")
        if unknown := sorted({q for row in moves.values() for q in row.values()} - set(moves)):
            raise ValueError(f"state {unknown[0]} is reached and never described: expected a line State: {unknown[0]}")
        accepting = marks if acceptance in ("1Inf(0)", "1(Inf(0))") and not by_edges else None
        by_name = {state: {names[letter]: target for letter, target in row.items()} for state, row in moves.items()}
        return assembled(by_name, start, names, accepting, name, titles)

    def header(self) -> dict[str, list[list[tuple[str, str, int]]]]:
        """The header lines by name, each with the tokens behind it."""
        found: dict[str, list[list[tuple[str, str, int]]]] = {}
        if self.next("header", "HOA:", "a file of the Hanoi format begins with HOA:")[1] and self.peek()[1] != "v1":
            raise ValueError(f"version {self.peek()[1]} of the Hanoi format is not read; expected v1")
        self.at += 1
        while self.peek()[1] != "--BODY--":
            kind, text, line = self.take()
            if kind != "header":
                raise ValueError(f"line {line}: {text!r} stands where a header such as Start: or --BODY-- was expected")
            if text[0].isupper() and text not in _KNOWN:
                raise ValueError(f"line {line}: the header {text} changes the meaning of the automaton and is not known here")
            value = []
            while self.peek()[0] not in ("header", "mark"):
                value.append(self.take())
            found.setdefault(text, []).append(value)
        self.at += 1
        return found

    def propositions(self, headers: dict[str, list[list[tuple[str, str, int]]]]) -> list[str]:
        lines = headers.get("AP:", [[("int", "0", 0)]])
        names = [_unquoted(text) for _, text, _ in lines[0][1:]]
        if len(lines) > 1 or not lines[0] or str(len(names)) != lines[0][0][1] or len(set(names)) < len(names):
            raise ValueError('expected one line AP: with a number and as many different names, such as AP: 2 "a" "b"')
        return names

    def body(self, names: list[str]) -> tuple[dict[int, dict[int, int]], dict[int, str], set[int], bool]:
        """Moves by state and letter, names of states, states with a mark, and whether edges have marks."""
        moves: dict[int, dict[int, int]] = {}
        titles: dict[int, str] = {}
        marks: set[int] = set()
        by_edges = False
        while self.peek()[1] != "--END--":
            if self.peek()[1] == "--ABORT--":
                raise ValueError("the automaton ends with --ABORT--: the tool that wrote it gave up")
            self.next("header", "State:", "in the body every state begins with State:")
            common = self.label()
            state = int(self.next("int", None, "a state has a number")[1])
            if state in moves:
                raise ValueError(f"state {state} is described twice")
            titles[state] = _unquoted(self.take()[1]) if self.peek()[0] == "string" else str(state)
            if self.marks():
                marks.add(state)
            row, implicit = moves.setdefault(state, {}), 0
            while self.peek()[0] == "int" or self.peek()[1] == "[":
                own = self.label()
                target = int(self.next("int", None, "an edge leads to the number of a state")[1])
                if self.peek()[1] == "&":
                    raise ValueError(f"the automaton is alternating: an edge of state {state} leads to several states at once")
                by_edges |= self.marks()
                reads = own if own is not None else common
                if reads is None:  # the edges of a state without labels are those of its letters in order
                    if implicit >= len(self.letters):
                        raise ValueError(f"state {state} has more edges without a label than there are letters")
                    reads, implicit = 1 << implicit, implicit + 1
                self.lead(row, reads, target, state, titles[state], names)
        self.at += 1
        if self.at < len(self.tokens):
            raise ValueError("the file holds more than one automaton: expected one, from HOA: to --END--")
        return moves, titles, marks, by_edges

    def lead(self, row: dict[int, int], reads: int, target: int, state: int, title: str, names: list[str]) -> None:
        for letter in range(len(self.letters)):
            if reads >> letter & 1 and row.setdefault(letter, target) != target:
                called = "" if title == str(state) else f" ({title})"
                raise ValueError(
                    f"the automaton is nondeterministic: in state {state}{called} the letter {names[letter]} leads to "
                    f"{row[letter]} and to {target}; a semiautomaton has one next state for each letter, so take the subsets "
                    "of states first (Spot: autfilt --determinize)"
                )

    def marks(self) -> bool:
        """Whether sets in braces follow, which are skipped."""
        if self.peek()[1] != "{":
            return False
        count = 0
        while self.take()[1] != "}":
            count += 1
        return count > 1

    def label(self) -> int | None:
        """The letters of a label in brackets, as bits; None if there is no label."""
        if self.peek()[1] != "[":
            return None
        self.at += 1
        found = self.either()
        self.next("sign", "]", "a label ends with ]")
        return found

    def label_inside(self) -> int:
        found = self.either()
        if self.at < len(self.tokens):
            raise ValueError(f"line {self.peek()[2]}: {self.peek()[1]!r} follows a label that is complete")
        return found

    def either(self) -> int:
        found = self.both()
        while self.peek()[1] == "|":
            self.at += 1
            found |= self.both()
        return found

    def both(self) -> int:
        found = self.one()
        while self.peek()[1] == "&":
            self.at += 1
            found &= self.one()
        return found

    def one(self) -> int:
        every = (1 << len(self.letters)) - 1
        kind, text, line = self.take()
        match kind, text:
            case "sign", "!":
                return every & ~self.one()
            case "sign", "(":
                found = self.either()
                self.next("sign", ")", "an opened bracket is closed")
                return found
            case "name", "t" | "f":
                return every if text == "t" else 0
            case "alias", _ if text in self.aliases:
                return self.aliases[text]
            case "int", _ if self.letters and (1 << int(text)) <= max(self.letters):
                return sum(1 << k for k, letter in enumerate(self.letters) if letter >> int(text) & 1)
        raise ValueError(
            f"line {line}: {text!r} is no part of a label: expected t, f, the number of a proposition, or an alias"
        )

    def peek(self) -> tuple[str, str, int]:
        return self.tokens[self.at] if self.at < len(self.tokens) else ("end", "", self.tokens[-1][2] if self.tokens else 1)

    def take(self) -> tuple[str, str, int]:
        if self.at >= len(self.tokens):
            raise ValueError("the text ends in the middle of the automaton: expected --END--")
        self.at += 1
        return self.tokens[self.at - 1]

    def next(self, kind: str, text: str | None, rule: str) -> tuple[str, str, int]:
        found = self.peek()
        if found[0] != kind or (text is not None and found[1] != text):
            raise ValueError(f"line {found[2]}: got {found[1] or 'the end of the text'!r}, but {rule}")
        return self.take()


def _unquoted(text: str) -> str:
    return re.sub(r"\\(.)", r"\1", text[1:-1]) if text.startswith('"') else text


def _valuation(letter: int, propositions: list[str]) -> str:
    return "&".join(f"{'' if letter >> k & 1 else '!'}{name}" for k, name in enumerate(propositions)) or "t"
