// The operations on attributes.

import Bluetooth
import Jobs
import RunEvents
import Signals

extension OperationRun {
  func act(
    _ action: Operation.AttributeAction, _ path: AttributePath, _ link: TargetLink
  ) async throws {
    switch action {
    case .read(let assertion):
      let found = try await resolved(path, on: link)
      let reading =
        found.descriptor.map { link.service.readDescriptor($0) }
        ?? link.service.read(found.characteristic)
      let read = try await reading.first()
      link.remember(read, of: path)
      try record(read, of: path, assertion)
    case .write(let value, let isCommand):
      try await write(value, to: path, isCommand: isCommand, link)
    case .awaitNotification(let trigger, let assertion):
      _ = try await resolved(path, on: link)
      let sample = try await link.listening(to: path) { box in
        if let trigger { try await runTrigger(trigger) }
        return try await box.next(on: loop, operation: operation.doing)
      }
      guard let sample else { throw NoValue(operation: operation.doing) }
      try record(sample.octets, of: path, assertion)
    case .sleepWhile(let value, let isEqual):
      try await link.listening(to: path) { box in
        while ValueAssertion.isSame(link.lastKnown(path), value) == isEqual {
          _ = try await box.next(on: loop, operation: "waiting for \(path)")
        }
      }
    }
  }

  /// Records a received value as the outcome, and checks the assertion about it.
  private func record(
    _ octets: [UInt8], of path: AttributePath, _ assertion: ValueAssertion?
  ) throws {
    let decoded = Result { () throws(ValueError) in try path.decode(octets) }
    outcome = .value(StepValue(octets, decoded))
    if let assertion { try judge(assertion, assertion.problem(with: octets)) }
  }

  /// Runs the trigger of a notification.
  private func runTrigger(_ trigger: Operation) async throws {
    let run = OperationRun(test, trigger, number: number)
    let verdict = await run.verdict()
    for note in verdict.notes { self.note("\(trigger.title): \(note)") }
    guard verdict.status == .failed || verdict.status == .cancelled else { return }
    throw verdict.error ?? AssertionFailure(description: verdict.failure?.why ?? trigger.title)
  }

  // MARK: Writing

  private func write(
    _ value: [UInt8], to path: AttributePath, isCommand: Bool, _ link: TargetLink
  ) async throws {
    let found = try await resolved(path, on: link)
    if path.isSubscription {
      try await subscribe(value, path.ofCharacteristic, found, link)
    } else if let descriptor = found.descriptor {
      try await link.service.writeDescriptor(value, to: descriptor).run { _ in }
    } else if !isCommand, let writes = link.reliable {
      link.reliable = writes + [(path, value)]
      outcome = .written(value)
      return
    } else {
      let kind = isCommand ? WriteKind.command : .request
      try await link.service.write(value, to: found.characteristic, kind: kind).run { _ in }
    }
    link.remember(value, of: path)
    outcome = .written(value)
  }

  /// Subscribes instead of writing the Client Characteristic Configuration: bluetoothd writes it
  /// for a subscription, as the properties of the characteristic allow.
  ///
  /// - Source: BlueZ, `src/gatt-client.c` (characteristic_start_notify), `src/shared/gatt-client.c`
  ///   (notify_data_write_ccc).
  private func subscribe(
    _ value: [UInt8], _ path: AttributePath, _ found: FoundAttribute, _ link: TargetLink
  ) async throws {
    let bits = value.first ?? 0
    guard bits & 0x03 != 0 else { return await link.unsubscribe { $0 == path } }
    if bits & 0x02 != 0, found.properties.contains(.notify) {
      note(
        "bluetoothd subscribes to notifications, not indications, where a characteristic has both"
      )
    }
    try await link.subscribe(path, found.characteristic)
  }

  // MARK: Reliable writes

  /// Sends the writes of a reliable write, and checks the echo of each.
  func executeReliable(_ link: TargetLink) async throws {
    let writes = try endReliable(link)
    if writes.count > 1 {
      note(
        "bluetoothd executes each of the \(writes.count) writes on its own: when one fails, "
          + "those before it stay"
      )
    }
    for (path, value) in writes {
      let found = try await resolved(path, on: link)
      try await link.service.write(value, to: found.characteristic, kind: .reliable).run { _ in }
      link.remember(value, of: path)
    }
  }

  /// Ends the reliable write and returns its writes.
  func endReliable(_ link: TargetLink) throws -> TargetLink.Writes {
    let writes = link.reliable
    link.reliable = nil
    guard let writes else { throw misplaced("no reliable write was begun") }
    guard !writes.isEmpty else {
      throw misplaced("nothing was written since the reliable write began")
    }
    return writes
  }

  func misplaced(_ meaning: String) -> DeviceFailure {
    let hint = "begin-reliable-write, at least one write, then execute-reliable-write"
    return failure(.refused, meaning, hint: hint)
  }
}

extension AttributePath {
  /// Decodes a value of the attribute. A descriptor's value is bytes, unless the names describe it.
  fileprivate func decode(_ octets: [UInt8]) throws(ValueError) -> DecodedValue {
    guard let descriptor else {
      let selector = CharacteristicSelector(characteristic: characteristic, names: names)
      return try StepValue.decode(octets, of: selector, format: nil)
    }
    guard let description = names.description(of: descriptor), description.isOfUser else {
      return .octets(octets)
    }
    return try description.decode(octets)
  }
}
