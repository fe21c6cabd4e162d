// One characteristic in use: its reads and writes.
//
// Its shared subscription is a SharedSubscription; the socket of AcquireWrite is in
// CharacteristicChannel+Acquiring.swift.
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
    var isWriterHere = false
  }

  let view: CharacteristicView
  let calls: AttributeCalls
  let bus: MessageBus
  let limits: BlueZLimits
  /// Made once, and not for each read.
  private let readCall: MethodCall
  /// It outlives the channel when the objects of the characteristic are replaced.
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
  var isWriterHere: Bool {
    get { state.withLock { $0.isWriterHere } }
    set { state.withLock { $0.isWriterHere = newValue } }
  }

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
        sending: { subscription.readBegan() }
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
