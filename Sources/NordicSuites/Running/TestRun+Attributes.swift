// The operations on attributes.

import Bluetooth
import Jobs
import Signals

extension TestRun {
  // MARK: Reading and writing

  func read(
    _ path: AttributePath,
    _ assertion: ValueAssertion?,
    _ link: TargetLink,
    _ placed: PlacedOperation,
    _ findings: Findings
  ) async throws {
    let found = try await Self.resolved(path, on: link, placed)
    let reading =
      found.descriptor.map { link.service.readDescriptor($0) }
      ?? link.service.read(found.characteristic)
    var read: [UInt8]?
    try await reading.run { read = $0 }
    guard let octets = read else { throw NoValue(operation: placed.operation.doing) }
    link.know(octets, of: path)
    findings.outcome = .value(Self.stepValue(octets, of: path))
    try Self.judge(octets, assertion, findings)
  }

  func write(
    _ value: [UInt8],
    to path: AttributePath,
    isCommand: Bool,
    _ link: TargetLink,
    _ placed: PlacedOperation,
    _ findings: Findings
  ) async throws {
    let found = try await Self.resolved(path, on: link, placed)
    if path.isSubscription {
      try await subscribe(value, path.ofCharacteristic, found, link, findings)
    } else if let descriptor = found.descriptor {
      try await link.service.writeDescriptor(value, to: descriptor).run { _ in }
    } else if !isCommand, link.gather(value, for: path) {
      findings.outcome = .written(value)
      return
    } else {
      let kind = isCommand ? WriteKind.command : .request
      try await link.service.write(value, to: found.characteristic, kind: kind).run { _ in }
    }
    link.know(value, of: path)
    findings.outcome = .written(value)
  }

  /// Subscribes instead of writing the Client Characteristic Configuration: bluetoothd writes it
  /// for a subscription, as the properties of the characteristic allow.
  ///
  /// - Source: BlueZ, `src/gatt-client.c` (characteristic_start_notify), `src/shared/gatt-client.c`
  ///   (notify_data_write_ccc).
  private func subscribe(
    _ value: [UInt8],
    _ path: AttributePath,
    _ found: FoundAttribute,
    _ link: TargetLink,
    _ findings: Findings
  ) async throws {
    let bits = value.first ?? 0
    guard bits & 0x03 != 0 else { return await link.unsubscribe(path) }
    let properties = found.properties
    if bits & 0x02 != 0, properties.contains(.notify) {
      findings.note(
        "bluetoothd subscribes to notifications, not indications, where a characteristic has both"
      )
    }
    try await link.subscribe(path, found.characteristic)
  }

  // MARK: Reliable writes

  func beginReliable(_ link: TargetLink, _ placed: PlacedOperation) throws {
    guard !link.beginReliable() else { return }
    throw Self.misplaced(placed, "a reliable write is under way")
  }

  /// Executes the writes of a reliable write, each with its echo checked.
  func executeReliable(
    _ link: TargetLink,
    _ placed: PlacedOperation,
    _ findings: Findings
  ) async throws {
    let gathered = try Self.gathered(link, placed)
    if gathered.count > 1 {
      findings.note(
        "bluetoothd executes each of the \(gathered.count) writes on its own: when one fails, "
          + "those before it stay"
      )
    }
    for (path, value) in gathered {
      let found = try await Self.resolved(path, on: link, placed)
      try await link.service.write(value, to: found.characteristic, kind: .reliable).run { _ in }
      link.know(value, of: path)
    }
  }

  /// Drops the writes of a reliable write, none of which was sent.
  func abortReliable(_ link: TargetLink, _ placed: PlacedOperation) throws {
    _ = try Self.gathered(link, placed)
  }

  private static func gathered(
    _ link: TargetLink,
    _ placed: PlacedOperation
  ) throws -> [(path: AttributePath, value: [UInt8])] {
    guard let gathered = link.endReliable() else {
      throw misplaced(placed, "no reliable write was begun")
    }
    guard !gathered.isEmpty else {
      throw misplaced(placed, "nothing was written since the reliable write began")
    }
    return gathered
  }

  private static func misplaced(_ placed: PlacedOperation, _ meaning: String) -> DeviceFailure {
    DeviceFailure(
      code: .refused,
      class: .definite,
      operation: placed.operation.doing,
      meaning: meaning,
      hint: "begin-reliable-write, at least one write, then execute-reliable-write"
    )
  }

  // MARK: Notifications

  func awaitNotification(
    _ path: AttributePath,
    _ trigger: Operation?,
    _ assertion: ValueAssertion?,
    _ link: TargetLink,
    _ placed: PlacedOperation,
    _ findings: Findings
  ) async throws {
    _ = try await Self.resolved(path, on: link, placed)
    let sample = try await link.listening(to: path) { [self] box in
      if let trigger { try await pull(trigger, placed, findings) }
      return try await box.next(on: loop, operation: placed.operation.doing)
    }
    guard let sample else { throw NoValue(operation: placed.operation.doing) }
    findings.outcome = .value(Self.stepValue(sample.octets, of: path))
    try Self.judge(sample.octets, assertion, findings)
  }

  /// Performs the trigger of a notification.
  private func pull(
    _ trigger: Operation,
    _ placed: PlacedOperation,
    _ findings: Findings
  ) async throws {
    let target = trigger.target ?? placed.target
    let inner = PlacedOperation(
      number: placed.number,
      operation: trigger,
      target: target,
      device: runner.device
    )
    let verdict = await verdict(of: inner)
    for note in verdict.notes { findings.note("\(trigger.title): \(note)") }
    guard verdict.status == .failed || verdict.status == .cancelled else { return }
    throw verdict.error ?? AssertionFailure(description: verdict.failure?.why ?? trigger.title)
  }

  /// Waits while the last known value equals this one, or until it does.
  func sleepWhile(
    _ path: AttributePath,
    isEqual: Bool,
    to value: [UInt8],
    _ link: TargetLink
  ) async throws {
    try await link.listening(to: path) { [loop] box in
      while ValueAssertion.isSame(link.lastKnown(path), value) == isEqual {
        _ = try await box.next(on: loop, operation: "waiting for \(path)")
      }
    }
  }

  // MARK: Values

  private static func judge(
    _ octets: [UInt8],
    _ assertion: ValueAssertion?,
    _ findings: Findings
  ) throws {
    guard let assertion else { return }
    try findings.judge(assertion.title, assertion.complaint(about: octets), assertion.expected)
  }

  private static func stepValue(_ octets: [UInt8], of path: AttributePath) -> StepValue {
    guard path.descriptor == nil else {
      return StepValue(octets: octets, decoded: .octets(octets))
    }
    let selector = CharacteristicSelector(characteristic: path.characteristic)
    let decoded = Result { () throws(ValueError) in
      try StepValue.decode(octets, of: selector, format: nil)
    }
    return StepValue(octets, decoded)
  }
}
