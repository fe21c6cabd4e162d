// The recording of a device, whatever its source: a connection, a trace or a cache.
//
// It has facts only. DeviceText makes a device file of them.

package import Bluetooth
package import SimulatedDevices

/// The facts learned about one device. All times count from the beginning of the recording.
package struct DeviceRecording: Hashable, Sendable {
  /// The advertised name; if there is none, the Device Name.
  package var name: String?
  /// The Device Name, if it differs from the advertised name.
  package internal(set) var gapName: String?
  package var address: BluetoothAddress
  package var addressType: AddressType
  /// Whether the address is a private one, which the device changes.
  package let changesAddress: Bool
  package var appearance: UInt16?
  /// The other addresses that the device used, each for a while.
  package var otherAddresses: [BluetoothAddress] = []
  package var advertisements: [RecordedAdvertisement] = []
  /// Whether the content of scan responses is known.
  package var hasScanResponses = false
  package var link = RecordedLink()
  package var services: [RecordedService] = []
  /// The writes, in the order in which they were sent.
  package var writes: [RecordedWrite] = []
  package var notifications: [RecordedValue] = []
  /// The values read while the device was used, in order.
  package var reads: [RecordedValue] = []
  /// The pairing method, if pairing was tried.
  package var pairing = Pairing.untried
  /// The time when the subscriptions ended; nil if the device may have sent more values, which were
  /// not recorded.
  package var observedUntil: Duration?
  /// The facts that could not be learned, each with the reason, without a full stop.
  package var unknown: [String] = []
  /// The reason why an advertising interval could not be learned, in the same form; nil if all were
  /// learned, or no interval was looked for.
  package var unknownInterval: String?

  /// How a device pairs.
  package enum Pairing: Hashable, Sendable {
    case untried
    /// The method that the device and its user carried out.
    case tried(PairingDefinition.Method)
    /// The device has a passkey, which a chain supplied. The device file pairs without one, so that
    /// the chain works with the file, too.
    case passkeyOfChain
  }

  package init(address: BluetoothAddress, addressType: AddressType, name: String? = nil) {
    self.address = address
    self.addressType = addressType
    changesAddress = !address.isIdentity(addressType)
    self.name = name
  }

  /// Adds the Device Name that a connected host reads or displays.
  package mutating func learn(deviceName: String) {
    guard !deviceName.isEmpty else { return }
    if name == nil { name = deviceName }
    // A host displays the advertised name until it has read the Device Name, so an equal name says
    // nothing about the Device Name.
    if deviceName != name { gapName = deviceName }
  }

  /// Adds the Device Name and the Appearance from the values of their characteristics.
  package mutating func learnGenericAccess() {
    for one in characteristics {
      guard let octets = one.reading?.octets else { continue }
      if one.uuid == BluetoothUUID(short: 0x2a00) {
        learn(deviceName: String(decoding: octets.prefix { $0 != 0 }, as: UTF8.self))
      }
      if appearance == nil, one.uuid == BluetoothUUID(short: 0x2a01), octets.count == 2 {
        appearance = UInt16(octets[1]) << 8 | UInt16(octets[0])
      }
    }
  }

  /// Replaces both names.
  mutating func replaceNames(_ other: (String) -> String) {
    name = name.map(other)
    gapName = gapName.map(other)
  }

  /// Changes the characteristic or descriptor with this handle; with nil, all of them.
  private mutating func change(
    _ handle: UInt16?, characteristic: (inout RecordedCharacteristic) -> Void,
    descriptor: (inout RecordedDescriptor) -> Void = { _ in }
  ) {
    func matches(_ other: UInt16) -> Bool { handle == nil || other == handle }
    for service in services.indices {
      for place in services[service].characteristics.indices {
        if matches(services[service].characteristics[place].handle) {
          characteristic(&services[service].characteristics[place])
        }
        for other in services[service].characteristics[place].descriptors.indices
        where matches(services[service].characteristics[place].descriptors[other].handle) {
          descriptor(&services[service].characteristics[place].descriptors[other])
        }
      }
    }
  }

  /// Replaces the UUIDs of attributes, including those that are advertised.
  mutating func replaceUUIDs(_ other: (BluetoothUUID) -> BluetoothUUID) {
    for service in services.indices { services[service].uuid = other(services[service].uuid) }
    change(nil) {
      $0.uuid = other($0.uuid)
    } descriptor: {
      $0.uuid = other($0.uuid)
    }
    for index in advertisements.indices {
      advertisements[index].services = advertisements[index].services.map(other)
      advertisements[index].serviceData = advertisements[index].serviceData.map { entry in
        var renamed = RecordedAdvertisement.Entry(other(entry.key), entry.data)
        renamed.changes = entry.changes
        return renamed
      }
    }
  }

  /// Replaces the values of attributes, those that were read and those that the device sent.
  mutating func replaceValues(_ other: ([UInt8], _ handle: UInt16) -> [UInt8]) {
    change(nil) { one in
      let handle = one.handle
      one.reading = one.reading?.map { other($0, handle) }
      one.bondedValue = one.bondedValue.map { other($0, handle) }
    } descriptor: { one in
      let handle = one.handle
      one.reading = one.reading?.map { other($0, handle) }
    }
    for values in [\DeviceRecording.notifications, \.reads] {
      self[keyPath: values] = self[keyPath: values].map {
        RecordedValue(handle: $0.handle, octets: other($0.octets, $0.handle), at: $0.at)
      }
    }
  }

  /// Adds to `unknown` each list that is full: later entries were not kept.
  package mutating func noteBounds(notifications: Int, reads: Int, writes: Int) {
    let kept = [
      (notifications, RecordedValue.most, "notifications"), (reads, RecordedValue.most, "reads"),
      (writes, RecordedWrite.most, "writes"),
    ]
    for (count, most, what) in kept where count == most {
      unknown.append("what came after \(most) \(what)")
    }
  }

  /// Sets the reading of an attribute that has none yet.
  package mutating func learn(_ reading: RecordedReading, of handle: UInt16) {
    change(handle) {
      $0.reading = $0.reading ?? reading
    } descriptor: {
      $0.reading = $0.reading ?? reading
    }
  }

  /// Replaces the reading of an attribute whose first read was not answered in time.
  package mutating func learnLate(
    _ reading: RecordedReading, after time: Duration, of handle: UInt16
  ) {
    change(handle) {
      $0.reading = reading
      if reading.octets != nil { $0.late = time }
    } descriptor: {
      $0.reading = reading
    }
  }

  /// Sets the value that a client with a bond reads. A characteristic also keeps the reading of a
  /// client without one.
  package mutating func learnProtected(_ octets: [UInt8], of handle: UInt16) {
    change(handle) {
      $0.bondedValue = octets
    } descriptor: {
      $0.reading = .octets(octets)
    }
  }

  /// Adds the accesses that a characteristic refused on an encrypted connection.
  mutating func learnAuthenticated(
    _ accesses: Set<RecordedCharacteristic.Access>, of handle: UInt16
  ) {
    change(handle) { $0.authenticated.formUnion(accesses) }
  }

  /// The services that a device file lists: all but Generic Access and Generic Attribute, which
  /// every device has.
  package var listedServices: [RecordedService] {
    let generic = [0x1800, 0x1801].map { BluetoothUUID(short: $0) }
    return services.filter { !generic.contains($0.uuid) }
  }

  /// The characteristics of all services.
  package var characteristics: [RecordedCharacteristic] { services.flatMap(\.characteristics) }

  /// The selector of a characteristic. It names the service, too, if several characteristics have
  /// the UUID, and an index if several of these are in services with the same UUID.
  package func selector(of handle: UInt16, names: AttributeNames) -> CharacteristicSelector? {
    for service in services {
      guard let one = service.characteristics.first(where: { $0.handle == handle }) else {
        continue
      }
      guard characteristics.count(where: { $0.uuid == one.uuid }) > 1 else {
        return CharacteristicSelector(characteristic: one.uuid, names: names)
      }
      let twins = services.filter { $0.uuid == service.uuid }
        .flatMap(\.characteristics).filter { $0.uuid == one.uuid }
      return CharacteristicSelector(
        service: service.uuid, characteristic: one.uuid,
        instance: twins.count > 1 ? twins.firstIndex { $0.handle == handle } : nil, names: names
      )
    }
    return nil
  }
}

/// One kind of advertisement: the same fields, with data that may change.
package struct RecordedAdvertisement: Hashable, Sendable {
  /// Data of a company or of a service.
  package struct Entry<Key: Hashable & Sendable>: Hashable, Sendable {
    package let key: Key
    package var data: [UInt8]
    /// The number of times that different data came under the same key.
    package var changes = 0

    package init(_ key: Key, _ data: [UInt8]) {
      self.key = key
      self.data = data
    }
  }

  package var hasName = false
  package var services: [BluetoothUUID] = []
  package var manufacturerData: [Entry<UInt16>] = []
  package var serviceData: [Entry<BluetoothUUID>] = []
  package var txPower: Int?
  /// Whether it accepts connections; nil if that is unknown.
  package var isConnectable: Bool?
  /// The RSSI of each reception, in dBm.
  package var rssi: [Int] = []
  /// The intervals between consecutive receptions within one scan.
  private(set) var gaps: [Duration] = []
  /// The latest reception by each controller.
  private var latest: [UInt16: Reception] = [:]

  package init() {}

  /// The maximum number of samples of one kind of advertisement; the first ones are kept.
  package static let mostSamples = 10_000

  /// The longest advertising interval plus its random delay. In a longer gap, advertisements were
  /// missed.
  ///
  /// - Source: Bluetooth Core 5.4, Vol 6, Part B §4.4.2.2 (advInterval and advDelay).
  private static let longestGap = Duration.milliseconds(10_240 + 10)

  /// A reception of the advertisement by a controller.
  struct Reception: Hashable, Sendable {
    let at: Duration
    /// The ordinal of the scan, which begins and ends with a command of the host.
    let scan: Int
    /// The number of connections to the device so far. While it is connected, it sends no
    /// advertisements.
    let connections: Int
  }

  /// Adds the gap since the previous reception if only the advertising interval explains it: the
  /// same controller received both in one scan, without a connection in between.
  mutating func received(_ reception: Reception, by controller: UInt16) {
    let before = latest.updateValue(reception, forKey: controller)
    guard let before, before.scan == reception.scan, before.connections == reception.connections,
      reception.at - before.at <= Self.longestGap, gaps.count < Self.mostSamples
    else { return }
    gaps.append(reception.at - before.at)
  }
}

/// The measured MTU and durations of connections.
package struct RecordedLink: Hashable, Sendable {
  package var mtu: Int?
  /// The durations from the request to the connection. They include service discovery if
  /// `discovering` is empty.
  package var connecting: [Duration] = []
  /// The durations from the connection to the end of service discovery.
  package var discovering: [Duration] = []
  /// The durations from a request to its response.
  package var latencies: [Duration] = []
  /// The maximum number of durations of each kind.
  package static let mostSamples = 10_000

  package init() {}
}

/// The result of reading an attribute.
package enum RecordedReading: Hashable, Sendable {
  case octets([UInt8])
  case refused(ATTErrorCode)
  /// No answer came: bluetoothd holds back a read that needs a bond.
  case unanswered
  /// The attribute was not read, for this reason.
  case unknown(String)

  /// The value that was read; nil for the other cases.
  package var octets: [UInt8]? {
    if case .octets(let octets) = self { octets } else { nil }
  }

  /// Returns the reading with its value transformed; other cases are unchanged.
  func map(_ other: ([UInt8]) -> [UInt8]) -> RecordedReading {
    octets.map { .octets(other($0)) } ?? self
  }
}

package struct RecordedService: Hashable, Sendable {
  package internal(set) var uuid: BluetoothUUID
  package let handle: UInt16
  package var isPrimary = true
  /// The handles of included services.
  package var includes: [UInt16] = []
  package var characteristics: [RecordedCharacteristic] = []

  package init(uuid: BluetoothUUID, handle: UInt16) {
    self.uuid = uuid
    self.handle = handle
  }

  /// Creates a service as a client discovered it, without any values.
  package init(_ service: GATTService) {
    self.init(uuid: service.uuid, handle: service.handle)
    isPrimary = service.isPrimary
    includes = service.includes
    characteristics = service.characteristics.map { each in
      var characteristic = RecordedCharacteristic(
        uuid: each.uuid, handle: each.handle, properties: each.properties
      )
      characteristic.descriptors = each.descriptors.map {
        RecordedDescriptor(uuid: $0.uuid, handle: $0.handle)
      }
      return characteristic
    }
  }
}

package struct RecordedCharacteristic: Hashable, Sendable {
  package enum Access: Hashable, Sendable {
    case read, write
  }

  package internal(set) var uuid: BluetoothUUID
  /// The handle of the value.
  package let handle: UInt16
  package var properties: CharacteristicProperties
  package var descriptors: [RecordedDescriptor] = []
  /// The reading of a client without a bond.
  package var reading: RecordedReading?
  /// The value that a client with a bond reads, if the reading without a bond differs.
  package var bondedValue: [UInt8]?
  /// The accesses refused on an encrypted connection: they need an authenticated key.
  package var authenticated: Set<Access> = []
  /// The duration of a read that was answered only after the usual limit; nil for other reads.
  package var late: Duration?

  package init(uuid: BluetoothUUID, handle: UInt16, properties: CharacteristicProperties) {
    self.uuid = uuid
    self.handle = handle
    self.properties = properties
  }
}

package struct RecordedDescriptor: Hashable, Sendable {
  package internal(set) var uuid: BluetoothUUID
  package let handle: UInt16
  package var reading: RecordedReading?

  package init(uuid: BluetoothUUID, handle: UInt16) {
    self.uuid = uuid
    self.handle = handle
  }
}

/// A value that the device notified or indicated, or that was read.
package struct RecordedValue: Hashable, Sendable {
  package let handle: UInt16
  package let octets: [UInt8]
  package let at: Duration

  package init(handle: UInt16, octets: [UInt8], at: Duration) {
    self.handle = handle
    self.octets = octets
    self.at = at
  }

  /// The maximum number of values kept, for all characteristics together.
  package static let most = 10_000
}

/// A write to a characteristic, and its result.
package struct RecordedWrite: Hashable, Sendable {
  package let handle: UInt16
  package let octets: [UInt8]
  package let at: Duration
  /// The error of a refused write; nil if it was accepted, or was a Write Command, which has no
  /// response.
  package var error: ATTErrorCode?

  package init(handle: UInt16, octets: [UInt8], at: Duration, error: ATTErrorCode? = nil) {
    self.handle = handle
    self.octets = octets
    self.at = at
    self.error = error
  }

  /// The maximum number of writes kept.
  package static let most = 10_000
}
