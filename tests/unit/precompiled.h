// precompiled.h: the headers that most unit tests read.
#pragma once

#include "common/wire/message_codec.h"
#include "tests/precompiled.h"
