"""The dictionary: the table of messages and all names, in lines that fit a frame and can be put together again."""

from hashlib import sha256
from io import BytesIO

from firmware.fault import FAULT_NAMES, FIGURE_NAMES
from firmware.image import INPUTS
from firmware.link.dictionary_file import WordFile
from firmware.protocol import dictionary, ids, table
from firmware.protocol.cobs import FRAME_MAX
from firmware.protocol.frame import CRC_SIZE, HEADER_SIZE


def lines():
    return [dictionary.dictionary_line(index) for index in range(dictionary.dictionary_lines())]


def test_the_messages_come_first_with_number_class_and_fields():
    """Fields of status that do not fit its line are in the last line of all."""
    found = lines()
    more = "more %d " % ids.STATUS
    assert [line for line in found if line.startswith("more")] == found[-1:]
    assert found[-1].startswith(more)
    for i in range(len(table.MESSAGES)):
        line = found[i] + " " + found[-1][len(more) :] if table.MESSAGES[i][0] == ids.STATUS else found[i]
        assert line == "message %d %d %s" % table.MESSAGES[i]
        if line != found[i]:
            assert len(found[i]) <= 237 < len(found[i]) + 1 + len(found[-1].split()[2]), "as many as fit"
    assert "message 1 0 hello version_max:u8 role:u8 nonce:b16" in found


def test_names_follow_and_those_of_two_lines_are_halves():
    found = {}
    for line in lines()[len(table.MESSAGES) : -1]:
        kind, of, words = line.split(" ", 2)
        assert kind in ("prefix", "names")
        found.setdefault(of, []).append(words)
    whole = {of: " ".join(found[of]) for of in found}
    assert whole == {
        "event": table.EVENT_PREFIX,
        "command": table.COMMAND_PREFIX,
        "class": ids.CLASS_NAMES,
        "state": ids.STATE_NAMES,
        "what": ids.RECORD_NAMES,
        "consequence": ids.CONSEQUENCE_NAMES,
        "need": ids.NEED_NAMES,
        "answer": ids.ANSWER_NAMES,
        "warning": FAULT_NAMES,
        "figure": FIGURE_NAMES,
        "part": ids.PART_NAMES,
        "sensor": "none " + " ".join(INPUTS),
        "role": ids.ROLE_NAMES,
        "mode": ids.MODE_NAMES,
        "outcome": ids.OUTCOME_NAMES,
        "reason": ids.REASON_NAMES,
        "why": ids.REFUSED_NAMES,
        "share": ids.NONCE_NAMES,
    }
    assert sorted(of for of in found if len(found[of]) == 2) == ["consequence", "need", "state", "what"]
    for of in found:
        sizes = [len(words) for words in found[of]]
        assert max(sizes) - min(sizes) < 30, of


def test_every_line_fits_a_frame():
    for line in lines():
        assert HEADER_SIZE + 4 + len(line) + CRC_SIZE <= FRAME_MAX, line


def test_the_file_of_a_device_holds_all_lines_and_the_hash_is_its_own():
    text = "".join(line + "\n" for line in lines()).encode()
    assert dictionary.dictionary_text() == text
    assert dictionary.dictionary_hash() == sha256(text).digest()[:8]
    words = dictionary.Words()
    assert (words.count, words.hash) == (len(lines()), dictionary.dictionary_hash())
    assert words.line(0) == lines()[0].encode()


def test_a_device_reads_each_line_from_its_file():
    file = BytesIO(dictionary.dictionary_text())
    words = WordFile(file)
    assert (words.count, words.hash) == (dictionary.dictionary_lines(), dictionary.dictionary_hash())
    for index in (0, 5, dictionary.dictionary_lines() - 1, 1):
        assert words.line(index) == dictionary.dictionary_line(index).encode()
