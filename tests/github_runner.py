"""The runner of GitHub Actions: the workflow commands that it finds in the output of a
step.
"""

from dataclasses import dataclass

_ESCAPES = {"%0D": "\r", "%0A": "\n", "%3A": ":", "%2C": ",", "%25": "%"}


@dataclass
class Command:
    """A workflow command as the runner understands it."""

    name: str
    properties: dict[str, str]
    message: str

    @property
    def place(self) -> str:
        return f"{self.properties['file']}:{self.properties['line']}"

    @property
    def title(self) -> str:
        return self.properties["title"]


def commands(output: str) -> list[Command]:
    """The commands that the runner finds in an output, by the rules of its class
    ActionCommand.

    The text is trimmed and begins with `::`; or there is `##[` anywhere.
    """
    found: list[Command] = []
    for line in output.splitlines():
        if line.lstrip().startswith("::") and "::" in line.lstrip()[2:]:
            head, _, message = line.lstrip()[2:].partition("::")
            name, _, given = head.partition(" ")
            properties = dict(pair.split("=", 1) for pair in given.split(",") if pair)
            values = {key: unescaped(value) for key, value in properties.items()}
            found.append(Command(name, values, unescaped(message, but=("%3A", "%2C"))))
        elif "##[" in line:
            found.append(Command("##[", {}, line))
    return found


def unescaped(text: str, but: tuple[str, ...] = ()) -> str:
    for escape, character in _ESCAPES.items():  # %25 is the last, as in the runner
        if escape not in but:
            text = text.replace(escape, character)
    return text
