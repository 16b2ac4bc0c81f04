"""layers.py: who may include whom. The table is the layer rule of ARCHITECTURE.md; a new folder gets a
row here. Reads #include lines only."""

import re

from source import Finding

# Folder -> folders of ours that it may include, besides its own. The longest prefix of a path counts.
LAYERS = {
    "common/base": [],
    "common/model": ["common/base"],
    "common/options": ["common/base", "common/model"],
    "common/arguments": ["common/base", "common/model", "common/options"],
    "common/wire": ["common/base", "common/model"],
    "common/log": ["common/base"],
    "common/net": ["common/base", "common/model", "common/wire"],
    "daemon/sched": ["common/base", "common/model"],
    "daemon/core": ["common/base", "common/model", "common/wire", "daemon/sched"],
    "daemon/store": ["common/base", "common/model", "common/wire"],  # its history queries answer in messages
    "daemon/rpc": ["common/base", "common/model", "common/wire", "daemon/core", "daemon/store"],
    "daemon/replay": ["common/base", "common/model", "common/wire", "daemon/sched", "daemon/core"],
    "agent/core": ["common/base", "common/model", "common/wire"],
    "agent/exec": ["common/base", "common/model", "common/wire", "agent/core"],
    "agent/fake": ["common/base", "common/model", "common/wire", "agent/core"],
    "cli": ["common/base", "common/model", "common/options", "common/wire"],
}

# Mains and tools of libexec wire things together: they may include all that lies below them.
WIRING = {
    "daemon": ["common", "daemon"],
    "agent": ["common", "agent"],
    "cli/dev": ["common", "agent/exec"],  # finds what agents leave behind
    "cli/admin": ["common", "daemon/store"],
    "cli/simulate": ["common", "daemon/replay", "daemon/core", "daemon/sched"],
    "tests": ["common", "daemon", "agent", "cli"],
}

# Libraries from outside -> folders whose files may use them; None: everywhere, but in a .cpp only.
LIBRARIES = {
    r"boost/(asio|beast)": ["common/net", "daemon", "agent", "cli", "tests"],
    r"CLI/": ["common/arguments"],
    r"nlohmann/json\.hpp": None,
    r"spdlog/": ["common/log"],
    r"sqlite3\.h": ["daemon/store", "cli/admin", "tests"],
    r"openssl/": ["common/net", "tests"],
    r"hwloc": ["agent", "tests"],
}

INCLUDE = re.compile(r'^\s*#\s*include\s*([<"])([^>"]+)[>"]')
OURS = ("common/", "daemon/", "agent/", "cli/", "tests/", "schema/")


def is_below(path, folder):
    return path.startswith(folder + "/")


def longest_row(path, *tables):
    """(folder, allowed) of the row that fits the path best; None: there is none."""
    rows = [(folder, allowed) for table in tables for folder, allowed in table.items()
            if is_below(path, folder)]
    return max(rows, key=lambda row: len(row[0]), default=None)


def check_own(source, line, included):
    if not included.startswith(OURS):
        return Finding(source.path, line, f'"{included}": write includes from the root of the repository')
    row = longest_row(source.path, LAYERS, WIRING)
    if row is None:
        return Finding(source.path, line, "no row for this folder in tests/tidy/layers.py: add one")
    folder, allowed = row
    target = longest_row(included, LAYERS, WIRING)
    if target and target[0] == folder:
        return None
    if any(is_below(included, name) for name in allowed):
        return None
    return Finding(source.path, line, f'{folder} may not include "{included}"; it may include '
                   f'{", ".join(allowed) or "nothing of ours"}')


def check_library(source, line, included):
    for pattern, folders in LIBRARIES.items():
        if not re.match(pattern, included):
            continue
        if source.suffix == ".h":
            return Finding(source.path, line, f"<{included}> is a heavy header: only in a .cpp")
        if folders is not None and not any(is_below(source.path, folder) for folder in folders):
            return Finding(source.path, line,
                           f"<{included}> may be used in {', '.join(folders)} only")
    return None


def check(sources):
    for source in sources:
        if not source.is_cpp:
            continue
        for line, text in source.code_lines():
            match = INCLUDE.match(text)
            if not match:
                continue
            finding = (check_own if match[1] == '"' else check_library)(source, line, match[2])
            if finding:
                yield finding
