// One characteristic in use: its reads and writes, and the socket of AcquireWrite.
//
// Its shared subscription is a SharedSubscription.
//
// Reads and writes run in the tasks of their callers, several at a time; replies that come late are
// handled on the loop.

import BlueZInterfaces
import Bluetooth
import DBus
import Signals

/// A characteristic's reads and writes over one bus connection, and its subscription.
final class CharacteristicChannel: Sendable {
  private struct State {
    /// A writer of this program has acquired the characteristic.
    var isWriteAcquiredLocally = false
  }

  let view: CharacteristicView
  let calls: AttributeCalls
  let bus: MessageBus
  let limits: BlueZLimits
  /// Made once, and not for each read.
  private let readCall: MethodCall
  /// The subscription outlives the channel when the objects of the characteristic are replaced.
  let subscription: SharedSubscription
  private let state = Guarded(State())

  init(
    _ view: CharacteristicView, _ calls: AttributeCalls, bus: MessageBus, limits: BlueZLimits,
    subscription: SharedSubscription
  ) {
    self.view = view
    self.calls = calls
    self.bus = bus
    self.limits = limits
    readCall = .bluez(view.path, GattCharacteristic1.readValue, [:])
    self.subscription = subscription
  }

  var loop: Loop { bus.loop }

  /// Whether a writer of this program has acquired the characteristic.
  var isWriteAcquiredLocally: Bool {
    get { state.withLock { $0.isWriteAcquiredLocally } }
    set { state.withLock { $0.isWriteAcquiredLocally = newValue } }
  }

  // MARK: Reading and writing

  /// Reads the value from an offset.
  @inline(__always)
  nonisolated(nonsending)
    func read(offset: Int = 0) async throws -> [UInt8]
  {
    let call = offset == 0 ? readCall : readCall(from: offset)
    do {
      // The read begins only once its call is sent.
      let reply = try await calls.call(
        call, lateReply: { [self] in lateRead($0, offset) },
        sending: { subscription.readBegan() }
      )
      let value = reply.output(of: GattCharacteristic1.readValue)
      readEnded(value, offset)
      return try Self.checked(value)
    } catch {
      // The reply to an abandoned call, and the echo before it, may still arrive.
      if !(error is CancellationError || error is TimedOut) { readEnded(nil, offset) }
      throw error
    }
  }

  /// Returns a value that was read, unless it is longer than the specification allows.
  static func checked(_ value: [UInt8]?) throws(Cause) -> [UInt8] {
    guard let value else { throw ErrorMapping.unknown(ErrorSituation(.read)) }
    guard value.count <= GattCharacteristic1.longestValue else {
      throw Cause.receivedTooLong(octets: value.count)
    }
    return value
  }

  private func readCall(from offset: Int) -> MethodCall {
    .bluez(
      view.path,
      GattCharacteristic1.readValue,
      [GattCharacteristic1.Option.offset: .uint16(UInt16(clamping: offset))]
    )
  }

  private func lateRead(_ answer: Result<Message, DBusError>, _ offset: Int) {
    switch answer {
    case .success(let reply):
      readEnded(reply.output(of: GattCharacteristic1.readValue), offset)
    case .failure: readEnded(nil, offset)
    }
  }

  private func readEnded(_ value: [UInt8]?, _ offset: Int) {
    subscription.readEnded(value, from: offset)
  }

  /// Writes a value from an offset.
  ///
  /// - Parameter type: One of `GattCharacteristic1.WriteType`; nil leaves the choice to bluetoothd.
  func write(_ value: [UInt8], type: String?, offset: Int) async throws {
    var options: PropertyMap = [:]
    if offset != 0 { options[GattCharacteristic1.Option.offset] = .uint16(UInt16(offset)) }
    if let type { options[GattCharacteristic1.Option.type] = .string(type) }
    let call = MethodCall.bluez(view.path, GattCharacteristic1.writeValue, (value, options))
    _ = try await calls.call(call)
  }
}

extension CharacteristicChannel {
  /// The results of an Acquire call.
  struct Acquired: Sendable {
    let descriptor: UnixFD
    /// The ATT MTU, in octets.
    let mtu: Int
  }

  /// Acquires the characteristic for a writer.
  ///
  /// - Throws: The errors of the call. A descriptor that arrives after that is closed at once: a
  ///   held copy would keep the characteristic acquired.
  func acquireWrite() async throws -> Acquired {
    let method = GattCharacteristic1.acquireWrite
    let reply = try await calls.call(.bluez(view.path, method, [:]), isConclusive: false) {
      answer in
      guard case .success(let late) = answer else { return }
      Acquired.close(late)
    }
    guard let acquired = Acquired(reply, method) else {
      throw ErrorMapping.unknown(ErrorSituation(.acquireWrite))
    }
    return acquired
  }
}

extension CharacteristicChannel.Acquired {
  /// The result in the reply to an Acquire call; nil when it has other types, and then it is closed.
  init?(_ reply: Message, _ method: Method<PropertyMap, (UnixFD, UInt16)>) {
    guard let (descriptor, mtu) = reply.output(of: method) else {
      Self.close(reply)
      return nil
    }
    // Observers of the bus may keep the reply for a while; the descriptor is ours alone.
    self.init(descriptor: UnixFD(owning: descriptor.release()), mtu: Int(mtu))
  }

  /// Closes the descriptors of a reply.
  fileprivate static func close(_ reply: Message) {
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
