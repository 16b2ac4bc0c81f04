#!/usr/bin/python3
"""tidy.py: the rules of the house that a machine can check. Prints FILE:LINE and what to do; ends with
1 when a rule is broken. Run it by hand any time: python3 tests/tidy/tidy.py"""

import sys

import layers
import shape
import source
import words


def main():
    sources = source.repository_sources()
    findings = [finding for rule in (layers, words, shape) for finding in rule.check(sources)]
    for finding in findings:
        print(finding)
    print(f"tidy: {len(sources)} files, {len(findings)} findings")
    return 1 if findings else 0


if __name__ == "__main__":
    sys.exit(main())
