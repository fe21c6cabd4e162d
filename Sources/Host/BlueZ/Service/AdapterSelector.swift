// The selection of an adapter.

public import Bluetooth

/// How the user selects an adapter.
///
/// An index such as `hci0` may change when an adapter is reset or another one plugged in; the
/// address does not.
public enum AdapterSelector: Hashable, Sendable, CustomStringConvertible {
  /// The first adapter that is on, in order of index; otherwise the first adapter.
  case first
  /// The index: `hci0`.
  case name(String)
  /// The address of the controller.
  case address(BluetoothAddress)
  /// The alias that the user has set.
  case alias(String)

  /// Parses `hci0`, an address, or otherwise an alias.
  ///
  /// Nothing is looked up: whether there is such an adapter shows when it is used.
  ///
  /// ```swift
  /// let service = BlueZDevice(
  ///   client: client, target: .name("Thermo*"), adapter: AdapterSelector("hci1"),
  ///   scheduler: SerialScheduler(on: client.bus.loop))
  /// ```
  public init(_ text: String) {
    if text.hasPrefix("hci"), text.count > 3, text.dropFirst(3).allSatisfy(\.isNumber) {
      self = .name(text)
    } else if let address = BluetoothAddress(text) {
      self = .address(address)
    } else {
      self = .alias(text)
    }
  }

  public var description: String {
    switch self {
    case .first: "the first adapter"
    case .name(let name): name
    case .address(let address): address.description
    case .alias(let alias): alias
    }
  }
}
