"""Records of long runs: what is written is read, and what is not there is refused."""

from __future__ import annotations

import json

import pytest

from chapters_src.data.records import FILES, record, write_record


@pytest.mark.parametrize("name", FILES)
def test_every_record_says_when_and_where(name):
    assert {"date", "machine", "python", "torch", "runs"} <= set(record(name))


def test_what_is_written_can_be_read(tmp_path):
    content = {"runs": {"ä": [[1, 2.5]]}}
    path = write_record("language_model", content, tmp_path)
    assert json.loads(path.read_text(encoding="utf-8")) == content


@pytest.mark.parametrize("name", ["", "no such run", "../records", 3, None])
def test_an_unknown_name_is_refused(name):
    with pytest.raises(ValueError, match=r"^record: name must be .+; got "):
        record(name)
