// Operations on characteristics whose values have a type.

public import Signals

extension DeviceService {
  /// Reads a characteristic whose value has a type: `device.read(.batteryLevel)`.
  ///
  /// ```swift
  /// let percent = thermometer.session { thermometer.read(.batteryLevel) }
  /// ```
  ///
  /// - Returns: Fails as `read` of a selector does, and with ``MalformedValue`` for a
  ///   value that is not in the format of the characteristic.
  public func read<Value>(_ characteristic: Characteristic<Value>) -> Signal<Value> {
    read(characteristic.selector).tryMap { try characteristic.decode($0) }
  }

  /// Writes a value that has a type: `device.write("mild alert", to: .alertLevel)`.
  ///
  /// ```swift
  /// let alarm = keyRing.session { keyRing.write("mild alert", to: .alertLevel) }
  /// ```
  ///
  /// - Parameters:
  ///   - value: The value to write.
  ///   - characteristic: Its name and its format.
  ///   - kind: With response, unless another kind is given.
  /// - Returns: Fails as `write` of octets does; with ``MalformedValue``, before
  ///   anything is sent, for a value that the format cannot carry.
  public func write<Value>(
    _ value: Value,
    to characteristic: Characteristic<Value>,
    kind: WriteKind = .request
  ) -> Signal<Void> {
    Signal(home: scheduler) { sink in
      let octets = try characteristic.encode(value)
      try await write(octets, to: characteristic.selector, kind: kind).run(sink)
    }
  }

  /// Sends each notified value that has a type, without its time of arrival.
  ///
  /// ```swift
  /// let celsius = thermometer.session {
  ///   thermometer.notifications(.temperatureMeasurement).map(\.celsius).take(3).collect()
  /// }
  /// ```
  ///
  /// - Returns: Fails as `notifications` of a selector does, and with
  ///   ``MalformedValue``.
  public func notifications<Value>(_ characteristic: Characteristic<Value>) -> Signal<Value> {
    notifications(characteristic.selector).tryMap { try characteristic.decode($0.value) }
  }

  /// Sends a stream of values that have a type, already subscribed and buffered, once.
  ///
  /// ```swift
  /// let first = thermometer.session {
  ///   thermometer.subscribe(.temperatureMeasurement).flattenMap { $0.take(1) }
  /// }
  /// ```
  public func subscribe<Value>(
    _ characteristic: Characteristic<Value>
  ) -> Signal<Signal<Value>> {
    subscribe(characteristic.selector).map { stream in
      stream.tryMap { try characteristic.decode($0.value) }
    }
  }
}
