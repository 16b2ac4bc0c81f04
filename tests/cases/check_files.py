"""check_files.py: checks of the cases about output files and work folders."""

import re

from printed import must


def unwritable_output(printed):
    user = "nobody" if printed.cluster.work.owner() == "root" else printed.cluster.work.owner()
    refused = {"read_only": ("ro/x.out", "EACCES"), "folder": ("adir", "EISDIR"), "locked": ("locked", "EACCES"),
               "proc": ("/proc/1/nope", "E"), "roots": ("/root/sluice-case-017.", "EACCES"),
               "long": ("a" * 300, "ENAMETOOLONG")}
    for name, (path, error) in refused.items():
        state, code, reason = printed[name].split("|", 2)
        must((state, code) == ("FAILED", "0:0"), f"{name}: FAILED and no signal, not {state} {code}")
        must(path in reason and re.search(rf"\({error}[A-Z]*\)", reason) and f"as user {user}" in reason,
             f"{name}: path, {error} and {user} in the reason, not {reason!r}")
    printed.is_("full", "COMPLETED|0:0|None")
    must(not printed.all("appeared"), f"nothing is written, not {printed.all('appeared')}")
    printed.is_("node", "idle")


def first_lines(printed):
    found = {"a_none.sh": '"echo no interpreter here"', "b_indented.sh": '"    #!/bin/bash"', "d_empty.sh": "nothing",
             "e_elf_like.bin": "ELF"}
    for name, text in found.items():
        code, printed_bytes, line = printed[name].split(" ", 2)
        must(code != "0" and printed_bytes == "0", f"{name}: refused, nothing on stdout")
        must(f"{name}:1: line 1 must start with #!, found " in line and text in line,
             f"{name}: the line says what must be and what was found, not {line!r}")
    printed.is_("queued", "0")
    for name, code, path in (("c_missing_interp.sh", "127:0", "/opt/does/not/exist/python3"),
                             ("f_no_program.sh", "126:0", "/etc/passwd")):
        must(printed[name].startswith(f"FAILED|{code}|") and f"its interpreter {path} on n1" in printed[name],
             f"{name}: FAILED, {code} and the interpreter in the reason, not {printed[name]!r}")
        printed.is_(f"{name}.shown", code)
        printed.is_(f"{name}.runs", "1 0")
    printed.is_("next", "COMPLETED")
    printed.is_("node", "idle")


def patterns(printed):
    def only(name, wanted, shown=None):
        files = printed[name].replace("./go ", "").split()
        must(files == [f"./p/{wanted}"], f"{name}: p/{wanted} alone, not {files}")
        views = printed.all(shown) if shown else []
        must(all(view == f"{printed.cluster.work}/p/{wanted}" for view in views),
             f"every view shows this path, not {views}")
        must(not shown or len(views) >= 2, "two views or more")

    job, array = printed["job"], printed["array"]
    only("files", f"pat-{job}-{int(job):05}-{printed['user']}-{printed['node']}-%-%j.out", "shown")
    must(len(printed.all("shown")) == 4, "shown while it runs and when it has ended")
    only("array_files", f"{array}_7-0007", "array_shown")
    printed.is_("slash", "COMPLETED")
    must(not printed.all("moved"), f"a slash in the name moves nothing, not {printed.all('moved')}")
    files = printed["slash_files"].replace("./go ", "").split()
    must(len(files) == 1 and re.fullmatch(r"\./p/[^/]+", files[0]), f"one file in p, not {files}")
    must(set(printed.all("slash_shown")) == {f"{printed.cluster.work}/{files[0][2:]}"}, "and shown as it is")
    if printed["unknown_rc"] == "0":
        only("unknown_files", "%Z%q.out")
    else:
        printed.says("%Z")
    printed.is_("none_out", "/dev/null")
    printed.is_("none_err", f"{printed.cluster.work}/p/e")
    only("none_files", "e")


def words_of_a_script(printed):
    printed.is_("texts", "same")
    printed.is_("runs", "2")
    printed.is_("states", "COMPLETED,COMPLETED")
    for word in ("srun", "xrun"):
        must(re.findall(rf"^{word}: nodes=2 list=n\[1-2\] host=(\S+) job=\d+$", printed.out, re.M)
             == [printed["first"]], f"the script with {word} ran once, on the first of its nodes")
    must("srun: please do not srun this" in printed.out, "and says what stands in it")


def missing_folder(printed):
    work = printed["work"]
    cases = {"nowhere": "/no/such/dir", "gone": f"{work}/gone", "file": f"{work}/file"}
    arrived = {f"{work}/there"}
    if printed["hidden_folder"]:
        cases["hidden"] = printed["hidden_folder"]
        arrived.add(printed["hidden_folder"])
        must(printed["seen"].startswith("COMPLETED|0:0|n1|"), "the node that has the folder runs the job")
    for name, path in cases.items():
        if name == "nowhere" and printed["nowhere_rc"] != "0":
            must(path in printed["nowhere_error"], "refused with the path")
            continue
        state, code, node, reason = printed[name].split("|", 3)
        must((state, code) == ("FAILED", "0:0"), f"{name}: FAILED and no signal, not {state} {code}")
        must(f"{path} on {node}" in reason and re.search(r"\(E[A-Z]+\)", reason),
             f"{name}: the path, the node and the error in the reason, not {reason!r}")
        printed.is_(f"{name}_runs", "1")
    must(printed["there"].startswith("COMPLETED|0:0|"), "a folder that is there serves")
    must(not printed.all("strayed"), f"never run elsewhere, not {printed.all('strayed')}")
    must({path.rsplit("/", 1)[0] for path in printed.all("here")} == arrived, "run there and only there")
    printed.is_("nodes", "idle ")


def links_to_roots_files(printed):
    links = [text.split(" ", 1) for text in printed.all("link")]
    must([name for name, _ in links] == ["out", "slurm-next", "over", "etc/pwn", "out", "over"], "six links tried")
    for name, ended in links:
        state, reason = ended.split("|", 1)
        must(state == "FAILED" and "as user nobody: Permission denied (EACCES)" in reason,
             f"{name}: opened with the user's rights, not {ended!r}")
    must(int(printed["raced"]) == 30, "all jobs of the race ended")
    printed.is_("job", "COMPLETED")
    printed.is_("spool", "cleaned")
    for name in ("users_own", "writable", "spool_link", "touched"):
        must(not printed.all(name), f"no {name}, not {printed.all(name)}")
    must(len(printed.all("spool_folder")) == 1, "the folder of the spool is not moved")
    printed.is_("system", "same")
