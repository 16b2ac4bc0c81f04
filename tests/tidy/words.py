"""words.py: what may not be written: impure calls in the pure folders, states set by hand, marks of
unfinished work, paths and words that belong to a workplace and not to the project."""

import re

from source import Finding

PURE = ("daemon/core/", "daemon/sched/", "agent/core/", "common/model/", "common/options/", "common/wire/")
# Files of a pure folder that read the machine for the others.
IMPURE_FILES = {"common/options/config_io.cpp"}

# In the deterministic parts time and chance are arguments; the outside is reached by effects only.
IMPURE_CALLS = [
    (r"_clock::now\s*\(|\bread_clocks\s*\(|\bclock_gettime\s*\(|\bgettimeofday\s*\(|(?<![\w.>])time\s*\(\s*(nullptr|NULL|0|&)",
     "reads a clock: take `Now` as an argument"),
    (r"\bstd::random_device\b|\bs?rand\s*\(|\bgetrandom\s*\(", "is not repeatable: take the generator as an argument"),
    (r"\bstd::j?thread\b|\bstd::(mutex|atomic|condition_variable|async)\b", "is for threads: one thread owns the state"),
    (r"\bstd::([io]?fstream|filesystem|cout|cerr)\b|\bf?open\s*\(\s*\"|\bfprintf\s*\(|\bgetenv\s*\(",
     "reaches the outside: emit an effect"),
]
IMPURE_HEADERS = {"thread", "mutex", "atomic", "condition_variable", "future", "fstream", "filesystem",
                  "iostream", "cstdio", "unistd.h", "fcntl.h", "ctime", "time.h"}

# A state is written by advance() alone. `{.state = x}` makes a new value and is no transition.
STATE_WRITE = re.compile(r"(?:\.|->)state\s*=(?!=)")
STATE_OF_NEW_VALUE = re.compile(r"(?:^|[{,(])\s*\.state\s*=(?!=)")
NOT_A_TRANSITION = "not a transition:"

# Spelled so that this file does not find itself.
UNWANTED = [
    (r"(?<![\w.])/[w]ork/", "is a path of one machine"),
    (r"(?<![\w.])/[h]ome/(?!user|\$|\{|u\b|alice|bob)\w+", "is a path of one machine"),
    (r"\b(TO[D]O|FIX[M]E|XX[X]|HAC[K])\b", "marks unfinished work: finish it, or file an issue"),
    (r"\b[A]I\b|\b[L]LM\b|\b[C]laude\b|\b[A]nthropic\b|\b[C]hatGPT\b|\blanguage [m]odel\b", "does not belong here"),
    (r"(?i)\b(this|previous|next|earlier|last|a later) [s]ession('s)?\b(?! of)", "speaks of how the work was done: say what is"),
    (r"\bp[k]ill\b|\bkill[a]ll\b", "ends processes by name: end them by pid"),
]


def check_pure(source):
    if not source.is_cpp or not source.path.startswith(PURE) or source.path in IMPURE_FILES:
        return
    for line, text in source.code_lines():
        for pattern, advice in IMPURE_CALLS:
            match = re.search(pattern, text)
            if match:
                yield Finding(source.path, line, f"`{match[0].strip()}` {advice}")
        header = re.match(r"\s*#\s*include\s*<([^>]+)>", text)
        if header and (header[1] in IMPURE_HEADERS or header[1].startswith("sys/")):
            yield Finding(source.path, line, f"<{header[1]}> is for impure code: emit an effect instead")


def check_states(source):
    if not source.is_cpp or source.is_test or source.path == "common/model/lifecycle.h":
        return
    lines = source.text.splitlines()
    for line, text in source.code_lines():
        if not STATE_WRITE.search(text) or STATE_OF_NEW_VALUE.search(text):
            continue
        nearby = lines[max(0, line - 2):line]
        if not any(NOT_A_TRANSITION in shown for shown in nearby):
            yield Finding(source.path, line, "a state is set by advance() only; if this copies or "
                          f"loads one, say so in a comment: // {NOT_A_TRANSITION} WHY")


def check_unwanted(source):
    if source.name == "LICENSE":
        return
    for line, text in source.lines():
        for pattern, advice in UNWANTED:
            match = re.search(pattern, text)
            if match:
                yield Finding(source.path, line, f"`{match[0]}` {advice}")


def check(sources):
    for source in sources:
        yield from check_pure(source)
        yield from check_states(source)
        yield from check_unwanted(source)
