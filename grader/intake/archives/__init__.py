"""Archives -> names, and the bytes of those members that may matter. Nothing is ever written under a member's name.

caps      how much of an archive is looked at
member    what a member is, and a budget of bytes for reading them
zips      .zip;  tars: .tar, and .tar.gz once it is unpacked
opening   which of them a file is, or why it is none
"""

from grader.intake.archives.caps import CLASS, OWN, Caps
from grader.intake.archives.member import Archive, Member
from grader.intake.archives.opening import ARCHIVE_ENDINGS, open_archive, stem

__all__ = ["ARCHIVE_ENDINGS", "CLASS", "OWN", "Archive", "Caps", "Member", "open_archive", "stem"]
