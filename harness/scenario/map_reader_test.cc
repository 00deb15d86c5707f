// SPDX-License-Identifier: Apache-2.0
#include "harness/scenario/map_reader.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace sglexp {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Pair;

// Reads `yaml` with `section` and returns the error text, "" if there is none.
std::string errors(std::string_view yaml, const MapReader::Section& section) {
  ReadLog log("f.yaml");
  const ParsedYaml parsed = parse_yaml(yaml);
  MapReader reader(parsed.root, log, "the file");
  section(reader);
  reader.finish();
  return log.clean() ? "" : log.error().message;
}

TEST(MapReader, SetsOnlyWhatIsThereAndRight) {
  int number = 5;
  int missing = 6;
  std::string text = "old";
  EXPECT_EQ(errors("n: 8\nt: new\n",
                   [&](MapReader& in) {
                     EXPECT_TRUE(in.integer("n", number, 1, 10));
                     EXPECT_FALSE(in.integer("m", missing, 1, 10));
                     EXPECT_TRUE(in.text("t", text));
                   }),
            "");
  EXPECT_EQ(number, 8);
  EXPECT_EQ(missing, 6);
  EXPECT_EQ(text, "new");
}

TEST(MapReader, RefusesTheWrongType) {
  const auto integer = [](MapReader& in) {
    int value = 0;
    in.integer("x", value, 1, 10);
    EXPECT_EQ(value, 0);
  };
  EXPECT_EQ(errors("x: 11\n", integer),
            "f.yaml:1:4: x: expected a whole number from 1 to 10, found the number 11");
  for (const char* bad : {"x: \"8\"", "x: 8.0", "x: 0x8", "x: 1e1", "x: [8]", "x:", "x: 8s",
                          "x: 99999999999999999999"}) {
    EXPECT_THAT(errors(bad, integer), HasSubstr("expected a whole number")) << bad;
  }
  const auto text = [](MapReader& in) {
    std::string value;
    in.text("x", value);
  };
  for (const char* bad : {"x: 8", "x: true", "x: no", "x: 1.5"}) {
    EXPECT_THAT(errors(bad, text), HasSubstr("put it in quotes")) << bad;
  }
  EXPECT_THAT(errors("x: [a]", text), HasSubstr("expected text, found a list"));
  EXPECT_THAT(errors("x: \"a\\0b\"", text), HasSubstr("control characters"));
  EXPECT_EQ(errors("x: \"8\"", text), "");
  const auto flag = [](MapReader& in) {
    bool value = false;
    in.flag("x", value);
  };
  EXPECT_THAT(errors("x: yes", flag), HasSubstr("expected true or false, found 'yes'"));
}

TEST(MapReader, QuantitiesCarryTheirUnit) {
  Nanos duration{0};
  std::int64_t size = 0;
  double share = 0;
  const auto section = [&](MapReader& in) {
    in.duration("d", duration);
    in.size("s", size);
    in.percent("p", share);
  };
  EXPECT_EQ(errors("{d: 20m, s: 4GiB, p: 3%}", section), "");
  EXPECT_EQ(duration, std::chrono::minutes(20));
  EXPECT_EQ(size, std::int64_t{4} << 30);
  EXPECT_DOUBLE_EQ(share, 0.03);
  const std::string bare = errors("d: 20\ns: 4\np: 0.03\n", section);
  EXPECT_THAT(bare, HasSubstr("f.yaml:1:4: d: '20' is not a duration"));
  EXPECT_THAT(bare, HasSubstr("f.yaml:2:4: s: '4' is not a size"));
  EXPECT_THAT(bare, HasSubstr("f.yaml:3:4: p: '0.03' is not a percentage"));
  EXPECT_THAT(errors("d: 0s", section), HasSubstr("d: must be above zero"));
  EXPECT_THAT(errors("p: 100%", section), HasSubstr("must be above 0% and below 100%"));
}

TEST(MapReader, SuggestsTheNearestKeyOrListsThem) {
  const auto section = [](MapReader& in) {
    std::string value;
    in.text("placement", value);
    in.text("engine", value);
  };
  EXPECT_EQ(errors("a: 1\nplacment: x\n", section),
            "f.yaml:1:1: unknown key 'a' in the file (known: placement, engine)\n"
            "f.yaml:2:1: unknown key 'placment' in the file (did you mean 'placement'?)");
}

TEST(MapReader, AMisspeltKeyIsNotAlsoMissing) {
  const auto section = [](MapReader& in) {
    std::string value;
    in.text("name", value);
    in.require("name");
  };
  EXPECT_EQ(errors("nmae: x", section),
            "f.yaml:1:1: unknown key 'nmae' in the file (did you mean 'name'?)");
  EXPECT_THAT(errors("{}", section), HasSubstr("name: missing, and has no default"));
  EXPECT_EQ(errors("[a]", section), "f.yaml:1:1: the file: expected a map, found a list");
}

TEST(MapReader, ChoicesSuggest) {
  enum class Order { kAbba, kShuffled };
  static constexpr Choice<Order> kOrders[] = {{"abba", Order::kAbba},
                                              {"shuffled", Order::kShuffled}};
  Order order = Order::kAbba;
  const auto section = [&](MapReader& in) { in.choice("o", order, kOrders); };
  EXPECT_EQ(errors("o: shuffled", section), "");
  EXPECT_EQ(order, Order::kShuffled);
  EXPECT_THAT(errors("o: shufled", section),
              HasSubstr("o: expected one of abba, shuffled, found 'shufled' (did you mean "
                        "'shuffled'?)"));
}

TEST(MapReader, ReadsFlagsAndVariables) {
  std::map<std::string, std::string> flags;
  std::map<std::string, std::string> variables;
  EXPECT_EQ(errors("f: {a: true, b: 8, c: \"true\", d: x}\nv: {T: true}\n",
                   [&](MapReader& in) {
                     in.flags("f", flags);
                     in.variables("v", variables);
                   }),
            "");
  EXPECT_THAT(flags, ElementsAre(Pair("a", ""), Pair("b", "8"), Pair("c", "true"), Pair("d", "x")));
  EXPECT_THAT(variables, ElementsAre(Pair("T", "true")));
  const auto read = [&](MapReader& in) { in.flags("f", flags); };
  EXPECT_THAT(errors("f: {a: false}", read), HasSubstr("f.a: a flag cannot be false"));
  EXPECT_THAT(errors("f: {a: }", read), HasSubstr("f.a: expected one line of text, found nothing"));
  EXPECT_THAT(errors("f: {a: \"x\\ny\"}", read), HasSubstr("f.a: expected one line"));
}

TEST(MapReader, NestedReadersNameTheWholePath) {
  const auto section = [](MapReader& in) {
    in.named("arms", [](const std::string&, MapReader& arm) {
      arm.object("engine", [](MapReader& engine) {
        int tp = 0;
        engine.integer("tp", tp, 1, 8);
      });
    });
    in.objects("points", [](MapReader& point) {
      std::string name;
      point.name("name", name);
    });
  };
  const std::string text = errors(
      "arms:\n  a: {engine: {tp: 9, nonsense: 1}}\n  b c: {}\n  d: 3\npoints:\n- {name: -}\n- 5\n",
      section);
  EXPECT_THAT(text, HasSubstr("f.yaml:2:20: arms.a.engine.tp: expected a whole number"));
  EXPECT_THAT(text, HasSubstr("f.yaml:2:23: unknown key 'nonsense' in arms.a.engine (known: tp)"));
  EXPECT_THAT(text, HasSubstr("f.yaml:3:3: arms: expected a name of letters"));
  EXPECT_THAT(text, HasSubstr("f.yaml:4:6: arms.d: expected a map, found the number 3"));
  EXPECT_THAT(text, HasSubstr("f.yaml:6:10: points.0.name: expected a name of letters"));
  EXPECT_THAT(text, HasSubstr("f.yaml:7:3: points.1: expected a map, found the number 5"));
}

TEST(ReadLog, KnowsWhichPartsAreClean) {
  ReadLog log("f.yaml");
  log.problem({3, 1, ""}, "engine.tp", "engine.tp: bad");
  EXPECT_FALSE(log.clean("engine"));
  EXPECT_FALSE(log.clean("engine.tp"));
  EXPECT_FALSE(log.clean("engine.tp.x"));
  EXPECT_TRUE(log.clean("engine.model"));
  EXPECT_TRUE(log.clean("engine.tpx"));
  EXPECT_FALSE(log.clean());
}

TEST(ReadLog, SortsByPlaceWithFlagsFirst) {
  ReadLog log("f.yaml");
  log.problem({9, 2, ""}, "b", "second");
  log.problem({9, 1, ""}, "a", "first");
  log.problem({0, 0, "--set a=1"}, "a", "flag");
  EXPECT_EQ(log.error().message, "--set a=1: flag\nf.yaml:9:1: first\nf.yaml:9:2: second");
}

TEST(ReadLog, ListsFieldsWithoutAFile) {
  ReadLog log = ReadLog::describing();
  YamlNode nothing;
  MapReader reader(nothing, log, "the file");
  reader.objects("points", [](MapReader& point) {
    std::string name;
    point.name("name", name);
    point.require("name");
  });
  reader.finish();
  EXPECT_THAT(log.clean(), true);
  ASSERT_EQ(log.fields().size(), 2U);
  EXPECT_EQ(log.fields()[0].path, "points");
  EXPECT_EQ(log.fields()[1].path, "points[].name");
  EXPECT_EQ(log.fields()[1].type, "name");
  EXPECT_TRUE(log.fields()[1].required);
}

}  // namespace
}  // namespace sglexp
