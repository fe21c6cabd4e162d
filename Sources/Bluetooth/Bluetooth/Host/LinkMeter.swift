// The port to measurements and parameters of a connection, which are not part of this module.

/// A connection of this host.
public struct LinkIdentity: Hashable, Sendable {
  /// The adapter of the connection: `hci0`.
  public let adapter: String
  /// The device at the other end.
  public let address: BluetoothAddress

  /// A connection, by its adapter and its device.
  public init(adapter: String, address: BluetoothAddress) {
    self.adapter = adapter
    self.address = address
  }
}

/// RSSI and TX power of a connection, as measured by the controller.
public struct LinkStrength: Hashable, Sendable {
  /// The RSSI in dBm.
  public let rssi: Int
  /// The TX power of this host in dBm; nil when its controller does not report it.
  public let txPower: Int?

  /// A measurement, in dBm.
  public init(rssi: Int, txPower: Int?) {
    self.rssi = rssi
    self.txPower = txPower
  }
}

/// Measures active connections, and changes their parameters. BlueZ's D-Bus interface does not offer it.
public protocol LinkMeter: Sendable {
  /// Measures a connection now. It changes nothing, so every failure of class `passing` may be
  /// retried.
  ///
  /// ```swift
  /// func isNear(_ link: LinkIdentity, by meter: any LinkMeter) async throws -> Bool {
  ///   try await meter.strength(of: link).rssi >= -70
  /// }
  /// ```
  ///
  /// - Throws: ``DeviceFailure``, without a device: `not-connected` when there is no such
  ///   connection, ``DeviceFailure/Code/capabilityMissing`` and
  ///   ``DeviceFailure/Code/socketsMissing`` when this process lacks permission; the errors of a
  ///   wait.
  /// - Source: Bluetooth Core 5.4, Vol 4, Part E §7.5.4 (Read RSSI), §7.3.35 (Read Transmit Power
  ///   Level).
  func strength(of link: LinkIdentity) async throws -> LinkStrength

  /// The current parameters of a connection.
  ///
  /// - Throws: ``DeviceFailure``, without a device: `not-connected` when there is no such
  ///   connection, ``DeviceFailure/Code/timingUnknown`` when no process observed them; the errors of a
  ///   wait.
  /// - Source: Bluetooth Core 5.4, Vol 4, Part E §7.7.65 (LE Connection Complete, LE Connection
  ///   Update Complete): a controller reports them only then.
  func parameters(of link: LinkIdentity) async throws -> ConnectionParameters

  /// Changes the parameters of a connection of which this host is the central.
  ///
  /// Returns when both sides use them, several connection events later. The peripheral may refuse
  /// them, and may request others at any later time.
  ///
  /// - Parameter wanted: The parameters; ``ConnectionParameters/areValid`` is true.
  /// - Returns: The parameters that were agreed on.
  /// - Throws: ``DeviceFailure``, without a device: `not-connected` when there is no such connection,
  ///   or it ended meanwhile; `refused` when the controller or the peripheral refuses them, `busy`
  ///   while the controller does not accept another change, ``DeviceFailure/Code/capabilityMissing``
  ///   and ``DeviceFailure/Code/socketsMissing`` when this process lacks permission; the errors of a
  ///   wait.
  /// - Source: Bluetooth Core 5.4, Vol 4, Part E §7.8.18 (LE Connection Update), §7.7.65.3 (LE
  ///   Connection Update Complete).
  func change(
    _ link: LinkIdentity, to wanted: ConnectionParameters
  ) async throws -> ConnectionParameters

  /// The PHY of a connection, as the controller of this host reports it.
  ///
  /// - Throws: ``DeviceFailure``, without a device: `not-connected` when there is no such connection;
  ///   `not-supported` when the controller has no command for it;
  ///   ``DeviceFailure/Code/capabilityMissing`` and ``DeviceFailure/Code/socketsMissing`` when this
  ///   process lacks permission; the errors of a wait.
  /// - Source: Bluetooth Core 5.4, Vol 4, Part E §7.8.47 (LE Read PHY).
  func phy(of link: LinkIdentity) async throws -> LinkPHY

  /// Changes the PHY of a connection, in both directions.
  ///
  /// Returns when both sides use the PHY that was agreed on, which may be that of before: a peripheral
  /// that supports no other one keeps it, and may request another one at any later time.
  ///
  /// - Returns: The PHY that was agreed on.
  /// - Throws: ``DeviceFailure``, without a device: `not-connected` when there is no such connection,
  ///   or it ended meanwhile; `not-supported` when the controller lacks the command or the PHY, or
  ///   the peripheral cannot change its PHY; `busy` while the controller does not accept another
  ///   change, ``DeviceFailure/Code/capabilityMissing`` and ``DeviceFailure/Code/socketsMissing``
  ///   when this process lacks permission; the errors of a wait.
  /// - Source: Bluetooth Core 5.4, Vol 4, Part E §7.8.49 (LE Set PHY), §7.7.65.12 (LE PHY Update
  ///   Complete).
  func change(_ link: LinkIdentity, to wanted: PHY) async throws -> LinkPHY
}

/// The parameters of an LE connection.
///
/// - Source: Bluetooth Core 5.4, Vol 6, Part B §4.5.1, §4.5.2.
public struct ConnectionParameters: Hashable, Sendable {
  /// The time between two connection events: 7.5 ms to 4 s, in steps of 1.25 ms.
  public var interval: Duration
  /// The number of connection events that the peripheral may skip.
  public var latency: Int
  /// The silence after which the link counts as lost: 100 ms to 32 s.
  public var supervisionTimeout: Duration

  /// The valid intervals.
  public static let intervals = Duration.microseconds(7500)...Duration.seconds(4)
  /// The unit of an interval on the air.
  public static let intervalUnit = Duration.microseconds(1250)
  /// The valid latencies.
  public static let latencies = 0...499
  /// The valid supervision timeouts.
  public static let supervisionTimeouts = Duration.milliseconds(100)...Duration.seconds(32)
  /// The unit of a supervision timeout on the air.
  public static let supervisionTimeoutUnit = Duration.milliseconds(10)

  /// The least supervision timeout of a connection with this interval and this latency; it must be
  /// longer.
  ///
  /// - Source: Bluetooth Core 5.4, Vol 4, Part E §7.8.18: (1 + latency) × interval × 2.
  public var silence: Duration { interval * (2 * (1 + latency)) }

  /// Whether a controller accepts them: each is in its range, a multiple of its unit, and the
  /// supervision timeout is longer than ``silence``.
  public var areValid: Bool {
    Self.intervals.contains(interval) && interval.isMultiple(of: Self.intervalUnit)
      && Self.latencies.contains(latency) && Self.supervisionTimeouts.contains(supervisionTimeout)
      && supervisionTimeout.isMultiple(of: Self.supervisionTimeoutUnit)
      && supervisionTimeout > silence
  }

  /// The parameters of a connection.
  public init(interval: Duration, latency: Int, supervisionTimeout: Duration) {
    self.interval = interval
    self.latency = latency
    self.supervisionTimeout = supervisionTimeout
  }
}

extension Duration {
  /// Whether it is a whole number of units.
  package func isMultiple(of unit: Duration) -> Bool {
    attoseconds.isMultiple(of: unit.attoseconds)
  }
}

extension DeviceFailure.Code {
  /// The process lacks a capability of the kernel, such as CAP_NET_RAW.
  public static let capabilityMissing = Self(rawValue: "capability-missing")
  /// Nothing on this host has observed the connection parameters.
  public static let timingUnknown = Self(rawValue: "timing-unknown")
  /// The kernel has no Bluetooth sockets, or does not give them to this process.
  public static let socketsMissing = Self(rawValue: "sockets-missing")
}
