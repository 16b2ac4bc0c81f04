// tls_stream.h: TLS 1.3 with an external pre-shared key (RFC 8446, 4.2.11) under a Connection.
// Internal to net; users take listener.h and dialer.h.
//
// The side that listens says "SLUICE1 FINGERPRINT[,FINGERPRINT]\n" first, in the clear: the keys it
// accepts. So the side that dials can choose between two keys during a rotation, and both can name
// the keys when they differ. What an attacker changes in it makes the proof fail, nothing else. Then
// the dialling side offers the identity "sluice1:FINGERPRINT:node:NAME" with that node's secret.
// No certificates: a handshake without the pre-shared key is refused.
#pragma once

#include <memory>
#include <string>

#include "common/net/byte_stream.h"
#include "common/net/cluster_key.h"
#include "common/net/refusal_meter.h"

namespace sluice {

using KeyRingPtr = std::shared_ptr<const KeyRing>;

// `address` is the peer's, for messages. Memory for TLS is taken when the first byte arrives, and
// not for one that cannot begin a handshake. A peer is not told why it is refused while `refusals`
// says so.
std::unique_ptr<ByteStream> make_tls_listening_stream(int descriptor, std::string address,
                                                      KeyRingPtr keys,
                                                      std::shared_ptr<const RefusalMeter> refusals);
struct TlsDial {
  std::string address;  // of the peer, for messages
  std::string node;     // the name we speak for
};
std::unique_ptr<ByteStream> make_tls_dialling_stream(int descriptor, TlsDial dial, KeyRingPtr keys);

}  // namespace sluice
