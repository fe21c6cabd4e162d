// One advertisement as a scanning host receives it.

public import Bluetooth

/// What a scanning host receives from a device at one moment.
public struct AdvertisedData: Sendable, Hashable {
  public let name: String?
  public let appearance: UInt16?
  public let services: [BluetoothUUID]
  public let manufacturerData: [ManufacturerData]
  public let serviceData: [ServiceData]
  /// In dBm; nil: not advertised.
  public let txPower: Int?
  /// The RSSI, in dBm.
  public let rssi: Int
}
