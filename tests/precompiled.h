// precompiled.h: the headers of base's and Catch2, compiled once for the test programs.
#include "common/base/precompiled.h"

#include <catch2/catch.hpp>
