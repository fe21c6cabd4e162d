// Which advertisements a scan of a suite is for.

public import Bluetooth

/// What has to hold of an advertisement: everything that is given.
public struct AdvertisementFilter: Hashable, Sendable {
  public var address: BluetoothAddress?
  /// The weakest signal, in dBm.
  public var rssi: Int?
  /// The name, to the letter.
  public var name: String?
  /// Found in the advertised data, which are written in upper-case hexadecimal digits.
  public var data: DataPattern?
  /// The device that a target is bound to.
  public var target: String?

  public init(
    address: BluetoothAddress? = nil,
    rssi: Int? = nil,
    name: String? = nil,
    data: DataPattern? = nil,
    target: String? = nil
  ) {
    self.address = address
    self.rssi = rssi
    self.name = name
    self.data = data
    self.target = target
  }

  /// Whether a received advertisement is one of those.
  ///
  /// - Parameter bound: The address of the target, where the filter names one.
  func matches(_ heard: Advertisement, bound: BluetoothAddress?) -> Bool {
    // A device without an RSSI is known or connected, and was not received.
    guard let strength = heard.rssi else { return false }
    if let address, heard.address != address { return false }
    if target != nil, heard.address != bound { return false }
    if let rssi, strength < rssi { return false }
    if let name, heard.name != name { return false }
    return data?.isFound(in: AdvertisedData.text(heard)) ?? true
  }
}
