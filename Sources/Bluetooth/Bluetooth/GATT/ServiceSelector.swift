// A service as a user names it.

/// A service by its name or UUID, with the names by which it is printed.
///
/// Equal when the UUIDs are, whatever the service is called.
public struct ServiceSelector: Hashable, Sendable, CustomStringConvertible {
  /// The UUID of the service.
  public let uuid: BluetoothUUID
  /// The names by which it and other services of the device are printed.
  public let names: AttributeNames

  /// A service by its UUID.
  public init(_ uuid: BluetoothUUID, names: AttributeNames = .assigned) {
    self.uuid = uuid
    self.names = names
  }

  /// Parses a name or a UUID.
  ///
  /// - Throws: ``SelectorError`` with the nearest known name.
  public init(parsing text: String, names: AttributeNames = .assigned) throws(SelectorError) {
    self.init(try names.uuid(text, .service, of: text), names: names)
  }

  /// `battery`, or the UUID of a service without a name.
  public var description: String { names.title(of: uuid, .service) }

  public static func == (a: ServiceSelector, b: ServiceSelector) -> Bool { a.uuid == b.uuid }

  public func hash(into hasher: inout Hasher) { hasher.combine(uuid) }
}

extension ServiceSelector: ExpressibleByStringLiteral {
  /// A service that is written in the source: `"heart-rate"`.
  ///
  /// The text must be valid: an unknown name stops the program, with the nearest known name. Use
  /// ``init(parsing:names:)`` for a text from elsewhere.
  public init(stringLiteral text: StaticString) {
    do {
      try self.init(parsing: "\(text)")
    } catch {
      fatalError("the service \"\(text)\": \(error)")
    }
  }
}

// MARK: Services by their UUIDs

extension DeviceTarget {
  /// A device by a service that it advertises.
  ///
  /// ```swift
  /// let belts = ScanFilter(target: .service(BluetoothUUID(short: 0x180d)))
  /// ```
  public static func service(_ uuid: BluetoothUUID) -> DeviceTarget {
    .service(ServiceSelector(uuid))
  }
}

extension ServiceDataPattern {
  /// Data of a service that begins with these bytes.
  ///
  /// ```swift
  /// let eddystone = ServiceDataPattern(service: BluetoothUUID(short: 0xfeaa), prefix: [0x00])
  /// ```
  public init(service: BluetoothUUID, prefix: [UInt8] = []) {
    self.init(service: ServiceSelector(service), prefix: prefix)
  }
}

extension ScanFilter {
  /// A filter that all given parts must match.
  ///
  /// ```swift
  /// let belts = ScanFilter(services: [BluetoothUUID(short: 0x180d)], rssi: -70)
  /// ```
  public init(
    target: DeviceTarget? = nil, name: String? = nil, isExact: Bool = false,
    address: BluetoothAddress? = nil, services: some Collection<BluetoothUUID>, rssi: Int? = nil,
    manufacturer: ManufacturerPattern? = nil, serviceData: ServiceDataPattern? = nil,
    isPassive: Bool = false
  ) {
    self.init(
      target: target, name: name, isExact: isExact, address: address,
      services: services.map { ServiceSelector($0) }, rssi: rssi, manufacturer: manufacturer,
      serviceData: serviceData, isPassive: isPassive
    )
  }
}
