// precompiled.h: the headers of base's and Catch2, compiled once for the test programs.
#pragma once

#include "common/base/precompiled.h"

#include <catch2/catch.hpp>
