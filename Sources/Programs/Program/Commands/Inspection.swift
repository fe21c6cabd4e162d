// The listing of one device by `blerun inspect`, as lines.

import Bluetooth
import Documents
import Jobs
import Signals

/// The listing of a device.
struct Inspection: Sendable {
  let service: any Device
  /// Whether the connection is kept afterwards.
  let isKept: Bool
  let readsValues: Bool
  /// The limit for connecting.
  let limit: Duration
  /// The limit of each read, so that values which need a bond do not delay the listing.
  let readLimit: Duration
  let format: OutputOptions.Output
  let names: AttributeNames

  static let defaultReadLimit = Duration.seconds(5)

  /// The number of consecutive unanswered reads after which no others are tried.
  private static let mostUnanswered = 2

  /// Returns the lines when they become known.
  func lines() -> Signal<String> {
    let connecting = service.connect(keep: isKept, expecting: []).timeout(limit, "connecting")
    return Signal(home: service.scheduler) { [self] sink in
      try await service.withConnection(within: nil, connecting: connecting) { connection in
        var unanswered = 0
        for each in try await connection.services() {
          try await sink(line(each))
          for characteristic in each.characteristics {
            let isReadable = characteristic.properties.contains(.read)
            let reading = service.read(CharacteristicSelector(handle: characteristic.handle))
            let value = try await self.value(isReadable ? reading : nil, connection, &unanswered)
            // The device's own format comes before the value that it is needed for.
            var known: [UInt16: Value] = [:]
            if case .octets? = value, names.description(of: characteristic.uuid) == nil,
              let own = characteristic.descriptors.first(where: { $0.uuid == Self.presentation })
            {
              known[own.handle] = try await self.value(of: own, connection, &unanswered)
            }
            let meaning = meaning(of: characteristic, known.values.first)
            try await sink(line(characteristic, value, meaning, in: each))
            for descriptor in characteristic.descriptors {
              var value = known[descriptor.handle]
              if value == nil {
                value = try await self.value(of: descriptor, connection, &unanswered)
              }
              try await sink(line(descriptor, value, of: characteristic))
            }
          }
        }
      }
    }
  }

  /// The descriptor with the format that a device gives its own value.
  private static let presentation = BluetoothUUID(short: 0x2904)

  /// The format of a value, and where it is from; nil for that of a specification and for none.
  private struct Meaning {
    let description: ValueDescription?
    let origin: String?
  }

  private func meaning(of characteristic: GATTCharacteristic, _ own: Value?) -> Meaning {
    if let description = names.description(of: characteristic.uuid) {
      return Meaning(description: description, origin: description.isOfUser ? "names" : nil)
    }
    guard case .octets(let octets)? = own, let format = ValueDescription(presentation: octets)
    else {
      return Meaning(description: nil, origin: nil)
    }
    return Meaning(description: format, origin: "presentation-format")
  }

  private func value(
    of descriptor: GATTDescriptor, _ connection: DeviceConnection, _ unanswered: inout Int
  ) async throws -> Value? {
    let reading = service.readDescriptor(DescriptorSelector(handle: descriptor.handle))
    return try await value(reading, connection, &unanswered)
  }

  private enum Value {
    case octets([UInt8])
    case refused(RunFailure)
    /// The value was not read, because too many earlier reads were not answered.
    case notRead
  }

  /// Returns the lines of a value.
  ///
  /// - Parameter reading: The result of the read; nil if the attribute cannot be read.
  private func value(
    _ reading: Signal<[UInt8]>?, _ connection: DeviceConnection, _ unanswered: inout Int
  ) async throws -> Value? {
    guard readsValues, let reading else { return nil }
    guard unanswered < Self.mostUnanswered else { return .notRead }
    do {
      let octets = try await connection.first(of: reading.timeout(readLimit, "reading"))
      unanswered = 0
      return .octets(octets)
    } catch let failure as DeviceFailure where failure.isOfOneValue {
      unanswered = failure.code == .timedOut ? unanswered + 1 : 0
      return .refused(RunFailure(failure))
    }
  }

  // MARK: Lines

  private func line(_ service: GATTService) -> String {
    let name = names.name(of: service.uuid, .service)
    guard format == .json else {
      return "\(name ?? "service")  \(Self.shown(service.uuid))  \(Self.shown(service.handle))"
    }
    let members: KeyValuePairs<String, any JSONWritable> = [
      "uuid": service.uuid.text, "name": name, "handle": service.handle,
      "primary": service.isPrimary,
    ]
    return EventLine("service", members).text
  }

  private func line(
    _ characteristic: GATTCharacteristic, _ value: Value?, _ meaning: Meaning,
    in service: GATTService
  ) -> String {
    let name = names.name(of: characteristic.uuid, .characteristic)
    let flags = characteristic.properties.flags
    guard format == .json else {
      let words = [
        name ?? "characteristic", Self.shown(characteristic.uuid),
        Self.shown(characteristic.handle), flags.isEmpty ? nil : flags.joined(separator: ", "),
        value.map { Self.text($0, meaning) },
      ]
      return "  " + words.compactMap(\.self).joined(separator: "  ")
    }
    let members: KeyValuePairs<String, any JSONWritable> = [
      "service": service.uuid.text, "uuid": characteristic.uuid.text, "name": name,
      "handle": characteristic.handle, "flags": flags,
    ]
    let others = Self.members(of: value, meaning)
    return EventLine("characteristic", members, and: others).text
  }

  private static func members(of value: Value?, _ meaning: Meaning) -> JSONMembers {
    switch value {
    case .octets(let octets)?:
      let value = decoded(octets, meaning)
      return JSONValue.members([
        "value": value.decoded.json, "hex": value.hex.json, "problem": value.problem?.json,
        "described-by": meaning.origin?.json,
      ])
    case .refused(let failure)?:
      return [.init("error", JSONValue(["code": failure.code, "message": failure.message]))]
    case .notRead?: return [.init("error", JSONValue(["code": "not-read", "message": notRead]))]
    case nil: return []
    }
  }

  private static let notRead = "not read, because reads before it were not answered"

  private func line(
    _ descriptor: GATTDescriptor, _ value: Value?, of parent: GATTCharacteristic
  ) -> String {
    let name = names.given(descriptor.uuid) ?? AssignedNumbers.descriptorName(descriptor.uuid)
    let description = names.description(of: descriptor.uuid)
    let meaning = Meaning(
      description: description, origin: description?.isOfUser == true ? "names" : nil
    )
    guard format == .json else {
      let shown = "\(Self.shown(descriptor.uuid))  \(Self.shown(descriptor.handle))"
      let tail = value.map { "  \(Self.text($0, meaning))" } ?? ""
      return "    \(name ?? "descriptor")  \(shown)\(tail)"
    }
    let members: KeyValuePairs<String, any JSONWritable> = [
      "characteristic": parent.uuid.text, "uuid": descriptor.uuid.text,
      "handle": descriptor.handle,
    ]
    let others = Self.members(of: value, meaning)
    return EventLine("descriptor", members, and: others).text
  }

  private static func text(_ value: Value, _ meaning: Meaning) -> String {
    switch value {
    case .octets(let octets):
      let value = decoded(octets, meaning)
      // Bytes of an unknown format are shown as a value; bytes that do not match a known format, with the reason.
      let isUnknown = value.decoded == nil && value.problem == nil
      let text = TextReport.text(
        isUnknown ? StepValue(octets: octets, decoded: .octets(octets)) : value
      )
      return meaning.origin == "presentation-format" ? "\(text)  (described by the device)" : text
    case .refused(let failure):
      return failure.code == .timedOut
        ? "(\(failure.why); it may want the device to be paired)" : "(\(failure.why))"
    case .notRead: return "(\(notRead))"
    }
  }

  private static func decoded(_ octets: [UInt8], _ meaning: Meaning) -> StepValue {
    guard let description = meaning.description else {
      return StepValue(octets: octets, decoded: nil)
    }
    return StepValue(octets, Result { () throws(ValueError) in try description.decode(octets) })
  }

  private static func shown(_ uuid: BluetoothUUID) -> String { "\(uuid)" }

  private static func shown(_ handle: UInt16) -> String {
    let digits = String(handle, radix: 16)
    return "@0x" + String(repeating: "0", count: 4 - digits.utf8.count) + digits
  }
}

extension DeviceFailure {
  /// Whether the failure concerns only one value, so that others can still be read: the connection, the
  /// adapter and bluetoothd still work.
  fileprivate var isOfOneValue: Bool {
    let endings: [Code] = [
      .linkLost, .notConnected, .notFound, .connectFailed, .adapterMissing, .adapterOff,
      .busUnreachable, .busLost, .daemonMissing,
    ]
    return self.class != .unavailable && !endings.contains(code)
  }
}
