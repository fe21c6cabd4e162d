// Other firmware: a device that has lost some of its services, and does not announce it.

public import Bluetooth

extension SimulatedDevice {
  /// Removes a service of the definition from the device, or brings it back.
  ///
  /// Requests for its attributes are refused with Invalid Handle, and it sends no notifications.
  /// Its values are unchanged when it comes back.
  public func withhold(_ service: BluetoothUUID, _ isWithheld: Bool) {
    let ranges = table.services.filter { $0.uuid == service }.map { $0.handle...$0.lastHandle }
    steer { state in
      state.withheld.removeAll { ranges.contains($0) }
      if isWithheld { state.withheld += ranges }
      return ((), [])
    }
  }
}

extension DeviceState {
  /// The attribute that a handle refers to at present.
  func position(of handle: UInt16) -> AttributeTable.Position? {
    withheld.contains { $0.contains(handle) } ? nil : table.position(of: handle)
  }
}
