// AcquireNotify and AcquireWrite: values through a socket of this program.

import BlueZInterfaces
import Bluetooth
import DBus
import Signals

extension CharacteristicChannel {
  /// The results of an Acquire call.
  struct Acquired: Sendable {
    let descriptor: UnixFD
    /// The ATT MTU, in octets.
    let mtu: Int
  }

  /// Acquires the notifications, and watches the socket.
  func acquireNotify(limit: Duration?) async throws {
    let acquired = try await acquire(
      GattCharacteristic1.acquireNotify, limit: limit ?? limits.attribute
    )
    let socket = AttributeSocket(
      acquired.descriptor, on: loop,
      received: { [weak self] value in
        guard let self else { return }
        guard value.count <= GattCharacteristic1.longestValue else {
          return end(Cause.receivedTooLong(octets: value.count))
        }
        deliver(value, at: loop.now)
      },
      ended: { [weak self] in self?.notifySocketEnded() }
    )
    // The connection may have dropped while this task waited to be resumed.
    let (isOver, timer) = state.withLock { state in
      defer { state.causeTimer = nil }
      if state.ending == nil { state.socket = socket }
      return (state.ending != nil, state.causeTimer)
    }
    // It belongs to the socket before.
    timer?.cancel()
    if isOver { socket.close() }
  }

  /// bluetoothd has closed its end: the connection dropped, which its signal reports within a
  /// moment, or a program caused the release.
  private func notifySocketEnded() {
    let timer = loop.after(limits.release) { [weak self] in self?.end(Cause.notifyReleased) }
    state.withLock { state in
      state.socket = nil
      state.causeTimer = timer
    }
  }

  /// Calls AcquireNotify or AcquireWrite.
  ///
  /// - Throws: What the call throws. A descriptor that arrives after that is closed at once: a held
  ///   copy would keep the characteristic acquired.
  func acquire(
    _ method: Method<PropertyMap, (UnixFD, UInt16)>, limit: Duration? = nil
  ) async throws -> Acquired {
    let call = MethodCall.bluez(view.path, method, [:])
    // AcquireNotify gets no reply either when the device refuses the subscription (5.66).
    let reply = try await calls.call(call, limit: limit, isConclusive: false) { answer in
      guard case .success(let late) = answer else { return }
      Self.close(late)
    }
    guard let (descriptor, mtu) = reply.output(of: method) else {
      Self.close(reply)
      throw ErrorMapping.unknown(ErrorSituation(.acquireNotify))
    }
    // Observers of the bus may keep the reply for a while; the descriptor is ours alone.
    return Acquired(descriptor: UnixFD(owning: descriptor.release()), mtu: Int(mtu))
  }

  private static func close(_ reply: Message) {
    for value in reply.body {
      guard let descriptor = value.asUnixFD?.release(), descriptor >= 0 else { continue }
      _ = UnixFD(owning: descriptor)
    }
  }
}

extension Cause {
  static let notifyReleased = transient(
    .refused,
    "bluetoothd ended the acquired subscription while connected: another program stopped it, "
      + "or acquired the characteristic",
    hint: "close other programs that use the device and subscribe again, or use delivery by "
      + "signals, which several programs can share"
  )
  static let writerReleased = transient(
    .refused, "bluetoothd closed the acquired writer while connected",
    hint: "acquire it again, or write with single commands"
  )
}
