// precompiled.h: what every file of the commands reads: the messages.
#pragma once

#include "common/base/precompiled.h"
#include "common/wire/messages.h"
