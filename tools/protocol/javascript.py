"""The tables of the JavaScript client: the dictionary it is built with, and TypeScript types of every message."""

from __future__ import annotations

from fairshoe.client.round_play import PERSON
from fairshoe.text.advice import STEPS
from fairshoe.wear import BEAMS
from firmware.image import INPUTS, OUTPUTS
from firmware.protocol import ids
from protocol.table import DICTIONARY, ENUMS, MESSAGE_FIELDS, MESSAGES, ROOT, Field, Message
from protocol.words import unknown_of

FOLDER = ROOT / "host_tools" / "fairshoe-js" / "src"
PAGE = ROOT / "host_tools" / "fairshoe" / "web" / "page"
HEAD = "// Written by tools/protocol/gen_docs.py from firmware/protocol/table.py.\n"


def module() -> str:
    """messages.js: the lines of the dictionary, and what the dictionary does not say: the messages that hosts send."""
    senders = [str(message.id) for message in MESSAGES if message.from_host and message.kind != ids.CLASS_COMMAND]
    lines = "".join(f"  '{line}',\n" for line in DICTIONARY)
    rows = [(it.name, [field.name for field in it.fields if unknown_of(field) is not None]) for it in MESSAGES]
    unknown = "".join(f"  {name}: {names},\n" for name, names in rows if names)
    return (
        f"{HEAD}export const FROM_HOST = [{', '.join(senders)}];\n"
        f'// Fields in which the largest number stands for "not known".\nexport const UNKNOWN = {{\n{unknown}}};\n'
        f"export const LINES = [\n{lines}];\n{_needs()}"
    )


def _needs() -> str:
    """Which command answers each need of a status, and which needs are for people alone."""
    by_command = [(need.name.lower(), step.command) for need, step in STEPS.items() if need not in PERSON]
    rows = "".join(f"  {need}: '{command.NAME}',\n" for need, command in by_command if command)
    people = ", ".join(f"'{need.name.lower()}'" for need in PERSON)
    return f"export const COMMAND_OF = {{\n{rows}}};\nexport const FOR_PEOPLE = [{people}];\n"


def lines() -> str:
    """lines.js of the pages: inputs and outputs in the order of the firmware, and the beams."""
    named = "".join(
        f"export const {name} = [\n" + "".join(f"  '{word}',\n" for word in words) + "];\n"
        for name, words in (("LINES", INPUTS), ("OUTPUTS", OUTPUTS), ("BEAMS", BEAMS))
    )
    return f"// Written by tools/protocol/gen_docs.py from firmware/image.py; the beams from fairshoe/wear.py.\n{named}"


def types() -> str:
    """messages.d.ts: the words of enumerations, the fields of messages, and the names of each kind."""
    words = "".join(f"  {name}: {_union(values)};\n" for name, values in ENUMS.items() if name != "class")
    names = _union(tuple(message.name for message in MESSAGES))
    words += "".join(f"  {name}: MessageName;\n" for name in MESSAGE_FIELDS)
    fields = "".join(f"  {message.name}: {{ {_fields(message)} }};\n" for message in MESSAGES)
    return f"""{HEAD}export declare const FROM_HOST: readonly number[];
export declare const UNKNOWN: {{ readonly [message: string]: readonly string[] }};
export declare const LINES: readonly string[];
export declare const COMMAND_OF: {{ readonly [need: string]: CommandName }};
export declare const FOR_PEOPLE: readonly string[];

/** The words of enumerated fields, by the field's name. */
export interface Words {{
{words}}}

/** The fields of every message: numbers, null where one is not known, text, and bytes as hexadecimal digits. */
export interface Fields {{
{fields}}}

export type MessageName = {names};
export type EventName = {_union(_names_of(ids.CLASS_EVENT))};
export type CommandName = {_union(_names_of(ids.CLASS_COMMAND))};

/** Values to send: an enumerated field takes its word as well. */
export type Values<N extends MessageName> = {{
  [F in keyof Fields[N]]: Fields[N][F] | (F extends keyof Words ? Words[F] : never);
}};
/** Arguments of a command: all of its fields but the operation number. */
export type Arguments<N extends CommandName> = Omit<Values<N>, 'op'>;
"""


def _names_of(kind: int) -> tuple[str, ...]:
    return tuple(message.name for message in MESSAGES if message.kind == kind)


def _union(words: tuple[str, ...]) -> str:
    return " | ".join(f"'{word}'" for word in words)


def _fields(message: Message) -> str:
    return " ".join(f"{field.name}: {_type(field)};" for field in message.fields)


def _type(field: Field) -> str:
    if unknown_of(field) is not None:
        return "number | null"
    return "number" if field.kind in ("u8", "u16", "u32") else "string"
