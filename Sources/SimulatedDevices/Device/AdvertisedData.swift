// One advertisement as a scanning host receives it.

public import Bluetooth

/// What a scanning host receives from a device at one moment.
public struct AdvertisedData: Sendable, Hashable {
  /// The name; nil when it is not sent.
  public let name: String?
  /// The appearance; nil when it is not sent.
  public let appearance: UInt16?
  /// The services, in the order of sending.
  public let services: [BluetoothUUID]
  /// The manufacturer data, by company.
  public let manufacturerData: [ManufacturerData]
  /// The service data, by service.
  public let serviceData: [ServiceData]
  /// In dBm; nil: not advertised.
  public let txPower: Int?
  /// The RSSI, in dBm.
  public let rssi: Int
}
