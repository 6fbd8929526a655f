"""YAML files as typed text with places: what is kept, what is refused, and where."""

from __future__ import annotations

from pathlib import Path

import pytest
import yaml

from sender.errors import FileRefused
from sender.yamlfile import MAX_BYTES, YamlFile, parse_yaml, read_yaml
from sender.yamlfile.events import fill

SURPRISES = """\
country: NO
reference: 0510210600
id: 12:30:45
note: off
version: 1.10
day: 2024-01-01
amount: 1_000
quoted: "null"
"""


def problems(text: str | bytes) -> list[str]:
    """Return what is said about a file."""
    raw = text.encode() if isinstance(text, str) else text
    with pytest.raises(FileRefused) as caught:
        parse_yaml(raw, "f.yaml").check()
    return caught.value.problems


def test_text_stays_as_it_was_typed() -> None:
    """What YAML would turn into false, an octal, a time, a float, a date or a number is the text that was typed."""
    data = parse_yaml(SURPRISES.encode(), "f.yaml").data
    assert data == {
        "country": "NO",
        "reference": "0510210600",
        "id": "12:30:45",
        "note": "off",
        "version": "1.10",
        "day": "2024-01-01",
        "amount": "1_000",
        "quoted": "null",
    }


def test_nothing_is_none() -> None:
    """A value that is left out, ~ and null are nothing; the empty quotes are an empty text."""
    assert parse_yaml(b"a:\nb: ~\nc: null\nd: ''\n", "f").data == {"a": None, "b": None, "c": None, "d": ""}


def test_every_key_and_value_has_its_place() -> None:
    """Places are line and column from 1, of keys and values, in block and flow style."""
    file = parse_yaml(b"a: 1\nsteps:\n  - pay: {invoice: order}\n", "f")
    assert file.place(("steps", 0, "pay", "invoice")) == (3, 20)
    assert file.place(("steps", 0, "pay", "invoice"), key=True) == (3, 11)
    assert file.place(("steps", 0, "pay", "amount")) == (3, 10), "what is not there is looked for around it"
    assert file.place(("nowhere",)) == (1, 1)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a: 1\nb: 2\na: 3\n", "f.yaml:3:1: the key 'a' is given twice, first in line 1; keep one of them"),
        ("a: &x 1\n", "f.yaml:1:4: anchors (&x) are not read; leave it out"),
        ("a: *x\n", "f.yaml:1:4: aliases (*x) are not read; write the value out"),
        ("a: 1\n<<: {b: 2}\n", "f.yaml:2:1: merge keys (<<) are not read; write the fields out"),
        ("a: !!str 1\n", "f.yaml:1:4: tags ('tag:yaml.org,2002:str') are not read; leave it out, a value is the text"),
        ("a: 1\n---\nb: 2\n", "f.yaml:2:1: a second document begins here; write one document a file"),
        ("? [a]\n: 1\n", "f.yaml:1:3: a key must be a word; write key: value"),
        ("null: 1\n", "f.yaml:1:1: this key is empty"),
        ("a:\n  b: 1\n\tc: 2\n", "f.yaml:3:1: a tab stands where only spaces may; YAML is indented with spaces"),
        ("a:\n  b: 1\n c: 2\n", "f.yaml:3:2: this fits nothing above it; check its indentation"),
        ("a: 'x\nb: 1\n", "f.yaml:1:4: the quoted text never ends; close it"),
        ("a: [1, 2\nb: 1\n", "f.yaml:1:4: the list that begins with '[' is not closed"),
        ("a: {b: 1\n", "f.yaml:1:4: the mapping that begins with '{' is not closed"),
        ("a: b: c\n", "f.yaml:1:5: a second ': ' makes no sense here; put text that holds ': ' into quotes"),
        ("a: @b\n", "f.yaml:1:4: text cannot begin with this character; put the text into quotes"),
        ('a: "\\q"\n', "f.yaml:1:5: a backslash between double quotes begins an escape"),
        ('a: "\\0"\n', "f.yaml:1:4: this text holds a character that no database stores; remove it"),
        ("a: x\x07\n", "f.yaml:1:5: the character U+0007 cannot be seen"),
        ("a: x\u2028y\n", "f.yaml:1:5: the character U+2028 cannot be seen"),
        ("", "f.yaml:1:1: the file holds no fields; begin it with name: and a name"),
        ("# only a remark\n", "f.yaml:1:1: the file holds no fields"),
        ("- a\n", "f.yaml:1:1: the file holds no fields"),
        ("a: " + "[" * 40 + "]" * 40, "f.yaml:1:35: values are nested too deeply; 32 levels are the most"),
        ("a: " + "[" * 100_000, "f.yaml:1:1003: values are nested too deeply"),
        ("? " * 200_000, "f.yaml:1:3: a key must be a word"),
    ],
)
def test_faults_are_named_with_their_place(text: str, expected: str) -> None:
    """Each fault has file, line, column, what is wrong and what would be right."""
    assert problems(text)[0].startswith(expected)


@pytest.mark.parametrize(
    ("raw", "place"),
    [(b"a: \xff\n", "1:4"), (b"a: b\nc: \xe4\n", "2:4"), ("a: b".encode("utf-16"), "1:1"), (b"a: b\nc: \0\n", "2:4")],
)
def test_bytes_that_are_no_text_are_refused(raw: bytes, place: str) -> None:
    """What is not UTF-8, and NUL, are refused at their place."""
    assert problems(raw)[0].startswith(f"f.yaml:{place}: ")


def test_a_byte_order_mark_is_passed_over() -> None:
    """Some editors begin a UTF-8 file with a mark; it moves no column."""
    assert parse_yaml(b"\xef\xbb\xbfa: 1\n", "f").place(("a",), key=True) == (1, 1)


def test_all_faults_come_in_one_go_and_in_file_order() -> None:
    """One run names every fault of a file, fifty of them at most."""
    assert [line.partition(": ")[0] for line in problems("a: &x 1\nb: *x\na: 2\n")] == [
        "f.yaml:1:4",
        "f.yaml:2:4",
        "f.yaml:3:1",
    ]
    many = problems("a: 1\n" * 100)
    assert len(many) == 51
    assert many[-1] == "f.yaml: and 49 more problems; mend these first"


def test_one_place_is_complained_about_once() -> None:
    """What follows from a fault at the same place is not said on top of it."""
    file = parse_yaml(b"a: &x 1\n", "f")
    file.complain(("a",), "and this too")
    with pytest.raises(FileRefused) as caught:
        file.check()
    assert caught.value.problems == ["f:1:4: anchors (&x) are not read; leave it out"]


@pytest.mark.parametrize("text", [SURPRISES, "a: {b: [1, {c: d}], e: f}\n", "a: |\n  x\n  y\nb: >\n  z\n"])
def test_the_parser_in_python_reads_the_same(text: str) -> None:
    """Where PyYAML was built without its C parser a file means the same and has the same places."""
    slow, fast = YamlFile("f"), parse_yaml(text.encode(), "f")
    fill(slow, text, yaml.SafeLoader)
    assert (slow.data, slow.keys, slow.values) == (fast.data, fast.keys, fast.values)


def test_what_is_not_a_file_is_refused(tmp_path: Path) -> None:
    """Missing files, directories, huge files and impossible paths get a sentence that names them."""
    huge = tmp_path / "huge.yaml"
    huge.write_bytes(b"#" * (MAX_BYTES + 1))
    for path, expected in (
        (tmp_path / "none.yaml", "there is no such file; check the path"),
        (tmp_path, "this is a directory; name a .yaml file in it"),
        (huge, "the file is larger than 1 MiB, the most that is read; cut it into several"),
        (Path("a\0b"), "the file cannot be read (embedded null byte); name a readable .yaml file"),
    ):
        with pytest.raises(FileRefused) as caught:
            read_yaml(path)
        assert caught.value.problems == [f"{path}: {expected}"]
