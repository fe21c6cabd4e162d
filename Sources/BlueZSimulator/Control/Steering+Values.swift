// Control of values, advertisements and faults of devices while they run.

import Bluetooth
import SimulatedDevices

extension Steering {
  /// The maximum length of a value, in octets.
  ///
  /// - Source: Bluetooth Core 5.4, Vol 3, Part F §3.2.9.
  static let longestValue = 512

  /// The current value of a characteristic. It does not count as a read of a client.
  ///
  /// ```swift
  /// let level = try steering.value(of: "battery-level", at: "Thermo-1")
  /// ```
  ///
  /// - Throws: ``SteeringError/Kind/unknownDevice``, ``SteeringError/Kind/unknownCharacteristic``.
  public func value(of characteristic: String, at name: String) throws(SteeringError) -> [UInt8] {
    let (device, handle) = try find(characteristic, at: name)
    return device.value(at: handle) ?? []
  }

  /// Changes the value of a characteristic as the device itself does: it is stored, and sent to
  /// subscribers.
  ///
  /// A value that changes by itself stays constant until ``release(_:at:)``.
  ///
  /// ```swift
  /// try steering.setValue([12], of: "battery-level", at: "Thermo-1")
  /// ```
  ///
  /// - Throws: ``SteeringError/Kind/invalidValue`` above 512 octets.
  public func setValue(
    _ value: [UInt8],
    of characteristic: String,
    at name: String
  ) throws(SteeringError) {
    let (device, handle) = try find(characteristic, at: name)
    guard value.count <= Self.longestValue else {
      throw SteeringError(
        .invalidValue,
        "the value has \(value.count) bytes: expected at most \(Self.longestValue)"
      )
    }
    device.setValue(value, at: handle)
  }

  /// Makes a value that was set change by itself again.
  public func release(_ characteristic: String, at name: String) throws(SteeringError) {
    let (device, handle) = try find(characteristic, at: name)
    device.letMove(at: handle)
  }

  /// Changes what a device advertises: the first advertisement, if it has several.
  ///
  /// ```swift
  /// try steering.advertise("{ rssi: -70, service-data: { battery: '28' } }", from: "Beacon-1")
  /// ```
  ///
  /// - Parameters:
  ///   - change: Keys of `advertisement` as in a device file; others stay. An RSSI or a spread
  ///     replaces one that was set by moving the device.
  ///   - name: The device, by its name or address.
  /// - Throws: ``SteeringError/Kind/invalidAdvertisement`` with all errors of the change.
  public func advertise(_ change: String, from name: String) throws(SteeringError) {
    let device = try device(name)
    do {
      let (advertisement, setsRSSI) = try DeviceFile.parseAdvertisement(
        change,
        changing: device.advertised(),
        of: device.definition
      )
      device.advertise(advertisement)
      if setsRSSI { device.move(nil) }
    } catch {
      throw SteeringError(.invalidAdvertisement, error.description)
    }
  }

  /// Adds a fault to those of a device.
  ///
  /// ```swift
  /// try steering.addFault("{ on: read, nth: 2, do: lose-link }", at: "Thermo-1")
  /// ```
  ///
  /// - Parameters:
  ///   - fault: A rule as in a device file, `{ on: connect, nth: 1, do: refuse-connection }`, or a
  ///     named fault of operations or devices, `{ fault: slow, on: read, by: 3s }`. A fault of
  ///     devices, `{ fault: lost-notifications, for: 3s }`, begins at once.
  ///   - name: The device, by its name or address.
  /// - Throws: ``SteeringError/Kind/invalidFault`` with all errors of the fault.
  public func addFault(_ fault: String, at name: String) throws(SteeringError) {
    let device = try device(name)
    let actions: [TimedAction]
    do {
      actions = try DeviceFile.parseFault(fault, of: device.definition)
    } catch {
      throw SteeringError(.invalidFault, error.description)
    }
    for timed in actions where timed.delay <= .zero { player.perform(timed.action) }
    for timed in actions where timed.delay > .zero {
      player.after(timed.delay) { player in player.perform(timed.action) }
    }
  }

  /// Removes all fault rules of a device.
  ///
  /// ```swift
  /// try steering.clearFaults("Thermo-1")
  /// ```
  public func clearFaults(_ name: String) throws(SteeringError) {
    player.perform(.device(try device(name).definition.address, .rules([])))
  }

  private func find(
    _ characteristic: String,
    at name: String
  ) throws(SteeringError) -> (device: SimulatedDevice, handle: UInt16) {
    let device = try device(name)
    return (device, try entry(characteristic, of: device).handle)
  }

  /// The entry of a characteristic in the table of a device.
  func entry(
    _ characteristic: String,
    of device: SimulatedDevice
  ) throws(SteeringError) -> CharacteristicEntry {
    do {
      return try device.table.characteristic(named: characteristic)
    } catch {
      throw SteeringError(.unknownCharacteristic, "\(device.title): \(error)")
    }
  }
}
