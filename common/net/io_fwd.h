// io_fwd.h: names Asio's event loop without including Asio, which costs seconds a file.
#pragma once

namespace boost::asio {
class io_context;
}  // namespace boost::asio

namespace sluice {
using IoContext = boost::asio::io_context;
}  // namespace sluice
