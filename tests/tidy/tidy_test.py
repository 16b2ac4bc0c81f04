#!/usr/bin/python3
"""tidy_test.py: each rule of tidy finds what it is for, and lets pass what it must."""

import unittest

import layers
import shape
import words
from source import Source, strip_comments


def found(rule, path, text):
    return [finding.text for finding in rule([Source(path, text)])]


class Layers(unittest.TestCase):
    def test_a_lower_folder_may_not_include_a_higher_one(self):
        text = '#include "daemon/core/state.h"\n'
        self.assertEqual(len(found(layers.check, "common/model/job.cpp", text)), 1)
        self.assertEqual(len(found(layers.check, "daemon/sched/plan.cpp", text)), 1)
        self.assertEqual(found(layers.check, "daemon/rpc/table.cpp", text), [])

    def test_a_folder_without_a_row_is_told(self):
        self.assertIn("add one", found(layers.check, "weather/x.cpp", '#include "common/base/ids.h"\n')[0])

    def test_heavy_headers_stay_out_of_headers(self):
        self.assertEqual(len(found(layers.check, "daemon/x.h", "#include <CLI/CLI.hpp>\n")), 1)
        self.assertEqual(found(layers.check, "common/arguments/x.cpp", "#include <CLI/CLI.hpp>\n"), [])

    def test_a_library_stays_where_it_belongs(self):
        self.assertEqual(len(found(layers.check, "daemon/core/x.cpp", "#include <sqlite3.h>\n")), 1)
        self.assertEqual(found(layers.check, "daemon/store/x.cpp", "#include <sqlite3.h>\n"), [])

    def test_an_include_in_a_comment_is_none(self):
        self.assertEqual(found(layers.check, "common/base/x.cpp", '// #include "cli/x.h"\n'), [])


class Words(unittest.TestCase):
    def test_pure_folders_may_not_read_clocks(self):
        text = "auto t = std::chrono::steady_clock::now();\n"
        self.assertEqual(len(found(words.check, "daemon/core/x.cpp", text)), 1)
        self.assertEqual(found(words.check, "daemon/x.cpp", text), [])

    def test_pure_folders_may_not_use_files_threads_or_chance(self):
        for text in ("std::ifstream f;", "std::thread t;", "std::random_device d;", "#include <mutex>",
                     "#include <sys/stat.h>", "rand();", "time(nullptr);"):
            self.assertTrue(found(words.check, "daemon/sched/x.cpp", text + "\n"), text)

    def test_names_that_look_like_calls_pass(self):
        for text in ("job.start_time(0);", "limit.time(0);", "brand(3);", "// std::thread\n"):
            self.assertEqual(found(words.check, "daemon/sched/x.cpp", text + "\n"), [], text)

    def test_a_state_is_not_set_by_hand(self):
        self.assertEqual(len(found(words.check, "daemon/core/x.cpp", "job.state = JobState::ended;\n")), 1)
        self.assertEqual(len(found(words.check, "daemon/core/x.cpp", "job->state = s;\n")), 1)

    def test_a_new_value_and_a_marked_copy_pass(self):
        for text in ("Row row{.id = id, .state = s};", "f({.state = s});", "if (job.state == s) x();",
                     "row.state = s;  // not a transition: read from the store"):
            self.assertEqual(found(words.check, "daemon/core/x.cpp", text + "\n"), [], text)

    def test_words_of_the_workplace_are_found(self):
        for text in ("see /wo" + "rk/x", "// TO" + "DO later", "in this se" + "ssion"):
            self.assertTrue(found(words.check, "README.md", text + "\n"), text)


class Shape(unittest.TestCase):
    def test_a_file_says_what_it_is_for(self):
        self.assertEqual(list(shape.check_purpose(Source("cli/x.cpp", "// x.cpp: does things.\n"))), [])
        for path, text in (("cli/x.cpp", "#include <a>\n"), ("cli/x.h", "// y.h: other\n"),
                           ("tests/run", "#!/bin/bash\nset -e\n"), ("schema/1.sql", "CREATE\n")):
            self.assertEqual(len(list(shape.check_purpose(Source(path, text)))), 1, path)

    def test_a_long_file_is_found_unless_it_is_a_test_or_listed(self):
        text = "x\n" * 601
        self.assertEqual(len(list(shape.check_file_size(Source("cli/x.cpp", text), {}))), 1)
        self.assertEqual(list(shape.check_file_size(Source("tests/x.cpp", text), {})), [])
        self.assertEqual(list(shape.check_file_size(Source("cli/x.cpp", text), {("cli/x.cpp", ""): 601})), [])

    def test_functions_are_measured(self):
        short = [("a.cpp", 1, "f", 5)] * 99
        self.assertEqual(list(shape.check_functions(short, {})), [])
        long = short + [("a.cpp", 9, "g", 71)]
        self.assertEqual(len(list(shape.check_functions(long, {}))), 1)
        self.assertEqual(list(shape.check_functions(long, {("a.cpp", "g"): 71})), [])
        self.assertEqual(len(list(shape.check_functions([("a.cpp", 1, "f", 16)], {}))), 1)
        self.assertEqual(len(list(shape.check_functions(short[:9] + long[99:], {("a.cpp", "g"): 71}))), 1)

    def test_the_ratchet_only_tightens(self):
        ratchet = {("a.cpp", "g"): 80}
        self.assertEqual(len(list(shape.check_ratchet([], [("a.cpp", 9, "g", 75)], ratchet))), 1)
        self.assertEqual(list(shape.check_ratchet([], [("a.cpp", 9, "g", 80)], ratchet)), [])


class Comments(unittest.TestCase):
    def test_literals_and_comments_are_blanked_and_lines_kept(self):
        text = 'a("x // y"); // c\n/* d\ne */ f(\'"\'); g(1\'000);\n'
        self.assertEqual(strip_comments(text).count("\n"), 3)
        for gone in ("y", "c", "d", "e"):
            self.assertNotIn(gone, strip_comments(text))
        self.assertIn("g(1'000)", strip_comments(text))


if __name__ == "__main__":
    unittest.main()
