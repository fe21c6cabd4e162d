// A device whose operations need the permission of the fleet.
//
// Reads, scans and subscriptions count as idempotent; writes and changes of the bond do not.

import Bluetooth
import Signals

/// A gate that permits operations.
protocol OperationGate: Sendable {
  /// Waits for permission to begin an operation.
  ///
  /// - Returns: The number of the operation.
  /// - Throws: If the operation must not begin.
  func begin(isIdempotent: Bool) async throws -> Int
  /// Reports that the operation has ended with a known outcome.
  func end(_ operation: Int)
  /// Whether another program on this host holds the connection of the device.
  func isHeldByOthers() -> Bool
}

/// A ``Device`` that waits for permission before each operation.
struct FencedService: Device {
  let device: any Device
  let gate: any OperationGate

  var scheduler: SerialScheduler { device.scheduler }
  var deviceDescription: String { device.deviceDescription }
  var candidates: [DeviceCandidate] { device.candidates }
  var operations: any DeviceOperations { FencedOperations(device: device.operations, gate: gate) }

  /// Gates a stream, which runs alongside other operations: it counts as ended as soon as it has begun.
  private func gatedStream<Value: Sendable>(
    _ stream: @escaping @Sendable () -> Signal<Value>
  ) -> Signal<Value> {
    Signal(home: scheduler) { sink in
      gate.end(try await gate.begin(isIdempotent: true))
      try await stream().run { try await sink($0) }
    }
  }

  func startScan(_ filter: ScanFilter) -> Signal<Signal<Advertisement>> {
    gatedStream { device.startScan(filter) }
  }

  func subscribe(
    _ characteristic: CharacteristicSelector, _ options: SubscriptionOptions
  ) -> Signal<Signal<NotificationEvent>> {
    gatedStream { device.subscribe(characteristic, options) }
  }

  func acquireWriter(_ characteristic: CharacteristicSelector) -> Signal<any CommandWriter> {
    gatedStream {
      device.acquireWriter(characteristic).map { FencedWriter(writer: $0, gate: gate) }
    }
  }

  func answering<Value: Sendable>(
    _ answers: PairingAnswers, _ body: @escaping @Sendable () -> Signal<Value>
  ) -> Signal<Value> {
    device.answering(answers, body)
  }
}

/// The gated operations of a device.
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
      // A cancelled write may have reached the device: its outcome stays unknown.
      if !Task.isCancelled || isIdempotent { gate.end(number) }
      throw error
    }
  }

  // MARK: The connection

  func connect(keep: Bool, expecting: [ServiceSelector]) async throws -> LinkOrigin {
    try await gated {
      // Another program's connection cannot be used: that program may end it at any time.
      if gate.isHeldByOthers() { throw DeviceFailure.held }
      return try await device.connect(keep: keep, expecting: expecting)
    }
  }

  /// Disconnects without asking: the fleet always allows a connection to end.
  func disconnect() async throws { try await device.disconnect() }

  /// Releases the connection without asking, like ``disconnect()``.
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
  /// The failure of a connect while another program on this host holds the connection.
  fileprivate static let held = DeviceFailure(
    code: .busy, class: .passing, operation: "connecting",
    meaning: "another program on this host has connected to the device",
    hint: "end that program, or have it disconnect"
  )
}

/// A gated writer of commands.
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
