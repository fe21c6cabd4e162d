// What a trace, or a cache, has of a device's attributes.

import Bluetooth
import SimulatedDevices

/// What was learned of a device's attributes from packets of the Attribute Protocol.
struct AttributeFacts: Sendable {
  struct Declaration: Hashable, Sendable {
    let value: UInt16
    let properties: UInt8
    let uuid: BluetoothUUID
  }

  struct Group: Hashable, Sendable {
    let end: UInt16
    let uuid: BluetoothUUID
    let isPrimary: Bool
  }

  /// By the handle of the declaration.
  var groups: [UInt16: Group] = [:]
  var declarations: [UInt16: Declaration] = [:]
  /// By the handle of the include declaration: that of the included service.
  var includes: [UInt16: UInt16] = [:]
  /// The types of all other attributes, by handle.
  var types: [UInt16: BluetoothUUID] = [:]
  var readings: [UInt16: RecordedReading] = [:]
  /// What was read after a refusal.
  var protected: [UInt16: [UInt8]] = [:]
  /// What was refused for want of an authenticated key on a connection with another one, by handle.
  var authenticated: [UInt16: Set<RecordedCharacteristic.Access>] = [:]
  var pairing = DeviceRecording.Pairing.untried
  /// Whether a connection was encrypted.
  var isEncrypted = false
  var link = RecordedLink()
  var writes: [RecordedWrite] = []
  var notifications: [RecordedValue] = []
  var reads: [RecordedValue] = []
  /// How many packets were cut off by the program that wrote the trace.
  var cut = 0
  /// How often others have replaced attributes.
  private(set) var changes = 0

  /// A device that changes its attributes more often is none: the trace is damaged.
  private static let mostChanges = 100

  static let primary = BluetoothUUID(short: 0x2800)
  static let secondary = BluetoothUUID(short: 0x2801)
  static let include = BluetoothUUID(short: 0x2802)
  static let characteristic = BluetoothUUID(short: 0x2803)

  /// Whether something was refused that a secure connection permits.
  var isRefusedForSecurity: Bool {
    let errors = readings.values.map { reading in
      if case .refused(let error) = reading { error } else { nil as ATTErrorCode? }
    }
    return (errors + writes.map(\.error)).contains { $0.map(Dialogue.security.contains) ?? false }
  }

  /// Adds a service; where another one was, the device has changed its attributes from there on.
  mutating func learn(_ group: Group, at start: UInt16) {
    guard changes < Self.mostChanges || groups[start] == nil else { return }
    if let known = groups[start], known.uuid != group.uuid {
      forget(from: start)
    } else if let known = groups[start], known.end != group.end {
      forget(from: min(known.end, group.end) + 1)
    }
    groups[start] = group
  }

  private mutating func forget(from handle: UInt16) {
    changes += 1
    groups = groups.filter { $0.key < handle }
    declarations = declarations.filter { $0.key < handle }
    includes = includes.filter { $0.key < handle }
    types = types.filter { $0.key < handle }
    readings = readings.filter { $0.key < handle }
    protected = protected.filter { $0.key < handle }
    authenticated = authenticated.filter { $0.key < handle }
    writes.removeAll { $0.handle >= handle }
    notifications.removeAll { $0.handle >= handle }
    reads.removeAll { $0.handle >= handle }
  }

  /// The services, in order of handle.
  ///
  /// A service ends where the next one begins, whatever its own end is: a damaged trace could have
  /// every attribute in every service.
  var services: [RecordedService] {
    let starts = groups.sorted { $0.key < $1.key }
    // What is left of each, in order of handle.
    var included = includes.sorted { $0.key < $1.key }[...]
    var declared = declarations.sorted { $0.key < $1.key }[...]
    var typed = types.sorted { $0.key < $1.key }[...]
    let refusals = writes.filter { $0.error.map(Dialogue.security.contains) ?? false }
      .reduce(into: [:]) { $0[$1.handle] = $1.error }
    return starts.indices.map { index in
      let (start, group) = starts[index]
      let end = index + 1 < starts.count ? min(group.end, starts[index + 1].key - 1) : group.end
      var service = RecordedService(uuid: group.uuid, handle: start)
      service.isPrimary = group.isPrimary
      let range = start...max(start, end)
      included = included.drop { $0.key < start }
      service.includes = included.prefix { range.contains($0.key) }.map(\.value)
      declared = declared.drop { $0.key < start }
      let inside = Array(declared.prefix { range.contains($0.key) })
      for (place, (handle, declaration)) in inside.enumerated() {
        var one = RecordedCharacteristic(
          uuid: declaration.uuid, handle: declaration.value,
          properties: CharacteristicProperties(rawValue: UInt16(declaration.properties))
        )
        one.reading = readings[declaration.value]
        one.protected = protected[declaration.value]
        one.authenticated = authenticated[declaration.value] ?? []
        let last = place + 1 < inside.count ? inside[place + 1].key - 1 : range.upperBound
        typed = typed.drop { $0.key <= handle }
        for (handle, uuid) in typed.prefix(while: { $0.key <= last })
        where handle > declaration.value {
          var descriptor = RecordedDescriptor(uuid: uuid, handle: handle)
          descriptor.reading = protected[handle].map { .octets($0) } ?? readings[handle]
          // What cannot be read shows there what it demands: a subscription is refused.
          if uuid == .clientCharacteristicConfiguration, !one.properties.contains(.read) {
            one.reading = one.reading ?? refusals[handle].map { .refused($0) }
            if authenticated[handle]?.contains(.write) == true { one.authenticated.insert(.read) }
          }
          if uuid == AttributeTable.extendedProperties,
            case .octets(let octets)? = descriptor.reading
          {
            // Reliable Write and Writable Auxiliaries.
            let bits = UInt16(octets.first ?? 0) & 3
            one.properties.formUnion(CharacteristicProperties(rawValue: bits << 8))
          }
          one.descriptors.append(descriptor)
        }
        service.characteristics.append(one)
      }
      return service
    }
  }
}
