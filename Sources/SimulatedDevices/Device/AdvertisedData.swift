// One advertisement as it is heard.

public import Bluetooth

/// What a scanning host hears of a device at one moment.
public struct AdvertisedData: Sendable, Hashable {
  public let name: String?
  public let appearance: UInt16?
  public let services: [BluetoothUUID]
  public let manufacturerData: [ManufacturerData]
  public let serviceData: [ServiceData]
  /// In dBm; nil: not advertised.
  public let txPower: Int?
  /// The strength with which it was heard, in dBm.
  public let rssi: Int
}
