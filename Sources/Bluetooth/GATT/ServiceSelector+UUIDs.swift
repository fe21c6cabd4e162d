// Services by their UUIDs: where no name is printed, a selector adds nothing.

public import Signals

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
    target: DeviceTarget? = nil,
    name: String? = nil,
    isExact: Bool = false,
    address: BluetoothAddress? = nil,
    services: some Collection<BluetoothUUID>,
    rssi: Int? = nil,
    manufacturer: ManufacturerPattern? = nil,
    serviceData: ServiceDataPattern? = nil,
    isPassive: Bool = false
  ) {
    self.init(
      target: target,
      name: name,
      isExact: isExact,
      address: address,
      services: services.map { ServiceSelector($0) },
      rssi: rssi,
      manufacturer: manufacturer,
      serviceData: serviceData,
      isPassive: isPassive
    )
  }
}

extension DeviceService {
  /// Connects as ``DeviceOperations/connect(keep:expecting:)`` does, with services by their UUIDs.
  ///
  /// ```swift
  /// let connected = thermometer.connect(keep: false, expecting: [BluetoothUUID(short: 0x1809)])
  /// ```
  public func connect(
    keep: Bool,
    expecting: some Collection<BluetoothUUID>
  ) -> Signal<LinkOrigin> {
    connect(keep: keep, expecting: expecting.map { ServiceSelector($0) })
  }

  /// Connects, runs `body` with the connection, and disconnects, as `withConnection` with selectors
  /// does.
  ///
  /// ```swift
  /// let level = try await thermometer.withConnection(
  ///   within: .seconds(30), expecting: [BluetoothUUID(short: 0x180f)]
  /// ) { try await $0.read(.batteryLevel) }
  /// ```
  public func withConnection<R: Sendable>(
    within limit: Duration,
    expecting services: some Collection<BluetoothUUID>,
    file: StaticString = #fileID,
    line: UInt = #line,
    isolation: isolated (any Actor)? = #isolation,
    _ body: (DeviceConnection) async throws -> R
  ) async throws -> R {
    try await withConnection(
      within: limit,
      expecting: services.map { ServiceSelector($0) },
      file: file,
      line: line,
      isolation: isolation,
      body
    )
  }
}
