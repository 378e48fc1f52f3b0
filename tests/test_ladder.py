"""The lessons of docs/ladder.md: python3 test_ladder.py <source folder>

Every line of code on the page stands in the file that the lesson links to, in that order; every lesson is linked at the top, names
a file and experiments; the chart is there.
"""
import re
import sys
from pathlib import Path

root = Path(sys.argv[1])
page = (root / "docs/ladder.md").read_text()
experiments = "".join(path.read_text() for path in (root / "tools/lab").glob("experiments_*.cpp"))
failed = 0


def fail(what):
    global failed
    failed = 1
    print("FAIL docs/ladder.md:", what)


def squeezed(line):
    return " ".join(line.split())


lessons = re.findall(r"^### (\d+)\. (.+)\n\n(.*)\n((?:\n```cuda\n(?:.*\n)*?```\n)?)", page, re.M)
if len(lessons) < 10 or [int(number) for number, *_ in lessons] != list(range(1, len(lessons) + 1)):
    fail(f"{len(lessons)} lessons, not ten or more in order")
for number, title, about, code in lessons:
    anchor = re.sub(r"[^a-z0-9 -]", "", f"{number}. {title}".lower()).replace(" ", "-")
    if f"{number}. [{title}](#{anchor})\n" not in page:
        fail(f"lesson {number} is not linked")
    told = re.fullmatch(r"\[(.+)\]\(\.\./(src/.+)\), `gpuopt lab ([0-9a-f. ]+)`", about)
    if not told or not (root / told[2]).is_file():
        fail(f"lesson {number} names no file and experiment: {about}")
        continue
    for name in told[3].split():
        if not re.search(rf'"{re.escape(name)}[a-z]?"', experiments):
            fail(f"lesson {number} names {name}, which is no experiment")
    left = iter(squeezed(line) for line in (root / told[2]).read_text().splitlines())
    for line in re.findall(r"^(?!```)(.+)$", code, re.M):
        if line.strip() != "..." and squeezed(line) not in left:
            fail(f"lesson {number}: {told[2]} does not have, from there on: {line}")
            break
for picture in re.findall(r"!\[.*?\]\((.+?)\)", page):
    if not (root / "docs" / picture).is_file():
        fail(f"there is no {picture}")
if "![" not in page:
    fail("no chart")
sys.exit(failed)
