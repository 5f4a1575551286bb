"""The law of a game as rows: reads rules/law/GAME.law, in the words of rules/law/words.txt.

The page of words is data that people and this parser read, so the two cannot differ. Whatever does not stand there is
an error that names file, line and word, and what could stand in its place.
"""

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Iterator

    Column = list[tuple[str, str]]  # names in brackets, and a value for each
    Saying = tuple[list[str], list[str]]  # its words, and what it does
    Meant = tuple[list[str], str]  # an outcome, and its clause

FOLDER = "rules/law/"
GAMES = ("double-down-stud", "boston-5-stud", "caribbean-stud", "double-cross-poker")
HOUSE = "HOUSE"  # in place of a clause: what the house orders where the rules are silent
IN_PART = "*"  # behind a clause
DRAWN = "drawn"  # a manual shoe that is the machine itself
MODES = {mode: [mode] for mode in ("automated", "manual", "hand", DRAWN)}
MODES["any"] = ["automated", "manual", "hand"]
_NUMBERS = ("A", "B", "C")


class Wrong(Exception):
    """Something in a file of law that is not of its language."""


def _lines(name: str, folder: str = FOLDER) -> "list[tuple[str, str]]":
    """The lines that are neither empty nor a remark, each with its place."""
    with open(folder + name) as file:
        lines = file.read().split("\n")
    places = [("%s:%d" % (name, i + 1), lines[i].rstrip()) for i in range(len(lines))]
    return [(place, line) for place, line in places if line and line[0] != "#"]


def _read_words() -> "dict[str, list[Saying]]":
    """The sayings of each part of the page."""
    parts: "dict[str, list[Saying]]" = {}
    part: "list[Saying]" = []
    for _place, line in _lines("words.txt"):
        if line[0] == "[":
            parts[line.strip("[]")] = part = []
        else:
            said, does = line.split(" = ")
            part.append((said.split(), does.split()))
    return parts


WORDS = _read_words()


def is_clause(word: str) -> bool:
    return word == HOUSE or ("-" in word and word.split("-")[1][:1].isdigit())


def meaning(part: str, text: str, place: str) -> "list[str]":
    """What a saying does, as words with its numbers in place."""
    words = text.split()
    best, could = -1, [""]
    for saying, does in WORDS[part]:
        numbers: "dict[str, str]" = {}
        at = 0
        for said, word in zip(saying, words):
            if said in _NUMBERS and word.isdigit():
                numbers[said] = word
            elif said != word:
                break
            at += 1
        if at == len(words) == len(saying):
            return [numbers.get(word, word) for word in does]
        if at > best:
            best, could = at, []
        if at == best:
            could.append(" ".join(saying[at:]) or "(the end)")
    found = '"%s"' % words[best] if best < len(words) else "missing"
    known = " | ".join(could[:6] + ["..."] * (len(could) > 6))
    raise Wrong('%s: "%s": word %d is %s; known there: %s' % (place, text.strip(), best + 1, found, known))


class Step:
    """One thing that is done, and what must come of it."""

    def __init__(self, place: str, text: str, told: str, clause: str) -> None:
        self.place = place
        self.text = text
        self.does = meaning("done", text, place)
        self.outcomes: "list[Meant]" = []
        self.shown: "list[str]" = []  # in a line of the display
        for outcome in told.split("; ") if told else []:
            words = outcome.split()
            if outcome[0] == '"':
                self.shown.append(outcome.strip('"'))
            else:
                own = words.pop() if is_clause(words[-1]) else clause
                self.outcomes.append((meaning("outcome", " ".join(words), place), own))


class Row:
    """Clauses with their modes, a sentence, and what is done with what comes of it."""

    def __init__(self, game: str, place: str, header: str) -> None:
        self.game = game
        self.place = place
        self.text = [header]  # as it stands in the file, without its sentence
        self.sentence = ""
        self.settings: "list[list[str]]" = []
        self.lines: "list[tuple[str, str]]" = []  # what is done, with its place
        self.columns: "list[Column]" = []
        self.claims: "list[tuple[str, list[str]]]" = []  # each mode, and its clauses
        for group in header.split("; "):
            words = group.replace(",", " ").split()
            clauses = [word for word in words if is_clause(word.rstrip(IN_PART))]
            modes = words[len(clauses) :]
            if not clauses or not modes:
                raise Wrong('%s: "%s": a row begins with its clauses, and then its modes' % (place, group))
            for mode in modes:
                if mode not in MODES:
                    raise Wrong('%s: word "%s" is no mode; known: %s' % (place, mode, ", ".join(sorted(MODES))))
                self.claims += [(each, clauses) for each in MODES[mode]]

    def add(self, place: str, line: str) -> None:
        if not self.sentence:
            self.sentence = line
            if line[-1] != ".":
                raise Wrong("%s: first comes one sentence, with a full stop, that tells what happens" % place)
            return
        self.text.append(line)
        if line.startswith("with "):
            self.settings += [meaning("with", text, place) for text in line[5:].split(", ")]
        elif line.startswith("each "):
            name, values = line[5:].split(": ", 1)
            each = [value.strip() for value in values.split("|")]
            self.columns = self.columns or [[] for _ in each]
            if len(each) != len(self.columns) or self.lines:
                raise Wrong("%s: as many values of every name, and before what is done" % place)
            for column, value in zip(self.columns, each):
                column.append(("<%s>" % name, value))
        else:
            self.lines.append((place, line))

    @property
    def clause(self) -> str:
        """The first one of its header: rows are tested, and shown to people, by it."""
        return self.claims[0][1][0].rstrip(IN_PART)

    def plays(self) -> "list[Column]":
        """With which values it is played."""
        return self.columns or [[]]

    def steps(self, column: "Column", clause: str) -> "Iterator[Step]":
        """What is done with these values; `clause` is that of outcomes which name none."""
        for place, line in self.lines:
            for name, value in column:
                line = line.replace(name, value)
            done, told = (line.split(" -> ") + [""])[:2]
            texts = done.split("; ")
            for text in texts[:-1]:
                yield Step(place, text, "", clause)
            yield Step(place, texts[-1], told, clause)


def law_of(game: str, folder: str = FOLDER) -> "list[Row]":
    """The rows of a game, each of them read with all its values."""
    rows: "list[Row]" = []
    for place, line in _lines(game + ".law", folder):
        if line[0] != " ":
            rows.append(Row(game, place, line))
        elif rows:
            rows[-1].add(place, line.strip())
        else:
            raise Wrong("%s: a row begins at the left edge, with its clauses" % place)
    for row in rows:
        for column in row.plays():
            list(row.steps(column, ""))
    return rows
