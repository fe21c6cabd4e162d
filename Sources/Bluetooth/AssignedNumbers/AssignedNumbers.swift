// Names for assigned UUIDs, and UUIDs for names.
//
// The tables are in the files beside this one. Company names are not here: libbluetooth has them.

/// The Bluetooth SIG's names for services, characteristics and descriptors.
///
/// An identifier is the name in lower case with hyphens: `heart-rate-measurement`.
public enum AssignedNumbers {
  /// "Heart Rate".
  public static func serviceName(_ uuid: BluetoothUUID) -> String? { name(of: uuid, in: services) }

  /// "Heart Rate Measurement".
  public static func characteristicName(_ uuid: BluetoothUUID) -> String? {
    name(of: uuid, in: characteristics)
  }

  /// "Client Characteristic Configuration".
  public static func descriptorName(_ uuid: BluetoothUUID) -> String? {
    name(of: uuid, in: descriptors)
  }

  /// "heart-rate".
  public static func serviceIdentifier(_ uuid: BluetoothUUID) -> String? {
    serviceName(uuid).map(identifier)
  }

  /// "heart-rate-measurement".
  public static func characteristicIdentifier(_ uuid: BluetoothUUID) -> String? {
    characteristicName(uuid).map(identifier)
  }

  /// The service with an identifier, or a UUID in any form.
  public static func service(named text: String) -> BluetoothUUID? { uuid(text, in: services) }

  /// The characteristic with an identifier, or a UUID in any form.
  public static func characteristic(named text: String) -> BluetoothUUID? {
    uuid(text, in: characteristics)
  }

  /// The descriptor with an identifier, or a UUID in any form.
  public static func descriptor(named text: String) -> BluetoothUUID? {
    uuid(text, in: descriptors)
  }

  /// The service identifier closest to `text`, if one is close.
  public static func nearestService(to text: String) -> String? {
    nearest(to: text, among: services.map { identifier($0.name) })
  }

  /// The characteristic identifier closest to `text`, if one is close.
  public static func nearestCharacteristic(to text: String) -> String? {
    nearest(to: text, among: characteristics.map { identifier($0.name) })
  }

  private static func name(
    of uuid: BluetoothUUID,
    in table: [(short: UInt16, name: String)]
  ) -> String? {
    guard let short = uuid.short else { return nil }
    return table.first { $0.short == short }?.name
  }

  private static func uuid(
    _ text: String,
    in table: [(short: UInt16, name: String)]
  ) -> BluetoothUUID? {
    let wanted = text.lowercased()
    if let entry = table.first(where: { identifier($0.name) == wanted }) {
      return BluetoothUUID(short: entry.short)
    }
    return BluetoothUUID(text)
  }

  /// Lower case, letters and digits, one hyphen between words.
  static func identifier(_ name: String) -> String {
    name.lowercased().split { !($0.isLetter || $0.isNumber) }.joined(separator: "-")
  }

  /// The candidate with the smallest edit distance, if that is small for its length.
  public static func nearest(to text: String, among candidates: [String]) -> String? {
    let wanted = Array(text.lowercased())
    let best = candidates.map { ($0, editDistance(wanted, Array($0))) }.min { $0.1 < $1.1 }
    guard let (name, distance) = best, distance <= max(2, name.count / 3) else { return nil }
    return name
  }

  private static func editDistance(_ a: [Character], _ b: [Character]) -> Int {
    var row = Array(0...b.count)
    for (i, left) in a.enumerated() {
      var diagonal = row[0]
      row[0] = i + 1
      for (j, right) in b.enumerated() {
        let substituted = diagonal + (left == right ? 0 : 1)
        diagonal = row[j + 1]
        row[j + 1] = min(substituted, row[j] + 1, row[j + 1] + 1)
      }
    }
    return row[b.count]
  }
}
