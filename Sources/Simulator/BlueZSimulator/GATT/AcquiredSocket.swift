// One end of the socket that AcquireNotify and AcquireWrite return.

import BlueZInterfaces
import DBus
import Glibc
import Signals

/// The server's end of a pair of sequenced-packet sockets: one packet is one value.
final class AcquiredSocket: Sendable {
  /// Orders the sockets of a device by their acquisition.
  let number: UInt64
  private let end: UnixFD
  private let watch: Confined<Watch?>

  private init(_ number: UInt64, _ end: UnixFD, on loop: Loop) {
    self.number = number
    self.end = end
    watch = Confined(nil, to: loop)
  }

  /// Creates a pair of sockets: the server's end, and the end to send.
  ///
  /// - Parameters:
  ///   - number: The value of ``number``.
  ///   - received: Receives each packet from the client.
  ///   - released: Called once, when the client has closed its last copy.
  /// - Returns: nil when no descriptor is left for it, or for the copy in the message.
  static func pair(
    _ number: UInt64, on loop: Loop, received: @escaping @Sendable ([UInt8]) -> Void,
    released: @escaping @Sendable () -> Void
  ) -> (own: AcquiredSocket, other: UnixFD)? {
    var ends: [Int32] = [-1, -1]
    let type =
      Int32(SOCK_SEQPACKET.rawValue) | Int32(SOCK_NONBLOCK.rawValue) | Int32(SOCK_CLOEXEC.rawValue)
    guard socketpair(AF_UNIX, type, 0, &ends) == 0 else { return nil }
    let (own, other) = (UnixFD(owning: ends[0]), UnixFD(owning: ends[1]))
    guard (try? other.duplicate()) != nil else { return nil }
    let socket = AcquiredSocket(number, own, on: loop)
    socket.serve(on: loop, received: received, released: released)
    return (socket, other)
  }

  /// Wraps the end of a socket that a program made; nil if no descriptor was left for it.
  static func adopt(
    _ end: UnixFD, on loop: Loop, received: @escaping @Sendable ([UInt8]) -> Void,
    released: @escaping @Sendable () -> Void
  ) -> AcquiredSocket? {
    guard let own = try? end.duplicate() else { return nil }
    _ = fcntl(own.descriptor, F_SETFL, fcntl(own.descriptor, F_GETFL) | O_NONBLOCK)
    let socket = AcquiredSocket(0, own, on: loop)
    socket.serve(on: loop, received: received, released: released)
    return socket
  }

  private func serve(
    on loop: Loop, received: @escaping @Sendable ([UInt8]) -> Void,
    released: @escaping @Sendable () -> Void
  ) {
    watch.contents = loop.watch(end.descriptor, for: [.readable, .hungUp]) { [weak self] events in
      guard let self else { return }
      if events.contains(.readable) { drain(received) }
      if !events.isDisjoint(with: .hungUp) {
        close()
        released()
      }
    }
  }

  /// Sends one value. A full or closed socket drops it, as bluetoothd's does.
  func send(_ value: [UInt8]) {
    _ = Glibc.send(end.descriptor, value, value.count, Int32(MSG_NOSIGNAL))
  }

  private func drain(_ received: ([UInt8]) -> Void) {
    var packet = [UInt8](repeating: 0, count: GattCharacteristic1.longestValue)
    while true {
      let count = recv(end.descriptor, &packet, packet.count, 0)
      guard count > 0 else { return }
      received(Array(packet.prefix(count)))
    }
  }

  /// Shuts down both directions: the client reads the remaining packets, then the end.
  func close() {
    guard let watch = watch.contents.take() else { return }
    watch.cancel()
    _ = Glibc.close(end.release())
  }
}
