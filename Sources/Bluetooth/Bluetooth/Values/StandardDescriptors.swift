// The values of standard descriptors.

/// The descriptors whose values a standard defines.
public enum StandardDescriptors {
  /// Decodes the value of a descriptor; nil when its format is unknown, and for a text that is not
  /// UTF-8.
  ///
  /// ```swift
  /// let uuid = BluetoothUUID(short: 0x2901)
  /// print(StandardDescriptors.decode(Array("main".utf8), of: uuid)?.description ?? "")  // main
  /// ```
  ///
  /// - Source: Bluetooth Core 5.4, Vol 3, Part G §3.3.3.2 (Characteristic User Description: text)
  ///   and §3.3.3.3 (Client Characteristic Configuration: two bits).
  public static func decode(_ octets: [UInt8], of descriptor: BluetoothUUID) -> DecodedValue? {
    switch descriptor.short {
    case 0x2901: return String(validating: octets, as: UTF8.self).map { .text($0) }
    case 0x2902 where octets.count == 2:
      let modes = ["off", "notifications", "indications", "notifications, indications"]
      return .text(modes[Int(octets[0] & 3)])
    default: return nil
    }
  }
}
