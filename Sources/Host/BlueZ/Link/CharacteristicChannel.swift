// One characteristic in use: its reads and writes.
//
// Its shared subscription is in CharacteristicChannel+Subscribing.swift, the sockets of
// AcquireNotify and AcquireWrite in CharacteristicChannel+Acquiring.swift.

import BlueZInterfaces
import Bluetooth
import DBus
import Signals

/// A characteristic's reads, writes and notified values over one bus connection.
final class CharacteristicChannel: Sendable {
  struct State {
    var filter = EchoFilter()
    var nextID: UInt64 = 0
    var subscribers: [(id: UInt64, mailbox: NotificationMailbox)] = []
    var rule: Subscription?
    /// StartNotify has no reply yet, and its caller may have left: until when one can come.
    var latestStart: Instant?
    /// The next start waits for that reply.
    var isStartAwaited = false
    /// bluetoothd has, or may have, a session of StartNotify, which it keeps when the connection
    /// drops.
    var isNotifying = false
    /// StartNotify has succeeded on the present connection.
    var isConfirmed = false
    /// The result of AcquireNotify.
    var socket: AttributeSocket?
    /// Why the subscription ended last, since the latest start.
    var ending: Cause?
    /// The socket has ended, and the cause is not known before this timer fires.
    var causeTimer: LoopTimer?
    /// A writer of this program has acquired the characteristic.
    var isWriterHere = false
  }

  let view: CharacteristicView
  let calls: AttributeCalls
  let bus: MessageBus
  let limits: BlueZLimits
  /// Made once, and not for each read.
  private let readCall: MethodCall
  let startCall: MethodCall
  let stopCall: MethodCall
  let gate = Gate()
  let state = Awaited(State())

  init(_ view: CharacteristicView, _ calls: AttributeCalls, bus: MessageBus, limits: BlueZLimits) {
    self.view = view
    self.calls = calls
    self.bus = bus
    self.limits = limits
    readCall = .bluez(view.path, GattCharacteristic1.readValue, [:])
    startCall = .bluez(view.path, GattCharacteristic1.startNotify)
    stopCall = .bluez(view.path, GattCharacteristic1.stopNotify)
  }

  var loop: Loop { bus.loop }

  // MARK: Reading and writing

  /// Reads the value from an offset.
  @inline(__always)
  nonisolated(nonsending)
    func read(offset: Int = 0) async throws -> [UInt8]
  {
    let call = offset == 0 ? readCall : readCall(from: offset)
    do {
      // Not for a call that is not sent.
      let reply = try await calls.call(
        call, lateReply: { [self] in lateRead($0, offset) },
        sending: { state.withLock { $0.filter.readBegan() } }
      )
      let value = reply.output(of: GattCharacteristic1.readValue)
      readEnded(value, offset)
      return try Self.checked(value)
    } catch {
      // Its reply, and the echo before it, may still arrive for an abandoned call.
      if !(error is CancellationError || error is TimedOut) { readEnded(nil, offset) }
      throw error
    }
  }

  /// A value that was read, as long as it may be.
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
    deliver(state.withLock { $0.filter.readEnded(with: value, from: offset) })
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
