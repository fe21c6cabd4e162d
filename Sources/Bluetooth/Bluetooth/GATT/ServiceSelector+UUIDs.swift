// Services by their UUIDs: where no name is printed, a selector adds nothing.

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
