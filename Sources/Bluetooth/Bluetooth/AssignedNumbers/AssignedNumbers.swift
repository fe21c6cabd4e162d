// Names for assigned UUIDs, and UUIDs for names.
//
// The tables are the texts beside this file. Company names are in libbluetooth.

/// The names of services, characteristics and descriptors: those of the Bluetooth SIG, and those of
/// common vendors.
///
/// An identifier is the name in lower case with hyphens: `heart-rate-measurement`.
public enum AssignedNumbers {
  static let services = NameTable(PackageResources.services_txt)
  static let characteristics = NameTable(PackageResources.characteristics_txt)
  static let descriptors = NameTable(PackageResources.descriptors_txt)

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
    services.identifier(uuid)
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
    characteristics.identifier(uuid)
  }

  /// "client-characteristic-configuration".
  public static func descriptorIdentifier(_ uuid: BluetoothUUID) -> String? {
    descriptors.identifier(uuid)
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
