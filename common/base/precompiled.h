// precompiled.h: the library headers that most files include, compiled once for all targets. No header
// of our own belongs here: a change of it would compile everything again. Every file still includes what
// it uses (-DCMAKE_DISABLE_PRECOMPILE_HEADERS=ON builds without this one).
#pragma once

#include <fmt/format.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <boost/describe.hpp>
#include <boost/mp11.hpp>
#include <chrono>
#include <compare>
#include <cstdint>
#include <deque>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <variant>
#include <vector>
