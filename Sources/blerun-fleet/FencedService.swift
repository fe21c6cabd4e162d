// A device whose operations ask the fleet before they begin.
//
// Reads, scans and subscriptions are idempotent; writes and what concerns the bond are not.

import Bluetooth
import Signals

/// Who permits operations.
protocol OperationGate: Sendable {
  /// Waits for the permission of an operation.
  ///
  /// - Returns: The number of the operation.
  /// - Throws: When it must not begin.
  func begin(isIdempotent: Bool) async throws -> Int
  /// The operation has ended, and what it did is known.
  func end(_ operation: Int)
  /// Whether another program on this host holds the connection of the device.
  func isHeldByOthers() -> Bool
}

/// A ``DeviceService`` that asks before each operation.
struct FencedService: DeviceService {
  let device: any DeviceService
  let gate: any OperationGate

  var scheduler: SerialScheduler { device.scheduler }
  var deviceDescription: String { device.deviceDescription }
  var candidates: [DeviceCandidate] { device.candidates }

  /// An operation that has ended when its signal has.
  private func gated<Value: Sendable>(
    isIdempotent: Bool = true,
    _ operation: @escaping @Sendable () -> Signal<Value>
  ) -> Signal<Value> {
    Signal(home: scheduler) { sink in
      let number = try await gate.begin(isIdempotent: isIdempotent)
      do {
        try await operation().run { try await sink($0) }
      } catch {
        // What was cancelled may have reached the device.
        if !Task.isCancelled || isIdempotent { gate.end(number) }
        throw error
      }
      gate.end(number)
    }
  }

  /// An operation that goes on beside others: it counts as ended when it has begun.
  private func begun<Value: Sendable>(
    _ operation: @escaping @Sendable () -> Signal<Value>
  ) -> Signal<Value> {
    Signal(home: scheduler) { sink in
      gate.end(try await gate.begin(isIdempotent: true))
      try await operation().run { try await sink($0) }
    }
  }

  // MARK: Connection and discovery

  func scan(_ filter: ScanFilter) -> Signal<Advertisement> { begun { device.scan(filter) } }

  func startScan(_ filter: ScanFilter) -> Signal<Signal<Advertisement>> {
    begun { device.startScan(filter) }
  }

  func connect(keep: Bool, expecting: [ServiceSelector]) -> Signal<LinkOrigin> {
    gated { [self] in
      // A connection that another program made may end at any time.
      gate.isHeldByOthers()
        ? .failure(DeviceFailure.held) : device.connect(keep: keep, expecting: expecting)
    }
  }

  /// Allowed at any time: what ends a connection is what the fleet wants.
  func disconnect() -> Signal<Void> { device.disconnect() }

  /// As ``disconnect()``.
  func release() -> Signal<Void> { device.release() }

  /// As ``disconnect()``.
  func leave() -> Signal<Bool> { device.disconnect().map { false } }

  func awaitOtherRuns() -> Signal<Bool> { begun { device.awaitOtherRuns() } }

  func services() -> Signal<[GATTService]> { gated { device.services() } }

  func mtu() -> Signal<Int> { gated { device.mtu() } }

  func rssi() -> Signal<LinkStrength> { gated { device.rssi() } }

  func connectionParameters() -> Signal<ConnectionParameters> {
    gated { device.connectionParameters() }
  }

  // MARK: Values

  func read(_ characteristic: CharacteristicSelector) -> Signal<[UInt8]> {
    gated { device.read(characteristic) }
  }

  func read(_ characteristic: CharacteristicSelector, offset: Int) -> Signal<[UInt8]> {
    gated { device.read(characteristic, offset: offset) }
  }

  func readDescriptor(_ descriptor: DescriptorSelector) -> Signal<[UInt8]> {
    gated { device.readDescriptor(descriptor) }
  }

  func write(
    _ value: [UInt8],
    to characteristic: CharacteristicSelector,
    kind: WriteKind
  ) -> Signal<Void> {
    gated(isIdempotent: false) { device.write(value, to: characteristic, kind: kind) }
  }

  func write(
    _ value: [UInt8],
    to characteristic: CharacteristicSelector,
    kind: WriteKind,
    offset: Int
  ) -> Signal<Void> {
    gated(isIdempotent: false) {
      device.write(value, to: characteristic, kind: kind, offset: offset)
    }
  }

  func writeDescriptor(_ value: [UInt8], to descriptor: DescriptorSelector) -> Signal<Void> {
    gated(isIdempotent: false) { device.writeDescriptor(value, to: descriptor) }
  }

  func notifications(_ characteristic: CharacteristicSelector) -> Signal<NotifiedValue> {
    begun { device.notifications(characteristic) }
  }

  func subscribe(_ characteristic: CharacteristicSelector) -> Signal<Signal<NotifiedValue>> {
    begun { device.subscribe(characteristic) }
  }

  func subscribe(
    _ characteristic: CharacteristicSelector,
    _ options: SubscriptionOptions
  ) -> Signal<Signal<NotificationEvent>> {
    begun { device.subscribe(characteristic, options) }
  }

  func acquireWriter(_ characteristic: CharacteristicSelector) -> Signal<any CommandWriter> {
    begun { device.acquireWriter(characteristic).map { FencedWriter(writer: $0, gate: gate) } }
  }

  // MARK: The bond

  func pair(_ answers: PairingAnswers) -> Signal<PairingOutcome> {
    gated(isIdempotent: false) { device.pair(answers) }
  }

  func answering<Value: Sendable>(
    _ answers: PairingAnswers,
    _ body: @escaping @Sendable () -> Signal<Value>
  ) -> Signal<Value> {
    device.answering(answers, body)
  }

  func unpair() -> Signal<Void> { gated(isIdempotent: false) { device.unpair() } }

  func trust(_ isTrusted: Bool) -> Signal<Void> { gated { device.trust(isTrusted) } }
}

extension DeviceFailure {
  /// Another program on this host has connected to the device.
  fileprivate static let held = DeviceFailure(
    code: .busy,
    class: .passing,
    operation: "connecting",
    meaning: "another program on this host has connected to the device",
    hint: "end that program, or have it disconnect"
  )
}

/// A writer of commands that asks before each.
private struct FencedWriter: CommandWriter {
  let writer: any CommandWriter
  let gate: any OperationGate

  var mtu: Int { writer.mtu }
  var longestValue: Int { writer.longestValue }

  func write(_ value: [UInt8]) async throws {
    let number = try await gate.begin(isIdempotent: false)
    try await writer.write(value)
    gate.end(number)
  }
}
