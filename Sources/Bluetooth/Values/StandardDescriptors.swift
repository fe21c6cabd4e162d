// What the values of descriptors stand for.

/// The descriptors whose values a standard defines.
public enum StandardDescriptors {
  /// The value of a descriptor; nil where it is not known what the octets stand for.
  ///
  /// - Source: Bluetooth Core 5.4, Vol 3, Part G §3.3.3.2 (Characteristic User Description: text)
  ///   and §3.3.3.3 (Client Characteristic Configuration: two bits).
  public static func decode(_ octets: [UInt8], of descriptor: BluetoothUUID) -> DecodedValue? {
    switch descriptor.short {
    case 0x2901: return .text(String(decoding: octets, as: UTF8.self))
    case 0x2902 where octets.count == 2:
      let modes = ["off", "notifications", "indications", "notifications, indications"]
      return .text(modes[Int(octets[0] & 3)])
    default: return nil
    }
  }
}
