// The listening socket, which also copes with a lack of file descriptors.
//
// It is bound by BoundPlace.

import CMicroHTTPD
import Glibc
import Signals

/// An accepted connection. Its owner has to close the descriptor.
struct AcceptedConnection {
  let descriptor: Int32
  /// The remote address, as the system returns it.
  let name: sockaddr_storage
  let nameLength: socklen_t
  /// The address that limits count by: an IPv4 address, the first half of an IPv6 address, or `unix`.
  let remote: String
  /// The local address that it arrived at; nil on a Unix socket.
  let arrivedAt: String?
}

/// A listening socket, used only on its loop.
final class Listener: @unchecked Sendable {
  // All variables are used only by callbacks of `loop`, which run one at a time.
  private let loop: Loop
  private let descriptor: Int32
  private let place: BoundPlace
  private let accepted: (AcceptedConnection) -> Void
  private var watch: Watch?
  private var pause: LoopTimer?
  /// A spare descriptor. When no other is left, it is closed, so that a connection can be accepted and
  /// closed.
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

  /// Stops listening, and removes the socket file if there is one.
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

  /// Accepts at most 32 waiting connections, so that other work of the loop is not delayed.
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

  /// Closes a waiting connection when no descriptor is left, so that the browser need not wait. Returns
  /// false if that failed.
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

  /// Pauses accepting, because the socket would stay readable and keep the loop busy.
  private func waitForDescriptors() {
    watch?.update([])
    pause = loop.after(.milliseconds(100)) { [weak self] in
      guard let self, let watch = self.watch else { return }
      if reserve < 0 { reserve = Self.openReserve() }
      watch.update(.readable)
    }
  }
}
