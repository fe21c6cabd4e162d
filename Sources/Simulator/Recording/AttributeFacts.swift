// The attributes of a device, as far as a trace or a cache shows them.

import Bluetooth
import SimulatedDevices

/// The facts known so far about a device's attributes, from ATT packets or from a cache.
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

  /// The services, by the handle of their declaration.
  var groups: [UInt16: Group] = [:]
  var declarations: [UInt16: Declaration] = [:]
  /// The handles of included services, by the handle of the include declaration.
  var includes: [UInt16: UInt16] = [:]
  /// The types of all other attributes, by handle.
  var types: [UInt16: BluetoothUUID] = [:]
  var readings: [UInt16: RecordedReading] = [:]
  /// The values that could be read only after an earlier read had been refused, by handle.
  var valuesAfterRefusal: [UInt16: [UInt8]] = [:]
  /// The accesses refused with Insufficient Authentication on an encrypted connection, by handle:
  /// they need an authenticated key.
  var authenticated: [UInt16: Set<RecordedCharacteristic.Access>] = [:]
  var pairing = DeviceRecording.Pairing.untried
  /// Whether any connection to the device was encrypted.
  var isEncrypted = false
  var link = RecordedLink()
  var writes: [RecordedWrite] = []
  var notifications: [RecordedValue] = []
  var reads: [RecordedValue] = []
  /// The number of packets that the program that wrote the trace truncated.
  var cut = 0
  /// The number of times that the device replaced its attributes by others.
  private(set) var changes = 0

  /// The limit of `changes`. No real device changes its attributes more often: the trace is
  /// damaged.
  private static let mostChanges = 100

  static let primary = BluetoothUUID(short: 0x2800)
  static let secondary = BluetoothUUID(short: 0x2801)
  static let include = BluetoothUUID(short: 0x2802)
  static let characteristic = BluetoothUUID(short: 0x2803)

  /// Whether a read or a write was refused because the connection was not secure enough.
  var isRefusedForSecurity: Bool {
    let errors = readings.values.map { reading in
      if case .refused(let error) = reading { error } else { nil as ATTErrorCode? }
    }
    return (errors + writes.map(\.error)).contains {
      $0.map(WriteConsequences.security.contains) ?? false
    }
  }

  /// Adds a service. If a different one was known at this handle, the device has changed its
  /// attributes, and those known from there on are removed.
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
    valuesAfterRefusal = valuesAfterRefusal.filter { $0.key < handle }
    authenticated = authenticated.filter { $0.key < handle }
    writes.removeAll { $0.handle >= handle }
    notifications.removeAll { $0.handle >= handle }
    reads.removeAll { $0.handle >= handle }
  }

  /// The services, in order of handle.
  ///
  /// A service ends, at the latest, where the next one begins, whatever end it declares. Otherwise
  /// a damaged trace could place every attribute in every service.
  var services: [RecordedService] {
    let starts = groups.sorted { $0.key < $1.key }
    // The remaining entries, in order of handle: each service drops those before it.
    var included = includes.sorted { $0.key < $1.key }[...]
    var declared = declarations.sorted { $0.key < $1.key }[...]
    var typed = types.sorted { $0.key < $1.key }[...]
    let refusals = writes.filter { $0.error.map(WriteConsequences.security.contains) ?? false }
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
        one.bondedValue = valuesAfterRefusal[declaration.value]
        one.authenticated = authenticated[declaration.value] ?? []
        let last = place + 1 < inside.count ? inside[place + 1].key - 1 : range.upperBound
        typed = typed.drop { $0.key <= handle }
        for (handle, uuid) in typed.prefix(while: { $0.key <= last })
        where handle > declaration.value {
          var descriptor = RecordedDescriptor(uuid: uuid, handle: handle)
          descriptor.reading = valuesAfterRefusal[handle].map { .octets($0) } ?? readings[handle]
          // A characteristic that has no Read property shows the security it demands when a write
          // of its CCCD is refused.
          if uuid == .clientCharacteristicConfiguration, !one.properties.contains(.read) {
            one.reading = one.reading ?? refusals[handle].map { .refused($0) }
            if authenticated[handle]?.contains(.write) == true { one.authenticated.insert(.read) }
          }
          if uuid == AttributeTable.extendedProperties,
            case .octets(let octets)? = descriptor.reading
          {
            // The bits of Reliable Write and Writable Auxiliaries.
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
