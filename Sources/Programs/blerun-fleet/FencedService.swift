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

/// A ``Device`` that asks before each operation.
struct FencedService: Device {
  let device: any Device
  let gate: any OperationGate

  var scheduler: SerialScheduler { device.scheduler }
  var deviceDescription: String { device.deviceDescription }
  var candidates: [DeviceCandidate] { device.candidates }
  var operations: any DeviceOperations { FencedOperations(device: device.operations, gate: gate) }

  /// What goes on beside other operations: it counts as ended when it has begun.
  private func begun<Value: Sendable>(
    _ stream: @escaping @Sendable () -> Signal<Value>
  ) -> Signal<Value> {
    Signal(home: scheduler) { sink in
      gate.end(try await gate.begin(isIdempotent: true))
      try await stream().run { try await sink($0) }
    }
  }

  func startScan(_ filter: ScanFilter) -> Signal<Signal<Advertisement>> {
    begun { device.startScan(filter) }
  }

  func subscribe(
    _ characteristic: CharacteristicSelector, _ options: SubscriptionOptions
  ) -> Signal<Signal<NotificationEvent>> {
    begun { device.subscribe(characteristic, options) }
  }

  func acquireWriter(_ characteristic: CharacteristicSelector) -> Signal<any CommandWriter> {
    begun { device.acquireWriter(characteristic).map { FencedWriter(writer: $0, gate: gate) } }
  }

  func answering<Value: Sendable>(
    _ answers: PairingAnswers, _ body: @escaping @Sendable () -> Signal<Value>
  ) -> Signal<Value> {
    device.answering(answers, body)
  }
}

/// Operations that begin once the gate permits them.
private struct FencedOperations: DeviceOperations {
  let device: any DeviceOperations
  let gate: any OperationGate

  private func gated<Value: Sendable>(
    isIdempotent: Bool = true, _ operation: () async throws -> Value
  ) async throws -> Value {
    let number = try await gate.begin(isIdempotent: isIdempotent)
    do {
      let value = try await operation()
      gate.end(number)
      return value
    } catch {
      // What was cancelled may have reached the device.
      if !Task.isCancelled || isIdempotent { gate.end(number) }
      throw error
    }
  }

  // MARK: The connection

  func connect(keep: Bool, expecting: [ServiceSelector]) async throws -> LinkOrigin {
    try await gated {
      // A connection that another program made may end at any time.
      if gate.isHeldByOthers() { throw DeviceFailure.held }
      return try await device.connect(keep: keep, expecting: expecting)
    }
  }

  /// Allowed at any time: what ends a connection is what the fleet wants.
  func disconnect() async throws { try await device.disconnect() }

  /// As ``disconnect()``.
  func release() async throws { try await device.release() }

  func awaitOtherRuns() async throws -> Bool {
    gate.end(try await gate.begin(isIdempotent: true))
    return try await device.awaitOtherRuns()
  }

  func services() async throws -> [GATTService] { try await gated { try await device.services() } }

  func mtu() async throws -> Int { try await gated { try await device.mtu() } }

  func rssi() async throws -> LinkStrength { try await gated { try await device.rssi() } }

  func connectionParameters() async throws -> ConnectionParameters {
    try await gated { try await device.connectionParameters() }
  }

  // MARK: Values

  func read(_ characteristic: CharacteristicSelector, offset: Int) async throws -> [UInt8] {
    try await gated { try await device.read(characteristic, offset: offset) }
  }

  func readDescriptor(_ descriptor: DescriptorSelector) async throws -> [UInt8] {
    try await gated { try await device.readDescriptor(descriptor) }
  }

  func write(
    _ value: [UInt8], to characteristic: CharacteristicSelector, kind: WriteKind, offset: Int
  ) async throws {
    try await gated(isIdempotent: false) {
      try await device.write(value, to: characteristic, kind: kind, offset: offset)
    }
  }

  func writeDescriptor(_ value: [UInt8], to descriptor: DescriptorSelector) async throws {
    try await gated(isIdempotent: false) {
      try await device.writeDescriptor(value, to: descriptor)
    }
  }

  // MARK: The bond

  func pair(_ answers: PairingAnswers) async throws -> PairingOutcome {
    try await gated(isIdempotent: false) { try await device.pair(answers) }
  }

  func unpair() async throws {
    try await gated(isIdempotent: false) { try await device.unpair() }
  }

  func trust(_ isTrusted: Bool) async throws {
    try await gated { try await device.trust(isTrusted) }
  }
}

extension DeviceFailure {
  /// Another program on this host has connected to the device.
  fileprivate static let held = DeviceFailure(
    code: .busy, class: .passing, operation: "connecting",
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
