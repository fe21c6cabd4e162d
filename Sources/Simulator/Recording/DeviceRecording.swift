// What was learned of a device, whatever the source: a connection, a trace, a cache.
//
// Facts only. How they become a device file is DeviceText's.

package import Bluetooth
package import SimulatedDevices

/// What was learned of one device. All times are since the beginning of the recording.
package struct DeviceRecording: Hashable, Sendable {
  /// The name that it advertises, or, where it advertises none, its Device Name.
  package var name: String?
  /// Its Device Name, where that is another one.
  package internal(set) var gapName: String?
  package var address: BluetoothAddress
  package var addressType: AddressType
  /// Whether the address is a private one, which the device changes.
  package let changesAddress: Bool
  package var appearance: UInt16?
  /// The addresses that it used besides, which hold for a while each.
  package var otherAddresses: [BluetoothAddress] = []
  package var advertisements: [RecordedAdvertisement] = []
  /// Whether what is in scan responses is known.
  package var hasScanResponses = false
  package var link = RecordedLink()
  package var services: [RecordedService] = []
  /// In the order in which they were sent.
  package var writes: [RecordedWrite] = []
  package var notifications: [RecordedValue] = []
  /// What was read while the device was used, in order.
  package var reads: [RecordedValue] = []
  /// How it pairs, as far as that was tried.
  package var pairing = Pairing.untried
  /// When subscriptions ended; nil where nobody knows that the device had nothing more to send.
  package var observedUntil: Duration?
  /// What could not be learned, each with the reason: a sentence without its full stop.
  package var unknown: [String] = []
  /// Why an advertising interval could not be learned, likewise; nil where each was, or none was
  /// looked for.
  package var unknownInterval: String?

  /// How a device pairs.
  package enum Pairing: Hashable, Sendable {
    case untried
    /// What the device and its user did.
    case tried(PairingDefinition.Method)
    /// It has a passkey, and a chain has given it: it is to work with the file, too.
    case passkeyOfChain
  }

  package init(address: BluetoothAddress, addressType: AddressType, name: String? = nil) {
    self.address = address
    self.addressType = addressType
    changesAddress = !address.isIdentity(addressType)
    self.name = name
  }

  /// Adds the name that a connected host reads, or shows.
  package mutating func learn(deviceName: String) {
    guard !deviceName.isEmpty else { return }
    if name == nil { name = deviceName }
    // The advertised name is shown until the Device Name has been read, and says nothing of that.
    if deviceName != name { gapName = deviceName }
  }

  /// Adds the Device Name and the Appearance that were read as characteristics.
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

  /// Changes the attribute that has a handle, whether it is a characteristic or a descriptor; nil: all.
  private mutating func change(
    _ handle: UInt16?, characteristic: (inout RecordedCharacteristic) -> Void,
    descriptor: (inout RecordedDescriptor) -> Void = { _ in }
  ) {
    func isMeant(_ other: UInt16) -> Bool { handle == nil || other == handle }
    for service in services.indices {
      for place in services[service].characteristics.indices {
        if isMeant(services[service].characteristics[place].handle) {
          characteristic(&services[service].characteristics[place])
        }
        for other in services[service].characteristics[place].descriptors.indices
        where isMeant(services[service].characteristics[place].descriptors[other].handle) {
          descriptor(&services[service].characteristics[place].descriptors[other])
        }
      }
    }
  }

  /// Replaces the UUIDs of attributes, also where they are advertised.
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

  /// Replaces what attributes gave: what was read of them, and what they sent.
  mutating func replaceValues(_ other: ([UInt8], _ handle: UInt16) -> [UInt8]) {
    change(nil) { one in
      let handle = one.handle
      one.reading = one.reading?.map { other($0, handle) }
      one.protected = one.protected.map { other($0, handle) }
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

  /// Says which values there may be more of than are kept.
  package mutating func noteBounds(notifications: Int, reads: Int, writes: Int) {
    let kept = [
      (notifications, RecordedValue.most, "notifications"), (reads, RecordedValue.most, "reads"),
      (writes, RecordedWrite.most, "writes"),
    ]
    for (count, most, what) in kept where count == most {
      unknown.append("what came after \(most) \(what)")
    }
  }

  /// Sets the value of an attribute; of several answers the first counts.
  package mutating func learn(_ reading: RecordedReading, of handle: UInt16) {
    change(handle) {
      $0.reading = $0.reading ?? reading
    } descriptor: {
      $0.reading = $0.reading ?? reading
    }
  }

  /// Sets what became of an attribute that was not answered at first.
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

  /// Sets the value that an attribute has for a client with a bond; what a client without one gets stays.
  package mutating func learnProtected(_ octets: [UInt8], of handle: UInt16) {
    change(handle) {
      $0.protected = octets
    } descriptor: {
      $0.reading = .octets(octets)
    }
  }

  /// Adds what a characteristic has refused on an encrypted connection.
  mutating func learnAuthenticated(
    _ accesses: Set<RecordedCharacteristic.Access>, of handle: UInt16
  ) {
    change(handle) { $0.authenticated.formUnion(accesses) }
  }

  /// The services that a device file lists: each device has Generic Access and Generic Attribute.
  package var listedServices: [RecordedService] {
    let generic = [0x1800, 0x1801].map { BluetoothUUID(short: $0) }
    return services.filter { !generic.contains($0.uuid) }
  }

  /// The characteristics of all services.
  package var characteristics: [RecordedCharacteristic] { services.flatMap(\.characteristics) }

  /// How people name a characteristic: by its service, too, where several have its UUID, and by its
  /// index where several services of the same kind have it.
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
    /// How often other data came under the same key.
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
  /// Nil where it is not known.
  package var isConnectable: Bool?
  /// In dBm, of each time that it was received.
  package var rssi: [Int] = []
  /// The times between two receptions in a row within one scan.
  private(set) var gaps: [Duration] = []
  /// The latest reception by each controller.
  private var latest: [UInt16: Reception] = [:]

  package init() {}

  /// How many samples are kept: of one kind of advertisement, the first.
  package static let mostSamples = 10_000

  /// The longest advertising interval, and its random delay. A longer gap has lost advertisements.
  ///
  /// - Source: Bluetooth Core 5.4, Vol 6, Part B §4.4.2.2 (advInterval and advDelay).
  private static let longestGap = Duration.milliseconds(10_240 + 10)

  /// A reception of the advertisement by a controller.
  struct Reception: Hashable, Sendable {
    let at: Duration
    /// The ordinal of the scan, which begins and ends with a command of the host.
    let scan: Int
    /// The number of connections to the device before: while there is one it sends no advertisements.
    let connections: Int
  }

  /// Adds the gap since the reception before, where nothing but the interval of the device explains
  /// it: the same controller received both in one scan, without a connection in between.
  mutating func received(_ reception: Reception, by controller: UInt16) {
    let before = latest.updateValue(reception, forKey: controller)
    guard let before, before.scan == reception.scan, before.connections == reception.connections,
      reception.at - before.at <= Self.longestGap, gaps.count < Self.mostSamples
    else { return }
    gaps.append(reception.at - before.at)
  }
}

/// How long things took.
package struct RecordedLink: Hashable, Sendable {
  package var mtu: Int?
  /// From the request to the connection; with the discovery of services, where that is not known.
  package var connecting: [Duration] = []
  /// From the connection to the end of the discovery of services.
  package var discovering: [Duration] = []
  /// From a request to its response.
  package var latencies: [Duration] = []
  /// How many of each are kept.
  package static let mostSamples = 10_000

  package init() {}
}

/// What a read, or a write, gave.
package enum RecordedReading: Hashable, Sendable {
  case octets([UInt8])
  case refused(ATTErrorCode)
  /// No answer came: bluetoothd holds what wants a bond.
  case unanswered
  /// It was not read, with the reason.
  case unknown(String)

  /// What was read; nil for anything else.
  package var octets: [UInt8]? {
    if case .octets(let octets) = self { octets } else { nil }
  }

  /// The same with other octets, where there are some.
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

  /// The attributes as a client found them; nothing was read yet.
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
  /// What a client without a bond gets.
  package var reading: RecordedReading?
  /// What one with a bond gets, where it is not the same.
  package var protected: [UInt8]?
  /// What it has refused on an encrypted connection: it demands an authenticated key for that.
  package var authenticated: Set<Access> = []
  /// How long a read took that was answered so late that others are not; nil for the usual time.
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

/// A value that the device sent by itself, or that was read.
package struct RecordedValue: Hashable, Sendable {
  package let handle: UInt16
  package let octets: [UInt8]
  package let at: Duration

  package init(handle: UInt16, octets: [UInt8], at: Duration) {
    self.handle = handle
    self.octets = octets
    self.at = at
  }

  /// How many are kept of all characteristics together.
  package static let most = 10_000
}

/// A write to a characteristic, and what came of it.
package struct RecordedWrite: Hashable, Sendable {
  package let handle: UInt16
  package let octets: [UInt8]
  package let at: Duration
  /// Nil when it was accepted, or a command, which has no response.
  package var error: ATTErrorCode?

  package init(handle: UInt16, octets: [UInt8], at: Duration, error: ATTErrorCode? = nil) {
    self.handle = handle
    self.octets = octets
    self.at = at
    self.error = error
  }

  /// How many are kept.
  package static let most = 10_000
}
