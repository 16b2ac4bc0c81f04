"""source.py: the files tidy looks at, and how it speaks. Knows no rule."""

import dataclasses
import pathlib
import subprocess

REPOSITORY = pathlib.Path(__file__).resolve().parents[2]
CPP = {".cpp", ".h"}
TEST_DATA = ("tests/data/", "tests/cases/", "tests/fuzz/corpus/")


@dataclasses.dataclass
class Finding:
    """One broken rule: where, and what to do about it."""
    path: str
    line: int
    text: str

    def __str__(self):
        return f"{self.path}:{self.line}: {self.text}"


@dataclasses.dataclass
class Source:
    """A text file of the repository; `path` is relative to its root."""
    path: str
    text: str

    @property
    def suffix(self):
        return pathlib.PurePosixPath(self.path).suffix

    @property
    def name(self):
        return pathlib.PurePosixPath(self.path).name

    @property
    def is_cpp(self):
        return self.suffix in CPP

    @property
    def is_test(self):
        return self.path.startswith("tests/")

    def lines(self):
        return enumerate(self.text.splitlines(), 1)

    def code_lines(self):
        """The lines of C++ without comments and without what stands in string literals."""
        return enumerate(strip_comments(self.text).splitlines(), 1)


def strip_comments(text):
    """C++ with comments and the insides of literals blanked; line numbers stay."""
    out = []
    i = 0
    while i < len(text):
        two = text[i:i + 2]
        if two == "//":
            end = text.find("\n", i)
            end = len(text) if end < 0 else end
        elif two == "/*":
            end = text.find("*/", i + 2)
            end = len(text) if end < 0 else end + 2
        elif two == 'R"':
            closing = ")" + text[i + 2:text.find("(", i)] + '"'
            end = text.find(closing, i)
            end = len(text) if end < 0 else end + len(closing)
        elif text[i] == '"' or (text[i] == "'" and not (i and text[i - 1].isalnum())):
            end = i + 1
            while end < len(text) and text[end] not in (text[i], "\n"):
                end += 2 if text[end] == "\\" else 1
            end += 1
        else:
            out.append(text[i])
            i += 1
            continue
        # An include keeps its quoted path: the layer rule reads it.
        line_start = text.rfind("\n", 0, i) + 1
        if text[i] == '"' and text[line_start:i].strip().startswith("#include"):
            out.append(text[i:end])
        else:
            out.append("".join(c if c == "\n" else " " for c in text[i:end]))
        i = end
    return "".join(out)


def repository_files():
    """All files of the checkout that git knows or would add."""
    listed = subprocess.run(["git", "ls-files", "-z", "-c", "-o", "--exclude-standard"],
                            cwd=REPOSITORY, capture_output=True)
    if listed.returncode == 0:
        return [path for path in listed.stdout.decode().split("\0") if path]
    return [str(path.relative_to(REPOSITORY)) for path in REPOSITORY.rglob("*")
            if path.is_file() and path.relative_to(REPOSITORY).parts[0] not in ("build", ".git")]


def repository_sources():
    """The text files; data of tests is not ours to judge."""
    sources = []
    for path in sorted(set(repository_files())):
        full = REPOSITORY / path
        if path.startswith(TEST_DATA) or not full.is_file():
            continue
        content = full.read_bytes()
        if b"\0" not in content:
            sources.append(Source(path, content.decode("utf-8", "replace")))
    return sources
