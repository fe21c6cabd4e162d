// Our end of the socket from AcquireNotify or AcquireWrite: one packet is one value.

import DBus
import Glibc
import Signals

/// A sequenced-packet socket that the loop watches; the descriptor is closed in every case.
final class AttributeSocket: Sendable {
  /// Longer than any value: an attribute has at most 512 octets.
  private static let longestPacket = 1024

  /// The result of one attempt to send.
  enum Sending: Equatable, Sendable {
    case sent
    /// The socket buffer is full.
    case full
    /// bluetoothd has closed its end, or this one is closed.
    case ended
  }

  private struct State {
    var watch: Watch?
    /// The socket is full, and a writer waits for room.
    var isFull = false
    var isEnded = false
  }

  private let end: UnixFD
  private let loop: Loop
  private let received: @Sendable ([UInt8]) -> Void
  private let ended: @Sendable () -> Void
  private let state = Awaited(State())

  /// Takes ownership of the descriptor and starts to watch it.
  ///
  /// - Parameters:
  ///   - received: Receives each packet, on the loop.
  ///   - ended: Called once when bluetoothd has closed its end, after all packets; not after
  ///     ``close()``.
  init(
    _ end: UnixFD, on loop: Loop, received: @escaping @Sendable ([UInt8]) -> Void,
    ended: @escaping @Sendable () -> Void
  ) {
    self.end = end
    self.loop = loop
    self.received = received
    self.ended = ended
    let flags = fcntl(end.descriptor, F_GETFL)
    _ = fcntl(end.descriptor, F_SETFL, flags | O_NONBLOCK)
    let watch = loop.watch(end.descriptor, for: .readable) { [weak self] events in
      self?.ready(events)
    }
    state.withLock { $0.watch = watch }
  }

  deinit { close() }

  private func ready(_ events: Watch.Events) {
    let isOver = !events.isDisjoint(with: .hungUp)
    if events.contains(.readable) || isOver { drain() }
    if events.contains(.writable) { writable() }
    if isOver, close() { ended() }
  }

  /// Delivers all packets that have arrived.
  private func drain() {
    while let packet = nextPacket() { received(packet) }
  }

  /// Takes all packets that have arrived, instead of their delivery.
  func remaining() -> [[UInt8]] {
    var packets: [[UInt8]] = []
    while let packet = nextPacket() { packets.append(packet) }
    return packets
  }

  private func nextPacket() -> [UInt8]? {
    var packet = [UInt8](repeating: 0, count: Self.longestPacket)
    let count = recv(end.descriptor, &packet, packet.count, Int32(MSG_DONTWAIT))
    // An empty value and the end look alike; only a socket that is hung up has ended.
    if count < 0 || (count == 0 && isHungUp) { return nil }
    return Array(packet.prefix(count))
  }

  private var isHungUp: Bool {
    var polled = pollfd(fd: end.descriptor, events: 0, revents: 0)
    return poll(&polled, 1, 0) > 0
  }

  // MARK: Sending

  /// Sends one packet if there is room for it.
  func send(_ value: [UInt8]) -> Sending {
    let flags = Int32(MSG_DONTWAIT) | Int32(MSG_NOSIGNAL)
    let sent = Glibc.send(end.descriptor, value, value.count, flags)
    if sent >= 0 { return .sent }
    return errno == EAGAIN || errno == EWOULDBLOCK || errno == ENOBUFS || errno == EINTR
      ? .full : .ended
  }

  /// Waits until there may be room, or the socket has ended.
  func waitUntilWritable(_ operation: String) async throws {
    let watch = state.withLock { state in
      state.isFull = !state.isEnded
      return state.watch
    }
    watch?.update([.readable, .writable])
    try await state.until(operation, on: loop) { $0.isFull ? nil : () }
  }

  private func writable() {
    state.withLock { $0.watch }?.update(.readable)
    state.change { $0.isFull = false }
  }

  /// How many octets bluetoothd has not read yet.
  var pending: Int {
    var count: Int32 = 0
    guard ioctl(end.descriptor, UInt(TIOCOUTQ), &count) == 0 else { return 0 }
    return Int(count)
  }

  // MARK: Ending

  /// Stops watching and closes the descriptor.
  ///
  /// - Returns: False when that was done before.
  @discardableResult
  func close() -> Bool {
    let (isFirst, watch) = state.withLock { state in
      defer { state = State(isEnded: true) }
      return (!state.isEnded, state.watch)
    }
    guard isFirst else { return false }
    watch?.cancel()
    _ = Glibc.close(end.release())
    state.announce()
    return true
  }
}
