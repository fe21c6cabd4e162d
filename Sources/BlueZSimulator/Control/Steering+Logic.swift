// The logic of devices while they run: a socket that a test serves.

import Bluetooth
import SimulatedDevices

extension Steering {
  /// Gives a device the logic that somebody serves at a Unix stream socket, in place of what it had.
  ///
  /// The device is asked `start` before this returns: whoever serves the socket has to do so
  /// meanwhile. For the socket that the device has already, only the events are replaced.
  ///
  /// ```swift
  /// try steering.attachLogic("/run/user/1000/door.sock", handling: ["write pin"], to: "Door-1")
  /// ```
  ///
  /// - Parameters:
  ///   - socket: The absolute path of the socket.
  ///   - events: What the logic is asked about, such as `connected` and `write pin`; empty: all.
  ///   - name: The device, by its name or address.
  /// - Throws: ``SteeringError/Kind/unknownDevice``, ``SteeringError/Kind/invalidLogic``,
  ///   ``SteeringError/Kind/logicFailed``.
  public func attachLogic(
    _ socket: String,
    handling events: [String] = [],
    to name: String
  ) throws(SteeringError) {
    let device = try device(name)
    guard socket.hasPrefix("/") else {
      throw SteeringError(.invalidLogic, "invalid socket '\(socket)': expected an absolute path")
    }
    let wanted: LogicEvents
    do {
      wanted = try events.isEmpty ? .all : LogicEvents(events, of: device.table)
    } catch {
      throw SteeringError(.invalidLogic, "\(device.title): \(error)")
    }
    let address = device.definition.address
    guard !device.hasLogic || player.socket(of: address) != socket else {
      return device.handle(wanted)
    }
    do {
      try player.open(LogicDefinition(.socket(socket)), of: device, handling: wanted)
    } catch {
      throw SteeringError(.logicFailed, error.description)
    }
    player.keep(socket, of: address)
  }
}
