#!/usr/bin/env python3
"""Adds up the JUnit reports of ctest. Last line: 'N passed, N failed[, N skipped]'.

usage: summarize_tests.py REPORT_DIR ALREADY_FAILED
A gtest binary counts with the number of its own tests. With CI=true a skipped test is a failure:
everything can run there.
"""
import os
import pathlib
import re
import sys
import xml.etree.ElementTree as ET

GTEST_PASSED = re.compile(r"\[  PASSED  \] (\d+) test")
GTEST_FAILED = re.compile(r"\[  FAILED  \] (\d+) test")
GTEST_SKIPPED = re.compile(r"\[  SKIPPED \] (\d+) test")


def count(pattern, text):
    return sum(int(n) for n in pattern.findall(text))


def main():
    directory, already_failed = pathlib.Path(sys.argv[1]), int(sys.argv[2])
    in_ci = os.environ.get("CI") == "true"
    passed = failed = skipped = 0
    reports = sorted(directory.glob("*.xml"))
    for report in reports:
        for case in ET.parse(report).getroot().iter("testcase"):
            output = case.findtext("system-out") or ""
            name, status = case.get("name"), case.get("status")
            if status in ("notrun", "disabled"):
                skipped += 1
                reason = output.strip().splitlines()[-1:] or ["no reason given"]
                print(f"skipped {report.stem}/{name}: {reason[0]}")
            elif status == "fail":
                failed += max(1, count(GTEST_FAILED, output))
                passed += count(GTEST_PASSED, output)
                print(f"FAILED  {report.stem}/{name}")
            else:
                passed += max(1, count(GTEST_PASSED, output))
                gtest_skips = count(GTEST_SKIPPED, output)
                skipped += gtest_skips
                if gtest_skips:
                    print(f"skipped {report.stem}/{name}: {gtest_skips} inside it (see its output)")
    if not reports or passed == 0:
        print("nothing was tested")
        failed += 1
    if in_ci and skipped:
        print("CI=true: every tier can run here, so a skipped test is a failure")
        failed += skipped
    if already_failed and not failed:
        print("a step outside the tests failed (see above)")
        failed += 1
    print(f"{passed} passed, {failed} failed" + (f", {skipped} skipped" if skipped else ""))
    return 1 if failed else 0


sys.exit(main())
