// The socket that a server listens at, and what happens when no descriptor is left.

import CMicroHTTPD
import Glibc
import Signals

/// A connection that was accepted; whoever has it closes it.
struct AcceptedConnection {
  let descriptor: Int32
  /// The address of the other end, as the system has it.
  let name: sockaddr_storage
  let nameLength: socklen_t
  /// For limits by address: an IPv4 address, the first half of an IPv6 address, or `unix`.
  let remote: String
  /// The address of this host at which it arrived; nil on a Unix socket.
  let arrivedAt: String?
}

/// A listening socket. Everything of it happens on its loop.
final class Listener: @unchecked Sendable {
  // All variables are touched only by callbacks of `loop`, which makes one at a time.
  private let loop: Loop
  private let descriptor: Int32
  private let place: BoundPlace
  private let accepted: (AcceptedConnection) -> Void
  private var watch: Watch?
  private var pause: LoopTimer?
  /// Given back for a moment when no other descriptor is left, to accept a connection and close it.
  private var reserve: Int32

  var address: WebServer.Address { place.address }

  /// Binds and listens.
  init(
    at place: ListeningPlace, on loop: Loop, accepted: @escaping (AcceptedConnection) -> Void
  ) throws(WebServerFailure) {
    (descriptor, self.place) = try BoundPlace.bind(place)
    self.loop = loop
    self.accepted = accepted
    reserve = Self.openReserve()
    watch = loop.watch(descriptor, for: .readable) { [weak self] _ in self?.acceptAll() }
  }

  /// Stops listening; a socket file is removed.
  func close() {
    guard let watch else { return }
    watch.cancel()
    self.watch = nil
    pause?.cancel()
    place.remove()
    Glibc.close(descriptor)
    if reserve >= 0 { Glibc.close(reserve) }
  }

  private static func openReserve() -> Int32 { open("/dev/null", O_RDONLY | O_CLOEXEC) }

  /// Accepts what waits, up to a number: other work of the loop comes between.
  private func acceptAll() {
    for _ in 0..<32 {
      guard watch != nil else { return }
      let made = web_accept(descriptor)
      if made >= 0 {
        accepted(SocketNames.connection(made))
        continue
      }
      switch errno {
      case EINTR, ECONNABORTED: continue
      case EAGAIN: return
      case EMFILE, ENFILE: guard refuseOne() else { return waitForDescriptors() }
      default: return waitForDescriptors()
      }
    }
  }

  /// No descriptor is left: the browser learns at once that it is not served.
  private func refuseOne() -> Bool {
    guard reserve >= 0 else {
      reserve = Self.openReserve()
      return false
    }
    Glibc.close(reserve)
    let made = accept(descriptor, nil, nil)
    if made >= 0 { Glibc.close(made) }
    reserve = Self.openReserve()
    return made >= 0 && reserve >= 0
  }

  /// Looks again in a while, instead of at once and always.
  private func waitForDescriptors() {
    watch?.update([])
    pause = loop.after(.milliseconds(100)) { [weak self] in
      guard let self, let watch = self.watch else { return }
      if reserve < 0 { reserve = Self.openReserve() }
      watch.update(.readable)
    }
  }
}
