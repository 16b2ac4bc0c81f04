// precompiled.h: what every file of the core and around it reads: the state, the messages and their
// codecs. A change of one of these headers compiles all of those files again, with this or without.
#pragma once

#include "common/base/precompiled.h"
#include "common/wire/message_codec.h"
#include "daemon/core/core.h"
