// Changes a world while the code under test runs in it.
//
// Each method performs an action of DeviceChange or AdapterChange on the world's loop.

import BlueZSimulator
import Bluetooth
import Signals
public import SimulatedDevices

extension SimulatedWorld {
  /// Advances the time and runs everything that becomes due. Takes no real time on a virtual loop.
  ///
  /// ```swift
  /// try world.pass(.seconds(60))
  /// ```
  public func pass(_ duration: Duration) throws {
    try loop.run { [loop] in try await loop.sleep(for: duration) }
  }

  /// Changes a device, its connection or its RSSI.
  ///
  /// ```swift
  /// try world.apply(.stray(12), to: "Thermo-1")
  /// ```
  ///
  /// - Parameters:
  /// - change: The change.
  /// - name: The device's name or address; nil: the first device. The same applies to the methods
  ///   below.
  /// - Throws: `SteeringError` when the change is impossible in the current state, or no such
  ///   device exists.
  public func apply(_ change: DeviceChange, to name: String? = nil) throws {
    try steer(name) { (steering, device) throws(SteeringError) in
      try steering.apply(change, to: device)
    }
  }

  /// Drops the link to a device, as if the signal were lost.
  ///
  /// ```swift
  /// try world.dropLink("Thermo-1")
  /// ```
  ///
  /// - Throws: `SteeringError` when there is no link.
  public func dropLink(_ name: String? = nil) throws { try apply(.loseLink, to: name) }

  /// Moves a device out of range, which drops its link.
  ///
  /// ```swift
  /// try world.vanish()
  /// let read = thermometer.session { thermometer.read(.batteryLevel) }
  /// let failure = read.firstResult(within: .seconds(30))   // link-lost or not-found
  /// ```
  public func vanish(_ name: String? = nil) throws { try apply(.vanish, to: name) }

  /// Brings a device back into range.
  ///
  /// ```swift
  /// world.loop.after(.seconds(5)) { try? world.appear("Thermo-1") }
  /// ```
  public func appear(_ name: String? = nil) throws { try apply(.appear, to: name) }

  /// Changes the RSSI of a device evenly to `rssi`, in dBm, over a duration.
  ///
  /// ```swift
  /// try world.move("Thermo-1", to: -90, within: .seconds(20))
  /// ```
  public func move(_ name: String? = nil, to rssi: Int, within duration: Duration = .zero) throws {
    try apply(.move(to: rssi, within: duration), to: name)
  }

  /// Moves the RSSI of a device along a path, or randomly; nil: as its definition describes.
  ///
  /// ```swift
  /// let walk = SignalPath([.init(at: .zero, rssi: -50), .init(at: .seconds(30), rssi: -95)])
  /// try world.move("Thermo-1", .path(walk))
  /// ```
  public func move(_ name: String? = nil, _ movement: SignalMovement?) throws {
    try apply(.follow(movement), to: name)
  }

  /// Changes a value as the device itself does: stores it, and notifies the subscribers.
  ///
  /// ```swift
  /// try world.setValue([0x2a], of: "battery-level")
  /// ```
  ///
  /// - Parameters:
  ///   - value: The value, in bytes.
  ///   - characteristic: A name such as `battery-level`, a UUID, or a handle.
  /// - name: The device's name or address; nil: the first device.
  public func setValue(_ value: [UInt8], of characteristic: String, at name: String? = nil) throws {
    try steer(name) { (steering, device) throws(SteeringError) in
      try steering.setValue(value, of: characteristic, at: device)
    }
  }

  /// The current value of a characteristic. The access does not count as a client's read.
  ///
  /// ```swift
  /// let written = try world.value(of: "alert-level")
  /// ```
  public func value(of characteristic: String, at name: String? = nil) throws -> [UInt8] {
    try steer(name) { (steering, device) throws(SteeringError) in
      try steering.value(of: characteristic, at: device)
    }
  }

  /// Starts or stops offering a service of the device's definition.
  ///
  /// ```swift
  /// try world.offer("battery", false)
  /// ```
  public func offer(_ service: String, _ isOffered: Bool, at name: String? = nil) throws {
    try steer(name) { (steering, device) throws(SteeringError) in
      try steering.offer(service, isOffered, at: device)
    }
  }

  /// Adds a fault to a device.
  ///
  /// ```swift
  /// try world.addFault("{ on: read, nth: 2, do: lose-link }")
  /// ```
  ///
  /// - Parameters:
  /// - fault: A rule as in a device file, `{ on: read, nth: 1, do: lose-link }`, or a named fault
  ///   of operations or devices, `{ fault: lost-notifications, for: 3s }`, which begins at once.
  /// - name: The device's name or address; nil: the first device.
  public func addFault(_ fault: String, at name: String? = nil) throws {
    try steer(name) { (steering, device) throws(SteeringError) in
      try steering.addFault(fault, at: device)
    }
  }

  /// Powers an adapter on or off, as an rfkill switch does.
  ///
  /// ```swift
  /// try world.setPowered(false)
  /// ```
  ///
  /// - Parameters:
  /// - isOn: The new power state.
  /// - adapter: The adapter's interface, such as `hci0`, its name or its address; nil: the first
  ///   adapter. The same applies to the methods below.
  public func setPowered(_ isOn: Bool, adapter: String? = nil) throws {
    try apply(.power(isOn), toAdapter: adapter)
  }

  /// Unplugs an adapter.
  ///
  /// ```swift
  /// try world.unplug("hci0")
  /// ```
  public func unplug(_ adapter: String? = nil) throws { try apply(.unplug, toAdapter: adapter) }

  /// Plugs an adapter in as `hci` with that number; nil: its own number.
  ///
  /// ```swift
  /// try world.plugIn("hci0", as: 1)
  /// ```
  public func plugIn(_ adapter: String? = nil, as number: Int? = nil) throws {
    try apply(.plugIn(number), toAdapter: adapter)
  }

  private func apply(_ change: AdapterChange, toAdapter adapter: String?) throws {
    try steer { (steering) throws(SteeringError) in
      try steering.apply(change, toAdapter: adapter)
    }
  }

  /// Kills bluetoothd and starts it again. The new one knows the devices that were connected or
  /// paired.
  ///
  /// ```swift
  /// try world.restart(after: .seconds(2))
  /// ```
  ///
  /// - Parameter pause: The time between the end and the new start.
  public func restart(after pause: Duration = .zero) throws {
    try loop.run { [steering] in try await steering.restart(after: pause) }
  }

  private func steer<Answer: Sendable>(
    _ name: String?, _ body: @escaping @Sendable (Steering, String) throws(SteeringError) -> Answer
  ) throws -> Answer {
    let address = "\(try device(name).definition.address)"
    return try steer { (steering) throws(SteeringError) in try body(steering, address) }
  }

  /// Runs `body` on the loop.
  func steer<Answer: Sendable>(
    _ body: @escaping @Sendable (Steering) throws(SteeringError) -> Answer
  ) throws(SteeringError) -> Answer {
    try loop.enter { [steering] in
      Result { () throws(SteeringError) in try body(steering) }
    }.get()
  }
}
