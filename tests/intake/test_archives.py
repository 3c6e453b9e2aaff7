"""What comes out of an archive, sound or hostile: names, kinds and bytes under caps, or one line that says why not."""

from __future__ import annotations

import bz2
import gzip
import io
import stat
import struct
import tarfile
import time
import tracemalloc
import zipfile
import zlib
from contextlib import closing

import pytest
from packing import header, in_directory, link, tarred, zipped, zipped_raw

from grader.intake.archives import CLASS, OWN, Archive, Caps, open_archive, stem
from grader.intake.naming import is_hidden, is_junk
from grader.intake.reading import MOST_BYTES, BadFile

FILES = {"ada/hooks.ipynb": b"a" * 1000, "ben/": b"", "ben/deep/er.ipynb": b"b", "ü/李.ipynb": b"c"}
# Offsets in an entry of a zip's list of members.
FLAGS, METHOD, PACKED, SIZE, OFFSET = 8, 10, 20, 24, 42


def opened(data: bytes, caps: Caps = OWN) -> Archive:
    archive = open_archive(io.BytesIO(data), caps)
    assert not isinstance(archive, BadFile), archive
    return archive


def refused(data: bytes, caps: Caps = OWN) -> str:
    found = open_archive(io.BytesIO(data), caps)
    assert isinstance(found, BadFile), found.members
    assert "\n" not in found.reason
    return found.reason


def only(data: bytes, most: int = MOST_BYTES) -> bytes | str:
    """The bytes of the one member, or the reason why they cannot be had."""
    archive = opened(data)
    (member,) = archive.members
    found = archive.read(member, most)
    return found.reason if isinstance(found, BadFile) else found


@pytest.mark.parametrize("data", [zipped(FILES), tarred(FILES), tarred(FILES, "w:gz")])
def test_kinds_of_archives_give_the_same(data: bytes) -> None:
    """Zip, tar and packed tar give the same names, sorted, kinds and bytes."""
    with closing(opened(data)) as archive:
        holds_all(archive)


def holds_all(archive: Archive) -> None:
    found = {"/".join(each.parts): each for each in archive.members}
    assert list(found) == ["ada/hooks.ipynb", "ben", "ben/deep/er.ipynb", "ü/李.ipynb"]
    assert [each.kind for each in found.values()] == ["file", "folder", "file", "file"]
    assert archive.read(found["ada/hooks.ipynb"], 1000) == b"a" * 1000
    assert archive.read(found["ü/李.ipynb"], 1000) == b"c"


@pytest.mark.parametrize("pack", [zipped, tarred])
def test_names_that_lead_out(pack) -> None:
    """A name with `..` is refused wherever the dots stand; an absolute one is read as if it began at the archive."""
    names = [
        "../x.ipynb",
        "ada/../../x.ipynb",
        "ada\\..\\x.ipynb",
        "/etc/passwd",
        "C:\\Users\\ada\\hooks.ipynb",
        "./b/./c",
    ]
    members = opened(pack(dict.fromkeys(names, b"x"))).members
    assert {each.kind for each in members if ".." in each.parts[0]} == {"refused"}
    assert sorted(each.parts for each in members if each.kind == "file") == [
        ("Users", "ada", "hooks.ipynb"),
        ("b", "c"),
        ("etc", "passwd"),
    ]
    for member in members:
        if member.kind == "refused":
            assert len(member.parts) == 1
            assert "leads out of the archive" in member.problem


def test_links_and_devices_are_no_files() -> None:
    """Links, pipes, devices and what is unknown are told from files; a setuid file is a file."""
    for mode, kind in (
        (stat.S_IFLNK, "link"),
        (stat.S_IFIFO, "special"),
        (stat.S_IFCHR, "special"),
        (stat.S_IFSOCK, "special"),
        (stat.S_IFREG | stat.S_ISUID, "file"),
        (0, "file"),
    ):
        (member,) = opened(zipped({"x": b"y"}, external_attr=(mode | 0o777) << 16)).members
        assert member.kind == kind
    kinds = {tarfile.SYMTYPE: "link", tarfile.LNKTYPE: "link", tarfile.FIFOTYPE: "special", tarfile.BLKTYPE: "special"}
    for tar_kind, kind in {**kinds, tarfile.CHRTYPE: "special", b"V": "special"}.items():
        (member,) = opened(tarred({"x": b""}, type=tar_kind, linkname="/etc/passwd")).members
        assert member.kind == kind
    assert opened(link()).members[0].kind == "link"


def test_a_bomb_is_refused_unread() -> None:
    """A quarter of a gigabyte in a quarter of a megabyte: refused by its declared size, in no time and memory."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive, archive.open("hooks.ipynb", "w") as member:
        for _ in range(256):
            member.write(bytes(2**20))
    data = buffer.getvalue()
    began = time.process_time()
    assert "too large (256 MB; at most 16 MB)" in str(only(data))
    assert time.process_time() - began < 0.5


@pytest.mark.parametrize("size", [10, 0])
def test_a_bomb_that_lies_about_its_size(size: int) -> None:
    """Whatever size is claimed, no more is unpacked than that, and the lie is found."""
    data = in_directory(zipped({"hooks.ipynb": bytes(200 * 2**20)}), SIZE, "I", size)
    tracemalloc.start()
    found = only(data)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert "cannot be unpacked" in str(found)
    assert peak < 8 * 2**20


def test_a_size_beyond_what_can_be_packed() -> None:
    """A member that claims more bytes than deflate can make of it is a lie, and not read."""
    assert "more than it can" in str(only(in_directory(zipped({"x": b"y"}), SIZE, "I", 2**20)))
    assert only(zipped({"x": b"y" * 2**20})) == b"y" * 2**20  # a thousandfold is honest


def test_all_members_together_have_a_cap() -> None:
    """After so many unpacked bytes nothing more is read of an archive; what was read stands."""
    caps = Caps(OWN.file_bytes, OWN.directory_bytes, OWN.members, OWN.headers, unpacked_bytes=2500)
    archive = opened(zipped(dict.fromkeys("abc", b"x" * 1000)), caps)
    found = [archive.read(each, 2000) for each in archive.members]
    assert found[:2] == [b"x" * 1000] * 2
    assert isinstance(found[2], BadFile)
    assert "unpacks to too much" in found[2].reason


def test_a_packed_tar_that_unpacks_to_too_much() -> None:
    """A .tar.gz is unpacked up to its cap and no further, in bounded memory."""
    data = gzip.compress(tarred({"x.ipynb": bytes(200 * 2**20)}), 1)
    tracemalloc.start()
    assert "unpacks to more than 100 MB" in refused(data)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 32 * 2**20


def test_encrypted_and_unusual_members() -> None:
    """An encrypted member, and one that no ordinary program packs, cannot be had; both say what to do."""
    assert "is encrypted: pack it without a password" in str(only(in_directory(zipped({"x": b"y"}), FLAGS, "H", 1)))
    for method in (zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA, 9, 99):
        assert "unusual way" in str(only(in_directory(zipped({"x": b"y"}), METHOD, "H", method)))


def test_members_that_share_bytes() -> None:
    """Overlapping members, as in a bomb of a few kilobytes, cannot be had; their neighbours can."""
    data = zipped([("a", b"1" * 100), ("b", b"2" * 100), ("c", b"3" * 100)])
    archive = opened(in_directory(data, OFFSET, "I", 0, number=1))
    a, b, c = archive.members
    assert "shares its bytes" in a.problem
    assert "shares its bytes" in b.problem
    assert archive.read(c, 100) == b"3" * 100


def test_equal_names_are_both_there() -> None:
    """A name that stands twice gives two members, each with its own bytes; so do names that differ in capitals."""
    for pack in (zipped, tarred):
        with pytest.warns(UserWarning, match="Duplicate") if pack is zipped else pytest.MonkeyPatch.context():
            data = pack([("x", b"1"), ("x", b"2"), ("X", b"3")])
        archive = opened(data)
        assert [(each.parts, archive.read(each, 9)) for each in archive.members] == [
            (("X",), b"3"),
            (("x",), b"1"),
            (("x",), b"2"),
        ]


def test_so_many_members_and_no_more() -> None:
    """A student's archive may hold 200 files, junk not counted, a class's 50,000."""
    files = {f"{number}.txt": b"" for number in range(200)}
    junk = {f".git/objects/{number}": b"" for number in range(3000)} | {"__MACOSX/._0.txt": b""}
    for pack in (zipped, tarred):
        assert len(opened(pack({**files, **junk})).members) == 200
        assert "holds more than 200 files" in refused(pack({**files, "more": b""}))
    many = {f"{number}/hooks.ipynb": b"x" for number in range(20_000)}
    assert "holds more than 200 files" in refused(zipped(many), Caps(OWN.file_bytes, 2**24, 200, 10_000, 10))
    assert len(opened(zipped(many), CLASS).members) == 20_000


def test_a_list_of_members_that_is_too_long() -> None:
    """A list of members of megabytes is refused before it is parsed."""
    data = zipped_raw({b"%d" % number * 100: b"" for number in range(10_000, 15_000)})
    assert "list of files that is too long" in refused(data)


def test_odd_names() -> None:
    """Names of 5,000 characters and with a zero byte are refused; long components and control characters are names."""
    assert "5000 characters" in opened(zipped({"x" * 5000: b""})).members[0].problem
    assert "zero byte" in opened(zipped_raw({b"x\0y.ipynb": b""})).members[0].problem
    assert "has no name" in opened(zipped_raw({b"//": b"", b"": b""})).members[0].problem
    (member,) = opened(zipped({"ä" * 255 + "/\x1b[31m\n=cmd.ipynb": b""})).members
    assert member.parts == ("ä" * 255, "\x1b[31m\n=cmd.ipynb")
    (member,) = opened(tarred({"ä" * 255 + "/x.ipynb": b"1"})).members
    assert member.parts == ("ä" * 255, "x.ipynb")


def test_names_of_other_systems() -> None:
    """Without the UTF-8 flag a name is read as UTF-8 if it can be, else as DOS wrote it; Info-ZIP's own field wins."""
    named = {"Müller".encode(): ("Müller",), "Müller".encode("cp437"): ("Müller",), b"Mu\xcc\x88ller": ("Müller",)}
    for raw, parts in named.items():
        assert opened(zipped_raw({raw: b""})).members[0].parts == parts
    assert opened(zipped_raw({"李".encode(): b""}, flags=0x800)).members[0].parts == ("李",)
    raw = b"M\x81ller"
    for check, shown in ((zlib.crc32(raw), "Möller"), (0, "Müller")):
        field = struct.pack("<BI", 1, check) + "Möller".encode()
        extra = struct.pack("<HH", 0x7075, len(field)) + field
        assert opened(zipped_raw({raw: b""}, extra=extra)).members[0].parts == (shown,)
    assert opened(tarred({"Mu\u0308ller": b""})).members[0].parts == ("Müller",)
    assert opened(header(b"M\xffx", b"0") + bytes(1024)).members[0].parts == ("M\\xffx",)


@pytest.mark.parametrize(
    ("data", "why"),
    [
        (b"", "it is empty"),
        (b"<!DOCTYPE html><html>log in</html>", "it is a web page"),
        (b'{"cells": []}', "it is a notebook"),
        (b"\x89PNG\r\n", "is no archive, whatever its name says:"),
        (b"7z\xbc\xaf\x27\x1c" + bytes(40), "is a 7z archive, and those are not opened: unpack it"),
        (b"Rar!\x1a\x07\x01\x00", "is a RAR archive"),
        (bz2.compress(tarred({"x": b"y"})), "packed by bzip2"),
        (b"\xfd7zXZ\0" + bytes(40), "packed by xz"),
        (gzip.compress(b'{"cells": []}'), "is one packed file and no archive"),
        (gzip.compress(tarred({"x": b"y"}))[:-20], "is damaged, or breaks off"),
        (tarred({"x": b"y" * 3000})[:2000], "breaks off in the middle"),
        (zipped({"x": b"y" * 3000})[:-30], "is a damaged zip archive"),
        (b"PK\x03\x04" + bytes(100), "is a damaged zip archive"),
        (header(b"x", b"\x80" + b"\xff" * 11) + bytes(1024), "breaks off in the middle"),
        (header(b"x", b"\xff" * 12) + bytes(1024), "impossible size"),
        (header(b"x", b"-0000000007") + bytes(1024), "impossible size"),
        (header(b"x", b"zzz") + bytes(1024), "impossible size"),
        (header(b"x", b"00040000000", b"L") + bytes(1024), "has a header of 8388608 bytes"),
        (tarred({"x": b"y"}, pax_headers={"GNU.sparse.major": "1"}), "sparse file"),
    ],
)
def test_what_is_no_archive_says_so(data: bytes, why: str) -> None:
    """Each kind of broken, foreign or hostile archive is refused in one line."""
    assert why in refused(data)


def test_a_header_that_would_keep_tarfile_busy() -> None:
    """An extended header of digits, which takes other readers hours, is read in no time."""
    digits = b"1" * 60_000
    data = header(b"x", b"%011o" % len(digits), b"x") + digits.ljust(512 * 118, b"\0") + header(b"y", b"0")
    began = time.process_time()
    assert [each.parts for each in opened(data + bytes(1024)).members] == [("y",)]
    assert time.process_time() - began < 0.5


def test_a_member_that_is_damaged_costs_itself_alone() -> None:
    """A wrong checksum is a reason for that member; the next one is read."""
    data = bytearray(zipped_raw({b"a": b"1" * 100, b"b": b"2"}))
    data[60] ^= 1
    archive = opened(bytes(data))
    a, b = (archive.read(each, 200) for each in archive.members)
    assert isinstance(a, BadFile)
    assert "Bad CRC" in a.reason
    assert b == b"2"


def test_junk_and_hidden_names() -> None:
    """What programs make by themselves is junk; another name with a dot is hidden, and that is said."""
    junk = [
        ".git",
        ".ipynb_checkpoints",
        "._hooks.ipynb",
        ".DS_Store",
        "~$hooks.docx",
        ".~lock.x#",
        "__MACOSX",
        ".Trash-1000",
    ]
    assert all(map(is_junk, junk))
    assert not any(is_junk(name) or not is_hidden(name) for name in (".ada", ".hooks.ipynb", ".gitx"))
    assert not is_hidden("..")


def test_the_stem_of_an_archive() -> None:
    """The whole ending is cut off, and nothing is left without a name."""
    assert [stem(name) for name in ("a.tar.gz", "a.b.ZIP", "a.tgz", "a.txt", ".zip")] == [
        "a",
        "a.b",
        "a",
        "a.txt",
        ".zip",
    ]
