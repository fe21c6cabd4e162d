// Binding of a listening socket, and the addresses of sockets as text.
//
// Connections are accepted by Listener.

import Glibc

/// The address that a socket is bound to.
struct BoundPlace {
  let address: WebServer.Address
  /// The socket file, identified by device and inode.
  private let file: (path: String, device: dev_t, inode: ino_t)?

  /// Creates a listening socket.
  static func bind(_ place: ListeningPlace) throws(WebServerFailure) -> (Int32, BoundPlace) {
    switch place {
    case .loopback(let port): try bind("127.0.0.1", port)
    case .address(let address, let port): try bind(address, port)
    case .unix(let path): try bind(path: path)
    }
  }

  /// Removes the socket file, unless another process has replaced it.
  func remove() {
    guard let file else { return }
    var now = stat()
    if lstat(file.path, &now) == 0, now.st_dev == file.device, now.st_ino == file.inode {
      unlink(file.path)
    }
  }

  private static func failure(_ place: String) -> WebServerFailure {
    .cannotListen(place: place, reason: String(cString: strerror(errno)))
  }

  private static func open(_ family: Int32) -> Int32 {
    socket(family, Int32(SOCK_STREAM.rawValue | SOCK_NONBLOCK.rawValue | SOCK_CLOEXEC.rawValue), 0)
  }

  // MARK: TCP

  private static func bind(
    _ host: String, _ port: UInt16
  ) throws(WebServerFailure) -> (Int32, BoundPlace) {
    let text = host.contains(":") ? "[\(host)]" : host
    let isV6 = host.contains(":")
    let made = open(isV6 ? AF_INET6 : AF_INET)
    guard made >= 0 else { throw failure("\(text):\(port)") }
    var one: Int32 = 1
    setsockopt(made, SOL_SOCKET, SO_REUSEADDR, &one, 4)
    if isV6 { setsockopt(made, Int32(IPPROTO_IPV6), IPV6_V6ONLY, &one, 4) }
    let isBound = isV6 ? bindV6(made, host, port) : bindV4(made, host, port)
    guard isBound, listen(made, 128) == 0 else {
      let failure = failure("\(text):\(port)")
      close(made)
      throw failure
    }
    let found = SocketNames.local(made)?.port ?? port
    let url = "http://\(text):\(found)/"
    return (
      made, BoundPlace(address: WebServer.Address(url: url, port: found, text: url), file: nil)
    )
  }

  private static func bindV4(_ socket: Int32, _ host: String, _ port: UInt16) -> Bool {
    var name = sockaddr_in()
    name.sin_family = sa_family_t(AF_INET)
    name.sin_port = port.bigEndian
    guard inet_pton(AF_INET, host, &name.sin_addr) == 1 else {
      errno = EINVAL
      return false
    }
    return bind(socket, &name)
  }

  private static func bindV6(_ socket: Int32, _ host: String, _ port: UInt16) -> Bool {
    var name = sockaddr_in6()
    name.sin6_family = sa_family_t(AF_INET6)
    name.sin6_port = port.bigEndian
    guard inet_pton(AF_INET6, host, &name.sin6_addr) == 1 else {
      errno = EINVAL
      return false
    }
    return bind(socket, &name)
  }

  private static func bind<Name>(_ socket: Int32, _ name: inout Name) -> Bool {
    withUnsafeBytes(of: &name) { bytes in
      guard let start = bytes.baseAddress else { return false }
      return Glibc.bind(
        socket,
        start.assumingMemoryBound(to: sockaddr.self),
        socklen_t(bytes.count)
      ) == 0
    }
  }

  // MARK: Unix sockets

  private static func bind(path: String) throws(WebServerFailure) -> (Int32, BoundPlace) {
    let place = "unix:\(path)"
    guard var name = unixName(path) else {
      throw .cannotListen(place: place, reason: "the path is longer than 107 bytes, or empty")
    }
    try removeStale(path, &name, place)
    let made = open(AF_UNIX)
    guard made >= 0 else { throw failure(place) }
    // The file is created with this mode, so that no other user can ever open it.
    fchmod(made, 0o600)
    guard bind(made, &name), listen(made, 128) == 0 else {
      let failure = failure(place)
      close(made)
      throw failure
    }
    var file = stat()
    lstat(path, &file)
    return (
      made,
      BoundPlace(
        address: WebServer.Address(url: nil, port: nil, text: place),
        file: (path, file.st_dev, file.st_ino)
      )
    )
  }

  /// Removes a socket file on which no process listens.
  private static func removeStale(
    _ path: String, _ name: inout sockaddr_un, _ place: String
  ) throws(WebServerFailure) {
    var file = stat()
    guard lstat(path, &file) == 0 else { return }
    guard file.st_mode & S_IFMT == S_IFSOCK else {
      throw .cannotListen(place: place, reason: "a file that is not a socket has this name")
    }
    let other = open(AF_UNIX)
    guard other >= 0 else { throw failure(place) }
    defer { close(other) }
    let isAnswered = withUnsafeBytes(of: &name) { bytes in
      guard let start = bytes.baseAddress else { return false }
      return connect(
        other,
        start.assumingMemoryBound(to: sockaddr.self),
        socklen_t(bytes.count)
      ) == 0
    }
    guard !isAnswered, errno == ECONNREFUSED else {
      throw .cannotListen(place: place, reason: "another program listens there")
    }
    guard unlink(path) == 0 else { throw failure(place) }
  }

  private static func unixName(_ path: String) -> sockaddr_un? {
    var name = sockaddr_un()
    name.sun_family = sa_family_t(AF_UNIX)
    let bytes = Array(path.utf8)
    guard !bytes.isEmpty, bytes.count < MemoryLayout.size(ofValue: name.sun_path),
      !bytes.contains(0)
    else { return nil }
    withUnsafeMutableBytes(of: &name.sun_path) { $0.copyBytes(from: bytes) }
    return name
  }
}

/// The addresses of a socket as text.
enum SocketNames {
  /// Returns the address and port that a socket is bound to; nil if it is not a TCP socket.
  static func local(_ socket: Int32) -> (address: String, port: UInt16)? {
    var storage = sockaddr_storage()
    guard name(&storage, { getsockname(socket, $0, $1) }) != nil else { return nil }
    return text(of: &storage)
  }

  /// Returns an accepted connection with its remote address and the local address that it arrived at.
  static func connection(_ socket: Int32) -> AcceptedConnection {
    var storage = sockaddr_storage()
    let length = name(&storage) { getpeername(socket, $0, $1) }
    return AcceptedConnection(
      descriptor: socket, name: storage, nameLength: length ?? 0,
      remote: text(of: &storage).map { group($0.address) } ?? "unix",
      arrivedAt: local(socket)?.address
    )
  }

  /// Returns the address by which limits count. For IPv6 it is the first half of the address,
  /// because a host usually has 2^64 addresses.
  private static func group(_ address: String) -> String {
    var bytes = in6_addr()
    guard inet_pton(AF_INET6, address, &bytes) == 1 else { return address }
    return withUnsafeBytes(of: bytes) { $0.prefix(8).map { String($0, radix: 16) } }
      .joined(separator: ":")
  }

  private static func name(
    _ storage: inout sockaddr_storage,
    _ call: (UnsafeMutablePointer<sockaddr>, UnsafeMutablePointer<socklen_t>) -> Int32
  ) -> socklen_t? {
    var length = socklen_t(MemoryLayout<sockaddr_storage>.size)
    return withUnsafeMutablePointer(to: &storage) { storage in
      storage.withMemoryRebound(to: sockaddr.self, capacity: 1) { call($0, &length) } == 0
        ? length : nil
    }
  }

  private static func text(of storage: inout sockaddr_storage) -> (address: String, port: UInt16)? {
    let family = Int32(storage.ss_family)
    return withUnsafeTemporaryAllocation(of: CChar.self, capacity: 64) { buffer in
      withUnsafeMutablePointer(to: &storage) { storage in
        switch family {
        case AF_INET:
          storage.withMemoryRebound(to: sockaddr_in.self, capacity: 1) { name in
            inet_ntop(family, &name.pointee.sin_addr, buffer.baseAddress, 64).map {
              (String(cString: $0), UInt16(bigEndian: name.pointee.sin_port))
            }
          }
        case AF_INET6:
          storage.withMemoryRebound(to: sockaddr_in6.self, capacity: 1) { name in
            inet_ntop(family, &name.pointee.sin6_addr, buffer.baseAddress, 64).map {
              (String(cString: $0), UInt16(bigEndian: name.pointee.sin6_port))
            }
          }
        default: nil
        }
      }
    }
  }
}
