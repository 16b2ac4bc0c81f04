// document_test.cpp: the documents of --json and --yaml: form, bytes, absence, and the tables of
// members.
#include <catch2/catch.hpp>

#include <set>

#include "cli/listing/records.h"
#include "tests/unit/listing_examples.h"

using namespace sluice;
using namespace sluice::examples;

namespace {
template <class Write>
std::string written(const DocumentStyle& style, Write&& write) {
  std::string out;
  Document document(style, [&](std::string_view text) {
    out += text;
    return true;
  });
  write(document);
  REQUIRE(document.flush());
  return out;
}

std::string text_value(std::string_view value) {
  const std::string out = written({}, [&](Document& document) {
    document.begin_object();
    document.text("t", value);
    document.end_object();
  });
  return out.substr(5, out.size() - 7);  // without {"t": and }\n
}

void write_sample(Document& document) {
  document.begin_object();
  document.begin_list("jobs");
  document.begin_object();
  document.number("id", 5);
  document.text_or_null("name", "");
  document.begin_object("none");
  document.end_object();
  document.words("flags", {"a", "b"});
  document.end_object();
  document.begin_object();
  document.number("nice", -3);
  document.fraction("load", 1.5, 2);
  document.end_object();
  document.end_list();
  document.begin_list("errors");
  document.end_list();
  document.flag("done", true);
  document.end_object();
}

std::string job_json(const JobInfo& job, bool newer = false) {
  return written({.is_yaml = false, .is_newer = newer},
                 [&](Document& document) { write_job_record(document, job, context()); });
}

bool holds(const std::string& json, std::string_view member) {
  INFO(json << "\nshould hold " << member);
  return json.find(member) != std::string::npos;
}

// Names of the members of the outermost object, in order.
std::vector<std::string> members_of(const std::string& yaml) {
  std::vector<std::string> names;
  std::size_t at = 0;
  while (at < yaml.size()) {
    const std::size_t end = std::min(yaml.find('\n', at), yaml.size());
    const std::string line = yaml.substr(at, end - at);
    if (!line.empty() && line.front() != ' ' && line.front() != '-')
      names.push_back(line.substr(0, line.find(':')));
    at = end + 1;
  }
  return names;
}
}  // namespace

TEST_CASE("a document is JSON with a line for each record", "[document]") {
  REQUIRE(written({}, write_sample) ==
          "{\n\"jobs\":[\n{\"id\":5,\"name\":null,\"none\":{},\"flags\":[\"a\",\"b\"]},\n"
          "{\"nice\":-3,\"load\":1.50}],\n\"errors\":[],\"done\":true}\n");
}

TEST_CASE("the same in YAML stands in blocks", "[document]") {
  REQUIRE(written({.is_yaml = true, .is_newer = false}, write_sample) ==
          "---\njobs:\n  - id: 5\n    name: null\n    none: {}\n    flags:\n      - \"a\"\n"
          "      - \"b\"\n  - nice: -3\n    load: 1.50\nerrors: []\ndone: true\n");
}

TEST_CASE("text is escaped and bytes that are not UTF-8 are replaced one by one", "[document]") {
  REQUIRE(text_value("a b|\"\\/") == "\"a b|\\\"\\\\/\"");
  REQUIRE(text_value(std::string_view("\n\t\0\x7f", 4)) == "\"\\u000a\\u0009\\u0000\\u007f\"");
  REQUIRE(text_value("caf\xc3\xa9 \xe2\x82\xac \xf0\x9f\x98\x80") ==
          "\"caf\xc3\xa9 \xe2\x82\xac \xf0\x9f\x98\x80\"");
  REQUIRE(text_value("caf\xe9\xff!") == "\"caf\xef\xbf\xbd\xef\xbf\xbd!\"");
  // Too long a form, a surrogate, above the last character, cut at the end.
  for (const char* broken : {"\xc0\xaf", "\xed\xa0\x80", "\xf4\x90\x80\x80", "\xe2\x82", "\x80"}) {
    const std::string shown = text_value(broken);
    REQUIRE(shown.find("\xef\xbf\xbd") == 1);
    REQUIRE((shown.size() - 2) % 3 == 0);
  }
  REQUIRE(text_value("\xc2\x85") == "\"\\u0085\"");
}

TEST_CASE("what is absent is null; the newer schema says it by an object", "[document]") {
  const auto amounts = [](Document& document) {
    document.begin_object();
    document.amount("a", 5);
    document.amount("b", std::nullopt);
    document.amount("c", 0, true);
    document.state("s", "RUNNING");
    document.end_object();
  };
  REQUIRE(written({}, amounts) == "{\"a\":5,\"b\":null,\"c\":null,\"s\":\"RUNNING\"}\n");
  REQUIRE(written({.is_yaml = false, .is_newer = true}, amounts) ==
          "{\n\"a\":{\"set\":true,\"infinite\":false,\"number\":5},"
          "\n\"b\":{\"set\":false,\"infinite\":false,\"number\":0},"
          "\n\"c\":{\"set\":false,\"infinite\":true,\"number\":0},\n\"s\":[\"RUNNING\"]}\n");
}

TEST_CASE("only the two schemas are known", "[document]") {
  REQUIRE(!parse_document_style(false, "")->is_newer);
  REQUIRE(!parse_document_style(false, "v0.0.38")->is_newer);
  REQUIRE(parse_document_style(true, "v0.0.40")->is_newer);
  REQUIRE(parse_document_style(false, "v9").error().detail ==
          "--json=v9 is not known; v0.0.38 (the default) and v0.0.40 are");
}

TEST_CASE("a job has the values of its line in the queue", "[document]") {
  const std::string json = job_json(job_30());
  for (const char* member :
       {"\"job_id\":30", "\"job_state\":\"RUNNING\"", "\"name\":\"jobname\"", "\"cpus\":3",
        "\"node_count\":2", "\"nodes\":\"n[1-2]\"", "\"time_limit\":5", "\"user_name\":\"stest\"",
        "\"start_time\":1796004995", "\"end_time\":1796005295", "\"memory_per_cpu\":50",
        "\"memory_per_node\":null", "\"array_job_id\":null", "\"features\":null",
        "\"comment\":\"a b\"",
        "\"0\":{\"nodename\":\"n1\",\"cpus\":2,\"memory\":100,\"gres\":null}"})
    REQUIRE(holds(json, member));
  REQUIRE(holds(job_json(job_30(), true), "\"allocated_nodes\":[{\"nodename\":\"n1\""));
  JobInfo unlimited = job_30();
  unlimited.asked.time_limit.reset();
  REQUIRE(holds(job_json(unlimited), "\"time_limit\":null"));
}

TEST_CASE("a waiting array tells its tasks and a broken name stays a string", "[document]") {
  JobInfo job = waiting_array(64, IndexSet{{{2, 3, 1}}}, 2);
  job.names.name = "caf\xe9";
  const std::string json = job_json(job);
  REQUIRE(holds(json, "\"array_task_string\":\"2-3\""));
  REQUIRE(holds(json, "\"array_max_tasks\":2"));
  REQUIRE(holds(json, "\"name\":\"caf\xef\xbf\xbd\""));
  REQUIRE(holds(json, "\"job_resources\":null"));
}

TEST_CASE("accounting tells a job with its batch step", "[document]") {
  const JobInfo job = ended_job(Outcome::cancelled, {.code = 0, .signal = 15},
                                {.kind = CauseKind::cancelled, .uid = 1001, .text = {}});
  const std::string json =
      written({}, [&](Document& document) { write_account_record(document, job, context()); });
  for (const char* member :
       {"\"state\":{\"current\":\"CANCELLED\"", "\"kill_request_user\":\"user1001\"",
        "\"return_code\":0", "\"id\":\"batch\"", "\"status\":\"SIGNALED\"", "\"elapsed\":4",
        "\"submit_line\":\"sbatch --comment=a b -n3 -N2 b.sh A1 A2\"",
        "{\"type\":\"mem\",\"name\":null,\"count\":150}"})
    REQUIRE(holds(json, member));
}

TEST_CASE("a node tells how old its measurement is", "[document]") {
  NodeInfo info = node("n1", {"debug"}, 2);
  const auto shown = [&] {
    return written({}, [&](Document& document) { write_node_record(document, info, context()); });
  };
  REQUIRE(holds(shown(), "\"cpu_load\":null"));
  REQUIRE(holds(shown(), "\"measured_ago\":null"));
  info.vitals = {.cpu_load_hundredths = 432, .free_mem_mb = 100, .measured = at(submitted_s - 5)};
  REQUIRE(holds(shown(), "\"cpu_load\":4.32,\"free_memory\":100"));
  REQUIRE(holds(shown(), "\"measured_ago\":7"));
  info.node.drain = true;
  REQUIRE(holds(shown(), "\"state\":\"MIXED\""));
  REQUIRE(holds(shown(), "\"state_flags\":[\"DRAIN\"]"));
}

TEST_CASE("no record has two members of one name", "[document]") {
  const DocumentStyle yaml{.is_yaml = true, .is_newer = false};
  const std::string records[] = {
      written(yaml, [](Document& out) { write_job_record(out, job_30(), context()); }),
      written(yaml, [](Document& out) { write_account_record(out, job_30(), context()); }),
      written(yaml, [](Document& out) { write_node_record(out, node("n", {}, 0), context()); }),
      written(yaml,
              [](Document& out) {
                write_partition_record(out, partition("debug", {"n"}), {}, context());
              }),
  };
  for (const std::string& record : records) {
    const std::vector<std::string> names = members_of(record);
    REQUIRE(names.size() > 20);
    REQUIRE(std::set<std::string>(names.begin(), names.end()).size() == names.size());
  }
}
