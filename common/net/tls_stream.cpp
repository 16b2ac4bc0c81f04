// tls_stream.cpp: OpenSSL over a non-blocking socket.
#include "common/net/tls_stream.h"

#include <fmt/format.h>
#include <openssl/err.h>
#include <openssl/ssl.h>
#include <sys/socket.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <optional>
#include <vector>

#include "common/base/clock.h"

namespace sluice {
namespace {

constexpr std::string_view greeting_word = "SLUICE1 ";
constexpr std::size_t greeting_bytes_max = 128;
constexpr std::string_view identity_prefix = "sluice1:";
constexpr std::string_view identity_node = ":node:";
constexpr std::size_t identity_bytes_max = 512;

// --- the socket as OpenSSL sees it: its own would raise SIGPIPE ---

struct Socket {
  int descriptor = -1;
  bool is_mute = false;  // alerts are not sent: the peer is not told why it is refused
};

// Content types of records (RFC 8446, 5.1).
constexpr char alert_type = 21;
constexpr char handshake_type = 22;

Socket& socket_of(BIO* bio) { return *static_cast<Socket*>(BIO_get_data(bio)); }

int socket_result(BIO* bio, ssize_t count, bool is_read) {
  BIO_clear_retry_flags(bio);
  if (count < 0 && (errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR)) {
    if (is_read)
      BIO_set_retry_read(bio);
    else
      BIO_set_retry_write(bio);
  }
  return static_cast<int>(count);
}

int socket_write(BIO* bio, const char* bytes, int size) {
  errno = 0;
  if (socket_of(bio).is_mute && size > 0 && bytes[0] == alert_type) return size;
  return socket_result(bio,
                       ::send(socket_of(bio).descriptor, bytes, static_cast<std::size_t>(size),
                              MSG_DONTWAIT | MSG_NOSIGNAL),
                       false);
}

int socket_read(BIO* bio, char* bytes, int size) {
  errno = 0;
  return socket_result(
      bio, recv(socket_of(bio).descriptor, bytes, static_cast<std::size_t>(size), MSG_DONTWAIT),
      true);
}

long socket_control(BIO*, int command, long, void*) { return command == BIO_CTRL_FLUSH ? 1 : 0; }

// `socket` outlives it.
BIO* make_socket_bio(Socket& socket) {
  static BIO_METHOD* const method = [] {
    BIO_METHOD* made = BIO_meth_new(BIO_TYPE_SOURCE_SINK | BIO_get_new_index(), "sluice socket");
    ASSERT(made != nullptr);
    BIO_meth_set_write(made, socket_write);
    BIO_meth_set_read(made, socket_read);
    BIO_meth_set_ctrl(made, socket_control);
    return made;
  }();
  BIO* bio = BIO_new(method);
  ASSERT(bio != nullptr);
  BIO_set_data(bio, &socket);
  BIO_set_init(bio, 1);
  return bio;
}

// --- common to both sides ---

struct SslDeleter {
  void operator()(SSL* ssl) const { SSL_free(ssl); }
};
using SslPtr = std::unique_ptr<SSL, SslDeleter>;

SSL_CTX* make_context(const SSL_METHOD* method) {
  SSL_CTX* context = SSL_CTX_new(method);
  ASSERT(context != nullptr);
  ASSERT(SSL_CTX_set_min_proto_version(context, TLS1_3_VERSION) == 1);
  ASSERT(SSL_CTX_set_max_proto_version(context, TLS1_3_VERSION) == 1);
  ASSERT(SSL_CTX_set_ciphersuites(context, "TLS_AES_128_GCM_SHA256") == 1);
  ASSERT(SSL_CTX_set1_groups_list(context, "X25519") == 1);
  SSL_CTX_set_options(context, SSL_OP_NO_TICKET | SSL_OP_NO_RENEGOTIATION);
  SSL_CTX_set_num_tickets(context, 0);
  SSL_CTX_set_session_cache_mode(context, SSL_SESS_CACHE_OFF);
  SSL_CTX_set_mode(context, SSL_MODE_ENABLE_PARTIAL_WRITE | SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER |
                                SSL_MODE_RELEASE_BUFFERS);
  SSL_CTX_set_read_ahead(context, 1);
  return context;
}

// The caller owns it.
SSL_SESSION* make_session(SSL* ssl, const std::string& secret) {
  constexpr unsigned char aes_128_gcm_sha256[] = {0x13, 0x01};
  const SSL_CIPHER* cipher = SSL_CIPHER_find(ssl, aes_128_gcm_sha256);
  SSL_SESSION* session = SSL_SESSION_new();
  ASSERT(cipher != nullptr && session != nullptr);
  ASSERT(SSL_SESSION_set1_master_key(session, reinterpret_cast<const unsigned char*>(secret.data()),
                                     secret.size()) == 1);
  ASSERT(SSL_SESSION_set_cipher(session, cipher) == 1);
  ASSERT(SSL_SESSION_set_protocol_version(session, TLS1_3_VERSION) == 1);
  return session;
}

class TlsStream : public ByteStream {
 public:
  TlsStream(int descriptor, PeerIdentity peer, KeyRingPtr keys)
      : socket_{descriptor}, peer_(std::move(peer)), keys_(std::move(keys)) {}

  int descriptor() const override { return socket_.descriptor; }
  const PeerIdentity& peer() const override { return peer_; }

  StreamResult read(char* buffer, std::size_t size) override {
    ERR_clear_error();
    std::size_t bytes = 0;
    const int code = SSL_read_ex(ssl_.get(), buffer, size, &bytes);
    if (code != 1) return from_ssl(code);
    StreamResult result;
    result.bytes = bytes;
    result.is_drained = SSL_has_pending(ssl_.get()) == 0;
    return result;
  }

  StreamResult write(std::string_view bytes) override {
    ERR_clear_error();
    std::size_t written = 0;
    const int code = SSL_write_ex(ssl_.get(), bytes.data(), bytes.size(), &written);
    if (code != 1) return from_ssl(code);
    StreamResult result;
    result.bytes = written;
    return result;
  }

  void say_goodbye() override {
    ERR_clear_error();
    SSL_shutdown(ssl_.get());
  }

 protected:
  void make_ssl(SSL_CTX* context) {
    ssl_.reset(SSL_new(context));
    ASSERT(ssl_ != nullptr);
    BIO* bio = make_socket_bio(socket_);
    SSL_set_bio(ssl_.get(), bio, bio);
    SSL_set_app_data(ssl_.get(), this);
  }

  StreamResult from_ssl(int code) {
    switch (SSL_get_error(ssl_.get(), code)) {
      case SSL_ERROR_WANT_READ: return {StreamStatus::want_read};
      case SSL_ERROR_WANT_WRITE: return {StreamStatus::want_write};
      case SSL_ERROR_ZERO_RETURN: return {StreamStatus::closed};
      case SSL_ERROR_SYSCALL:
        if (errno == 0 || errno == EPIPE || errno == ECONNRESET) return {StreamStatus::closed};
        return stream_failed(system_error(peer_.address));
      default: break;
    }
    const char* reason = ERR_reason_error_string(ERR_peek_error());
    return stream_failed(Error{ErrorCode::protocol_error,
                               fmt::format("{}: TLS: {}", peer_.address, reason ? reason : "failed")});
  }

  Socket socket_;
  SslPtr ssl_;
  PeerIdentity peer_;
  KeyRingPtr keys_;
};

// --- the side that listens ---

struct Identity {
  std::string fingerprint;
  std::string node;
};

std::optional<Identity> parse_identity(std::string_view text) {
  if (text.size() > identity_bytes_max || !text.starts_with(identity_prefix)) return std::nullopt;
  text.remove_prefix(identity_prefix.size());
  const std::size_t middle = text.find(identity_node);
  if (middle == std::string_view::npos) return std::nullopt;
  Identity identity{std::string{text.substr(0, middle)},
                    std::string{text.substr(middle + identity_node.size())}};
  const auto is_plain = [](char c) { return c > ' ' && c < 0x7f && c != ':' && c != '/'; };
  const auto are_plain = [&](const std::string& word) {
    return !word.empty() && std::all_of(word.begin(), word.end(), is_plain);
  };
  if (!are_plain(identity.fingerprint) || !are_plain(identity.node)) return std::nullopt;
  return identity;
}

class ListeningStream : public TlsStream {
 public:
  ListeningStream(int descriptor, std::string address, KeyRingPtr keys,
                  std::shared_ptr<const RefusalMeter> refusals)
      : TlsStream(descriptor, peer_at(std::move(address)), std::move(keys)),
        refusals_(std::move(refusals)) {}

  StreamResult prove() override {
    if (!has_greeted_) return greet();
    if (!ssl_) {
      StreamResult begun = look_at_first_byte();
      if (begun.status != StreamStatus::done) return begun;
      make_ssl(context());
    }
    ERR_clear_error();
    socket_.is_mute = !refusals_->may_tell(RefusalMeter::Time::clock::now());
    const int code = SSL_accept(ssl_.get());
    if (code == 1) return finish();
    StreamResult result = from_ssl(code);
    if (result.status == StreamStatus::failed || result.status == StreamStatus::closed)
      return stream_failed(refusal(result));
    return result;
  }

 private:
  static PeerIdentity peer_at(std::string address) {
    PeerIdentity peer;
    peer.kind = PeerKind::node;
    peer.address = std::move(address);
    return peer;
  }

  static SSL_CTX* context() {
    static SSL_CTX* const made = [] {
      SSL_CTX* context = make_context(TLS_server_method());
      SSL_CTX_set_psk_find_session_callback(context, find_session);
      return context;
    }();
    return made;
  }

  StreamResult greet() {
    std::string greeting{greeting_word};
    for (const ClusterKey* key : keys_->accepted(read_clocks())) {
      if (greeting.size() > greeting_word.size()) greeting += ',';
      greeting += key->fingerprint();
    }
    greeting += '\n';
    const ssize_t count =
        ::send(descriptor(), greeting.data(), greeting.size(), MSG_DONTWAIT | MSG_NOSIGNAL);
    if (count != static_cast<ssize_t>(greeting.size())) return {StreamStatus::closed};
    has_greeted_ = true;
    return {StreamStatus::want_read};
  }

  // It stays in the socket for OpenSSL, which would say less of what is no TLS at all.
  StreamResult look_at_first_byte() {
    char first = 0;
    const ssize_t count = recv(descriptor(), &first, 1, MSG_PEEK | MSG_DONTWAIT);
    if (count < 0 && (errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR))
      return {StreamStatus::want_read};
    if (count <= 0) return stream_failed(refusal({StreamStatus::closed}));
    if (first == handshake_type) return {};
    return stream_failed(Error{ErrorCode::protocol_error,
                               fmt::format("{}: speaks no TLS: its first byte is 0x{:02x}",
                                           peer_.address, static_cast<unsigned char>(first))});
  }

  StreamResult finish() {
    if (SSL_session_reused(ssl_.get()) != 1 || peer_.node.empty())
      return stream_failed(Error{ErrorCode::authentication_failed,
                                 fmt::format("{}: did not use the cluster key", peer_.address)});
    return {};
  }

  Error refusal(const StreamResult& result) const {
    if (!mismatch_.empty()) return Error{ErrorCode::authentication_failed, mismatch_};
    if (!peer_.node.empty())
      return Error{ErrorCode::authentication_failed,
                   fmt::format("node {} at {} names our {}, but its secret is another one",
                               peer_.node, peer_.address, keys_->description(read_clocks()))};
    if (result.status == StreamStatus::closed)
      return Error{ErrorCode::authentication_failed,
                   fmt::format("{}: closed before it proved anything", peer_.address)};
    return result.error;
  }

  // Null in *session: no such key; the handshake then fails for want of a certificate.
  static int find_session(SSL* ssl, const unsigned char* text, std::size_t size,
                          SSL_SESSION** session) {
    auto& self = *static_cast<ListeningStream*>(SSL_get_app_data(ssl));
    *session = self.find_session_of({reinterpret_cast<const char*>(text), size});
    return 1;
  }

  SSL_SESSION* find_session_of(std::string_view text) {
    const std::optional<Identity> identity = parse_identity(text);
    if (!identity) {
      mismatch_ = fmt::format("{}: is no agent of Sluice", peer_.address);
      return nullptr;
    }
    const Now now = read_clocks();
    const ClusterKey* key = keys_->find(identity->fingerprint, now);
    if (!key) {
      mismatch_ = fmt::format("cluster keys differ: node {} at {} uses key {}; here is {}",
                              identity->node, peer_.address, identity->fingerprint,
                              keys_->description(now));
      return nullptr;
    }
    const std::optional<std::string> secret = key->node_secret(identity->node);
    if (!secret) {
      mismatch_ = fmt::format("node {} at {}: only the key of {} is held here", identity->node,
                              peer_.address, key->only_node());
      return nullptr;
    }
    peer_.node = identity->node;
    peer_.key_fingerprint = identity->fingerprint;
    return make_session(ssl_.get(), *secret);
  }

  std::shared_ptr<const RefusalMeter> refusals_;
  bool has_greeted_ = false;
  std::string mismatch_;
};

// --- the side that dials ---

// The fingerprints of a greeting, or of its beginning; none when it cannot become one.
std::optional<std::string> parse_greeting(std::string_view text) {
  const std::string_view word = text.substr(0, greeting_word.size());
  if (word != greeting_word.substr(0, word.size())) return std::nullopt;
  std::string_view rest = text.substr(word.size());
  if (rest.ends_with('\n'))
    rest.remove_suffix(1);
  else if (text.size() >= greeting_bytes_max)
    return std::nullopt;
  if (rest.find_first_not_of("0123456789abcdef,") != std::string_view::npos) return std::nullopt;
  return std::string{rest};
}

class DiallingStream : public TlsStream {
 public:
  DiallingStream(int descriptor, TlsDial dial, KeyRingPtr keys)
      : TlsStream(descriptor, peer_at(dial.address), std::move(keys)), node_(std::move(dial.node)) {}

  StreamResult prove() override {
    if (!ssl_) {
      StreamResult greeted = read_greeting();
      if (greeted.status != StreamStatus::done) return greeted;
      make_ssl(context());
    }
    ERR_clear_error();
    const int code = SSL_connect(ssl_.get());
    if (code == 1) return finish();
    StreamResult result = from_ssl(code);
    if (result.status == StreamStatus::failed || result.status == StreamStatus::closed)
      return stream_failed(refusal(result));
    return result;
  }

 private:
  static PeerIdentity peer_at(const std::string& address) {
    PeerIdentity peer;
    peer.kind = PeerKind::controller;
    peer.address = address;
    return peer;
  }

  static SSL_CTX* context() {
    static SSL_CTX* const made = [] {
      SSL_CTX* context = make_context(TLS_client_method());
      SSL_CTX_set_psk_use_session_callback(context, use_session);
      // With no certificate to trust, a peer that shows one instead of the key is refused.
      SSL_CTX_set_verify(context, SSL_VERIFY_PEER, nullptr);
      return context;
    }();
    return made;
  }

  // The listening side says nothing else before our first flight, so all that comes is the greeting.
  StreamResult read_greeting() {
    char bytes[greeting_bytes_max];
    const ssize_t count =
        recv(descriptor(), bytes, greeting_bytes_max - greeting_.size(), MSG_DONTWAIT);
    if (count < 0 && (errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR))
      return {StreamStatus::want_read};
    if (count < 0) return stream_failed(system_error(peer_.address));
    if (count == 0) return {StreamStatus::closed};
    greeting_.append(bytes, static_cast<std::size_t>(count));
    const std::optional<std::string> fingerprints = parse_greeting(greeting_);
    if (!fingerprints)
      return stream_failed(Error{ErrorCode::protocol_error,
                                 fmt::format("{} is not a controller of Sluice", peer_.address)});
    if (greeting_.back() != '\n') return {StreamStatus::want_read};
    choose_key(*fingerprints);
    return {};
  }

  // Without a common key the current one is offered all the same: so the other side can tell, too.
  void choose_key(std::string_view accepted) {
    const Now now = read_clocks();
    const ClusterKey* chosen = &keys_->current();
    accepted_ = accepted;
    has_common_key_ = false;
    for (const ClusterKey* key : keys_->accepted(now)) {
      if (accepted.find(key->fingerprint()) == std::string_view::npos) continue;
      chosen = key;
      has_common_key_ = true;
      break;
    }
    secret_ = chosen->node_secret(node_);
    identity_ = fmt::format("{}{}{}{}", identity_prefix, chosen->fingerprint(), identity_node, node_);
    peer_.key_fingerprint = chosen->fingerprint();
    key_description_ = chosen->description();
  }

  StreamResult finish() {
    if (SSL_session_reused(ssl_.get()) != 1)
      return stream_failed(Error{ErrorCode::authentication_failed,
                                 fmt::format("{} did not use the cluster key", peer_.address)});
    return {};
  }

  Error refusal(const StreamResult& result) const {
    if (!secret_)
      return Error{ErrorCode::authentication_failed,
                   fmt::format("{} is not the key of node {}", key_description_, node_)};
    if (!has_common_key_)
      return Error{ErrorCode::authentication_failed,
                   fmt::format("cluster keys differ: the controller at {} uses key {}; here is {}",
                               peer_.address, accepted_, key_description_)};
    if (result.status == StreamStatus::closed)
      return Error{ErrorCode::authentication_failed,
                   fmt::format("the controller at {} closed the connection before proof",
                               peer_.address)};
    return Error{ErrorCode::authentication_failed,
                 fmt::format("the controller at {} refuses node {} with {}: {}", peer_.address,
                             node_, key_description_, result.error.detail)};
  }

  static int use_session(SSL* ssl, const EVP_MD*, const unsigned char** identity,
                         std::size_t* identity_size, SSL_SESSION** session) {
    auto& self = *static_cast<DiallingStream*>(SSL_get_app_data(ssl));
    *session = nullptr;
    if (!self.secret_) return 1;
    *identity = reinterpret_cast<const unsigned char*>(self.identity_.data());
    *identity_size = self.identity_.size();
    *session = make_session(ssl, *self.secret_);
    return 1;
  }

  std::string node_;
  std::string greeting_;
  std::string key_description_;
  std::string accepted_;             // the fingerprints that the other side named
  bool has_common_key_ = false;
  std::optional<std::string> secret_;
  std::string identity_;
};

}  // namespace

std::unique_ptr<ByteStream> make_tls_listening_stream(
    int descriptor, std::string address, KeyRingPtr keys,
    std::shared_ptr<const RefusalMeter> refusals) {
  return std::make_unique<ListeningStream>(descriptor, std::move(address), std::move(keys),
                                           std::move(refusals));
}

std::unique_ptr<ByteStream> make_tls_dialling_stream(int descriptor, TlsDial dial, KeyRingPtr keys) {
  return std::make_unique<DiallingStream>(descriptor, std::move(dial), std::move(keys));
}

}  // namespace sluice
