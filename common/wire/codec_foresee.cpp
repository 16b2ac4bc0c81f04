// codec_foresee.cpp: the codecs of this group, compiled once (message_codec.h).
#include "common/wire/message_codec.h"

namespace sluice {
SLUICE_FORESEE_TYPES(SLUICE_DEFINE_CODEC)
}  // namespace sluice
