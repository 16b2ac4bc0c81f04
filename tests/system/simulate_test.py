#!/usr/bin/env python3
"""simulate_test.py: `sluice simulate` on the small trace that the tests carry. Starts no daemon."""

import csv
import json
import pathlib
import subprocess
import unittest

import harness

DATA = pathlib.Path(__file__).resolve().parent.parent / "data"


def simulate(*options):
    return subprocess.run([pathlib.Path(harness.BIN) / "sluice", "simulate", *map(str, options)], text=True,
                          capture_output=True)


class Simulate(unittest.TestCase):
    def test_json_has_the_columns_of_the_expected_results_and_their_values(self):
        with open(DATA / "expected_toy.csv", newline="") as file:
            row = next(row for row in csv.DictReader(file)
                       if (row["first_n"], row["policy"], row["backfill_order"]) == ("8", "fcfs", "sjf"))
        done = simulate("--swf", DATA / "toy.swf", "--cpus", 10, "--first", 8, "--order", "fcfs", "--backfill", "easy-sjf",
                        "--json")
        self.assertEqual(done.stderr, "")
        found = json.loads(done.stdout)
        self.assertEqual(list(found), list(row))
        for key, value in row.items():
            seen = found[key]
            self.assertEqual(seen, value if isinstance(seen, str) else float(value), key)

    def test_two_replays_are_equal_and_the_table_says_the_same(self):
        table = simulate("--swf", DATA / "toy.swf")
        self.assertEqual(table.stdout, simulate("--swf", DATA / "toy.swf").stdout)
        digest = json.loads(simulate("--swf", DATA / "toy.swf", "--json").stdout)["start_digest"]
        self.assertRegex(table.stdout, rf"(?m)^start_digest +{digest}$")

    def test_a_comparison_has_both_textbook_rules_and_the_ratios(self):
        options = ["--swf", DATA / "toy.swf", "--compare"]
        found = json.loads(simulate(*options, "--json").stdout)
        plain = json.loads(simulate("--swf", DATA / "toy.swf", "--json").stdout)
        self.assertEqual({key: found[key] for key in plain}, plain)
        easy, easy_sjf = found["compared_with"]
        self.assertEqual([easy["backfill_order"], easy_sjf["backfill_order"]], ["fcfs", "sjf"])
        self.assertAlmostEqual(found["bsld_to_easy_sjf"], plain["mean_bsld_tau10"] / easy_sjf["mean_bsld_tau10"], 4)
        self.assertAlmostEqual(found["max_wait_to_easy"], plain["max_wait_s"] / easy["max_wait_s"], 4)
        self.assertAlmostEqual(found["utilisation_to_easy"], 100 * (plain["utilisation"] - easy["utilisation"]), 3)
        self.assertIn("longest wait, to FCFS+EASY's", simulate(*options).stdout)

    def test_what_cannot_be_done_is_said_and_fails(self):
        for options, text in [(["--swf", "/nonexistent"], "/nonexistent cannot be read: No such file"),
                              (["--swf", DATA / "toy.swf", "--order", "lifo"], "--order=lifo: expected default, fcfs"),
                              (["--swf", DATA / "README.md", "--cpus", 4], "line 1: field 1 is '#'")]:
            done = simulate(*options)
            self.assertEqual(done.returncode, 1)
            self.assertEqual(done.stdout, "")
            self.assertIn(text, done.stderr)


if __name__ == "__main__":
    unittest.main()
