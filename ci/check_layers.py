#!/usr/bin/env python3
"""Refuses includes that a module did not declare, and cycles between modules.

The only source of truth is DEPS in harness/*/CMakeLists.txt. Tests may also include TEST_DEPS. One
room owns each third-party library where OWNERS says so. Fixtures include no harness header.
"""
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
HARNESS = ROOT / "harness"
INCLUDE = re.compile(r'^\s*#\s*include\s+[<"]([^>"]+)[>"]', re.M)
KEYWORDS = {"DEPS", "LINK", "LINK_PUBLIC", "SOURCES", "TESTS", "TEST_DEPS", "TEST_LINK"}
OWNERS = {"curl/": {"http"}, "sqlite3.h": {"store"}, "CLI/": {"cli"}, "yaml-cpp/": {"scenario"},
          "hwloc.h": {"topology"}, "hwloc/": {"topology"}, "openssl/": {"base"}}


def declared():
    modules = {}
    for path in sorted(HARNESS.glob("*/CMakeLists.txt")):
        text = re.sub(r"#.*", "", path.read_text())
        for call in re.findall(r"sglexp_module\(([^)]*)\)", text):
            words = call.split()
            lists = {keyword: [] for keyword in KEYWORDS}
            current = None
            for word in words[1:]:
                if word in KEYWORDS:
                    current = word
                elif current:
                    lists[current].append(word)
            modules[words[0]] = (set(lists["DEPS"]), set(lists["TEST_DEPS"]))
    return modules


def cycle(modules):
    state = {}

    def visit(name, path):
        if state.get(name) == "done":
            return None
        if name in path:
            return path[path.index(name):] + [name]
        for dep in sorted(modules.get(name, (set(), set()))[0]):
            found = visit(dep, path + [name])
            if found:
                return found
        state[name] = "done"
        return None

    for name in modules:
        found = visit(name, [])
        if found:
            return found
    return None


def main():
    modules = declared()
    problems = []
    for name, (deps, test_deps) in modules.items():
        for unknown in sorted((deps | test_deps) - set(modules)):
            problems.append(f"harness/{name}/CMakeLists.txt: no module '{unknown}'")
    loop = cycle(modules)
    if loop:
        problems.append("modules depend on each other in a circle: " + " -> ".join(loop))
    for path in sorted(HARNESS.glob("*/*.[ch]*")):
        if path.suffix not in (".cc", ".h"):
            continue
        module = path.parent.name
        if module not in modules:
            problems.append(f"harness/{module} has sources but no sglexp_module()")
            continue
        deps, test_deps = modules[module]
        is_test = path.name.endswith("_test.cc") or module == "e2e"
        allowed = {module} | deps | (test_deps if is_test else set())
        for include in INCLUDE.findall(path.read_text()):
            where = path.relative_to(ROOT)
            if include.startswith("harness/"):
                other = include.split("/")[1]
                if other not in allowed:
                    problems.append(f"{where}: includes {include}, but {module} does not declare {other}")
            for prefix, owners in OWNERS.items():
                if include.startswith(prefix) and module not in owners and not is_test:
                    problems.append(f"{where}: <{include}> belongs to {', '.join(sorted(owners))}")
    for path in sorted((ROOT / "fixtures").rglob("*.[ch]*")):
        if path.suffix in (".cc", ".h") and re.search(r'#\s*include\s+"harness/', path.read_text()):
            problems.append(f"{path.relative_to(ROOT)}: a fixture must not share code with the product")
    for problem in problems:
        print(problem)
    print(f"layers: {len(modules)} modules, {len(problems)} problems")
    return 1 if problems else 0


sys.exit(main())
