// A simulated thermometer and a lamp, with queries for the tests of connections.

import BLETesting
import BlueZ
import BlueZSimulator
import Bluetooth
import Signals

/// Devices for async code.
enum ConnectionWorld {
  /// Sends a temperature every 20 ms.
  static let thermometer = DeviceSource.yaml(
    """
    name: Thermometer
    address: C0:FF:EE:00:00:51
    services:
      - service: battery
        characteristics:
          - { characteristic: battery-level, properties: [read, notify], value: { u8: 42 } }
      - service: link-loss
        characteristics:
          - { characteristic: alert-level, properties: [read, write], value: { u8: 0 } }
      - service: health-thermometer
        characteristics:
          - characteristic: temperature-measurement
            properties: [indicate]
            wave:
              parts:
                - { hex: "00" }
                - { medfloat: { low: 36.4, high: 36.8 } }
              period: 1m
              every: 20ms
    """
  )

  static let lamp = DeviceSource.yaml(
    """
    name: Lamp
    address: C0:FF:EE:00:00:52
    services:
      - service: battery
        characteristics:
          - { characteristic: battery-level, properties: [read], value: { u8: 7 } }
    """
  )

  /// A world for async code.
  static func real() throws -> SimulatedWorld {
    try SimulatedWorld(thermometer, lamp, time: .real, settings: .instant)
  }
}

extension SimulatedWorld {
  /// A device with a scheduler of its own.
  func own(_ name: String) throws -> BlueZDevice {
    try service(name, scheduler: SerialScheduler(on: loop, name: name))
  }

  /// The requests to bluetoothd and the events at the devices, in order.
  var happened: [String] { log.map(\.event) }

  func count(_ event: String) -> Int { happened.count { $0 == event } }

  /// Whether every connection was ended, and every subscription before its connection.
  var isReleased: Bool {
    var (links, subscriptions) = (0, 0)
    for event in happened {
      switch event {
      case SimulatorLogEntry.Event.linkUp: links += 1
      case SimulatorLogEntry.Event.linkDown:
        if subscriptions > 0 { return false }
        links -= 1
      case SimulatorLogEntry.Event.subscribed: subscriptions += 1
      case SimulatorLogEntry.Event.unsubscribed: subscriptions -= 1
      default: break
      }
    }
    return links == 0 && subscriptions == 0
  }
}
