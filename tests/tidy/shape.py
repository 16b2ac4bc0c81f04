"""shape.py: the form of files and functions: purpose comment, sizes. Sizes over the limit that exist
are listed in ratchet.txt and may only shrink."""

import pathlib
import re
import statistics
import subprocess

from source import REPOSITORY, Finding

FILE_LINES_MAX = 600
FUNCTION_LINES_MAX = 70
FUNCTION_LINES_MEDIAN_MAX = 15
LARGE_FUNCTION_SHARE_MAX = 0.03
RATCHET = pathlib.Path(__file__).with_name("ratchet.txt")

# Suffix or name -> how a file says what it is for.
PURPOSE = {
    ".cpp": r"// {name}: \S", ".h": r"// {name}: \S", ".py": r'(#!.*\n)?"""(.|\n)', ".sql": r"-- \w",
    ".sh": r"#!.*\n# \w", ".cmake": r"# \w",
}


def check_purpose(source):
    pattern = PURPOSE.get(source.suffix)
    if source.suffix == "" and source.text.startswith("#!"):
        pattern = r'#!.*\n(# \w|""")'
    if pattern and not re.match(pattern.replace("{name}", re.escape(source.name)), source.text):
        example = f"// {source.name}: ..." if source.is_cpp else "a comment"
        yield Finding(source.path, 1, f"begin with what the file is for and must not do ({example})")


def check_header(source):
    if source.suffix != ".h":
        return
    if "#pragma once" not in source.text:
        yield Finding(source.path, 1, "a header needs #pragma once")
    for line, text in source.code_lines():
        if re.match(r"\s*using namespace\b", text):
            yield Finding(source.path, line, "no `using namespace` in a header")


def read_ratchet():
    """{(path, function or ""): lines allowed}"""
    allowed = {}
    for text in RATCHET.read_text().splitlines() if RATCHET.exists() else []:
        words = text.split("#")[0].split()
        if words:
            allowed[(words[0], words[1] if len(words) > 2 else "")] = int(words[-1])
    return allowed


def check_file_size(source, ratchet):
    if not source.is_cpp or source.is_test:
        return
    size = len(source.text.splitlines())
    limit = max(FILE_LINES_MAX, ratchet.get((source.path, ""), 0))
    if size > limit:
        yield Finding(source.path, 1, f"{size} lines, at most {limit}: split by subject")


def functions(paths):
    """(path, line, name, lines) of every C++ function, by Universal Ctags."""
    if not paths:
        return []
    done = subprocess.run(
        ["ctags", "-L", "-", "-o", "-", "--languages=C++", "--langmap=C++:+.h", "--kinds-C++=f",
         "--fields=+neS", "--excmd=number"],
        input="\n".join(paths), text=True, capture_output=True, check=True, cwd=REPOSITORY)
    found = []
    for row in done.stdout.splitlines():
        if row.startswith("!"):
            continue
        name, path, *fields = row.split("\t")
        named = dict(field.split(":", 1) for field in fields if ":" in field)
        if "end" in named:
            line = int(named["line"])
            found.append((path, line, name, int(named["end"]) - line + 1))
    return found


def check_functions(measured, ratchet):
    if not measured:
        return
    for path, line, name, size in measured:
        limit = max(FUNCTION_LINES_MAX, ratchet.get((path, name), 0))
        if size > limit:
            yield Finding(path, line, f"{name}() has {size} lines, at most {limit}: one level of the "
                          "story a function")
    sizes = [size for *_, size in measured]
    median = statistics.median(sizes)
    if median > FUNCTION_LINES_MEDIAN_MAX:
        yield Finding(".", 0, f"the median function has {median:g} lines, at most {FUNCTION_LINES_MEDIAN_MAX}")
    share = sum(size > FUNCTION_LINES_MAX for size in sizes) / len(sizes)
    if share > LARGE_FUNCTION_SHARE_MAX:
        yield Finding(".", 0, f"{share:.1%} of functions exceed {FUNCTION_LINES_MAX} lines, at most "
                      f"{LARGE_FUNCTION_SHARE_MAX:.0%}")


def check_ratchet(sources, measured, ratchet):
    """A row that is no longer needed must go, so that the size cannot come back."""
    sizes = {(path, name): size for path, _, name, size in measured}
    sizes.update({(source.path, ""): len(source.text.splitlines()) for source in sources})
    for (path, name), allowed in ratchet.items():
        size = sizes.get((path, name), 0)
        if size < allowed:
            what = f"{path} {name}".strip()
            yield Finding("tests/tidy/ratchet.txt", 1, f"{what} has {size} lines now: lower or remove its row")


def check(sources):
    ratchet = read_ratchet()
    for source in sources:
        yield from check_purpose(source)
        yield from check_header(source)
        yield from check_file_size(source, ratchet)
    measured = functions([s.path for s in sources if s.is_cpp and not s.is_test])
    yield from check_functions(measured, ratchet)
    yield from check_ratchet(sources, measured, ratchet)
