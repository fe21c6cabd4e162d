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
private struct FencedOperations: DeviceOperations, DeviceRequestPerformer {
  let device: any DeviceOperations
  let gate: any OperationGate

  func perform<Output>(_ request: DeviceRequest<Output>) async throws -> Output {
    let number = try await gate.begin(isIdempotent: request.isIdempotent)
    do {
      let value = try await request.perform(on: device)
      gate.end(number)
      return value
    } catch {
      // A cancelled write may have reached the device: its outcome stays unknown.
      if !Task.isCancelled || request.isIdempotent { gate.end(number) }
      throw error
    }
  }

  func connect(keep: Bool, expecting: [ServiceSelector]) async throws -> LinkOrigin {
    try await perform(
      DeviceRequest("connecting") {
        // Another program's connection cannot be used: that program may end it at any time.
        if gate.isHeldByOthers() { throw DeviceFailure.held }
        return try await $0.connect(keep: keep, expecting: expecting)
      })
  }

  // The fleet always allows a connection to end, and is not asked.

  func disconnect() async throws { try await device.disconnect() }
  func endUse() async throws { try await device.endUse() }
  func endAllUses() async throws -> Bool { try await device.endAllUses() }

  /// Asks before the wait, which is no operation on the device.
  func awaitOtherRuns() async throws -> Bool {
    gate.end(try await gate.begin(isIdempotent: true))
    return try await device.awaitOtherRuns()
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

  func flush() async throws { try await writer.flush() }
}
