// Names for assigned UUIDs, and UUIDs for names.
//
// The tables are in the files beside this one. Company names are in libbluetooth.

/// The names of services, characteristics and descriptors: those of the Bluetooth SIG, and those of
/// common vendors.
///
/// An identifier is the name in lower case with hyphens: `heart-rate-measurement`.
public enum AssignedNumbers {
  static let services = NameTable(assignedServices) { vendorServiceTable }
  static let characteristics = NameTable(characteristics2A + characteristics2B) {
    vendorCharacteristicTable
  }
  static let descriptors = NameTable(assignedDescriptors)

  private static let vendorServiceTable = VendorTable(vendorServices)
  private static let vendorCharacteristicTable = VendorTable(vendorCharacteristics)

  /// "Heart Rate".
  ///
  /// This and the other names are nil for a UUID that the Bluetooth SIG has not assigned.
  ///
  /// ```swift
  /// for uuid in advertisement.services { print(AssignedNumbers.serviceName(uuid) ?? "\(uuid)") }
  /// ```
  public static func serviceName(_ uuid: BluetoothUUID) -> String? { services.name(uuid) }

  /// "Heart Rate Measurement".
  public static func characteristicName(_ uuid: BluetoothUUID) -> String? {
    characteristics.name(uuid)
  }

  /// "Client Characteristic Configuration".
  public static func descriptorName(_ uuid: BluetoothUUID) -> String? { descriptors.name(uuid) }

  /// "heart-rate".
  public static func serviceIdentifier(_ uuid: BluetoothUUID) -> String? {
    serviceName(uuid).map(NameTable.identifier)
  }

  /// "heart-rate-measurement".
  ///
  /// The name that selectors, chain files and options use.
  ///
  /// ```swift
  /// for service in try await connection.services() {
  ///   for one in service.characteristics {
  ///     print(AssignedNumbers.characteristicIdentifier(one.uuid) ?? "\(one.uuid)")
  ///   }
  /// }
  /// ```
  public static func characteristicIdentifier(_ uuid: BluetoothUUID) -> String? {
    characteristicName(uuid).map(NameTable.identifier)
  }

  /// "client-characteristic-configuration".
  public static func descriptorIdentifier(_ uuid: BluetoothUUID) -> String? {
    descriptorName(uuid).map(NameTable.identifier)
  }

  /// The service with an identifier, or a UUID in any form.
  ///
  /// ```swift
  /// print(AssignedNumbers.service(named: "heart-rate") == BluetoothUUID(short: 0x180d))  // true
  /// ```
  public static func service(named text: String) -> BluetoothUUID? { services.uuid(text) }

  /// The characteristic with an identifier, or a UUID in any form.
  ///
  /// ```swift
  /// print(AssignedNumbers.characteristic(named: "battery-level") == BluetoothUUID(short: 0x2a19))
  /// ```
  public static func characteristic(named text: String) -> BluetoothUUID? {
    characteristics.uuid(text)
  }

  /// The descriptor with an identifier, or a UUID in any form.
  public static func descriptor(named text: String) -> BluetoothUUID? { descriptors.uuid(text) }

  /// The service identifier closest to `text`, if one is close.
  public static func nearestService(to text: String) -> String? { services.nearest(to: text) }

  /// The characteristic identifier closest to `text`, if one is close.
  ///
  /// ```swift
  /// print(AssignedNumbers.nearestCharacteristic(to: "batery-level") ?? "")  // battery-level
  /// ```
  public static func nearestCharacteristic(to text: String) -> String? {
    characteristics.nearest(to: text)
  }

  /// The descriptor identifier closest to `text`, if one is close.
  public static func nearestDescriptor(to text: String) -> String? {
    descriptors.nearest(to: text)
  }
}

extension AssignedNumbers {
  /// - Source: Bluetooth Assigned Numbers, "Descriptors by UUID".
  static let assignedDescriptors: [(short: UInt16, name: String)] = [
    (0x2900, "Characteristic Extended Properties"),
    (0x2901, "Characteristic User Description"),
    (0x2902, "Client Characteristic Configuration"),
    (0x2903, "Server Characteristic Configuration"),
    (0x2904, "Characteristic Presentation Format"),
    (0x2905, "Characteristic Aggregate Format"),
    (0x2906, "Valid Range"),
    (0x2907, "External Report Reference"),
    (0x2908, "Report Reference"),
    (0x2909, "Number of Digitals"),
    (0x290a, "Value Trigger Setting"),
    (0x290b, "Environmental Sensing Configuration"),
    (0x290c, "Environmental Sensing Measurement"),
    (0x290d, "Environmental Sensing Trigger Setting"),
    (0x290e, "Time Trigger Setting"),
    (0x290f, "Complete BR-EDR Transport Block Data"),
  ]
}
