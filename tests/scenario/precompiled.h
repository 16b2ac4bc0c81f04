// precompiled.h: the headers that all stories read.
#pragma once

#include "daemon/core/precompiled.h"
#include "tests/precompiled.h"
