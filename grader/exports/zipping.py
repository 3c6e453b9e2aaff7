"""Files -> a zip that is the same for the same files."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Mapping

# Zip knows no earlier time.
BEGINNING = (1980, 1, 1, 0, 0, 0)


def zip_bytes(files: Mapping[str, bytes]) -> bytes:
    """A zip with these files, sorted, without times."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        for name in sorted(files):
            entry = zipfile.ZipInfo(name, BEGINNING)
            entry.compress_type = zipfile.ZIP_DEFLATED
            entry.external_attr = 0o600 << 16
            archive.writestr(entry, files[name])
    return buffer.getvalue()
