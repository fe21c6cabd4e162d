// Other firmware: a device that does not have all its services any more, and does not say so.

public import Bluetooth

extension SimulatedDevice {
  /// Has the device be without a service of its definition, or have it again.
  ///
  /// Whoever asks for an attribute of it is refused with Invalid Handle, and nothing is sent of it.
  /// Its values are as they were when it comes back.
  public func withhold(_ service: BluetoothUUID, _ isWithheld: Bool) {
    let ranges = table.services.filter { $0.uuid == service }.map { $0.handle...$0.lastHandle }
    steer { state, _ in
      state.withheld.removeAll { ranges.contains($0) }
      if isWithheld { state.withheld += ranges }
      return ((), [])
    }
  }
}

extension DeviceState {
  /// What a handle stands for at present.
  func position(of handle: UInt16) -> AttributeTable.Position? {
    withheld.contains { $0.contains(handle) } ? nil : table.position(of: handle)
  }
}
