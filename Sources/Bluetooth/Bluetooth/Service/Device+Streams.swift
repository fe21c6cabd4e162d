// Shorter forms of a device's streams.

public import Signals

extension Device {
  /// Sends devices as they are discovered; never completes by itself. Needs no connection.
  ///
  /// Sends a device again whenever one of its properties changes; RSSI and TX power are in dBm.
  /// Devices that are already known or connected are sent at the start, without an RSSI. The filter
  /// is applied here, too: bluetoothd merges the filters of its clients and reports what any of
  /// them requested. The scan pauses while this host connects.
  ///
  /// ```swift
  /// let strong = thermometer.scan(ScanFilter(name: "Thermo*", rssi: -70)).take(3).collect()
  /// for device in try strong.firstOrThrow(within: .seconds(10)) { print(device) }
  /// ```
  ///
  /// - Returns: Fails with ``DeviceFailure``, `not-supported` for a passive scan when the daemon
  ///   has no advertisement monitors; with `BufferOverflow` when values are not consumed.
  /// - Source: BlueZ, `doc/org.bluez.Adapter.rst` (SetDiscoveryFilter, StartDiscovery),
  ///   `doc/org.bluez.AdvertisementMonitor.rst`.
  public func scan(_ filter: ScanFilter) -> Signal<Advertisement> {
    startScan(filter).flattenMap { $0 }
  }

  /// Sends each notification or indication, with the time of its arrival on the loop's clock;
  /// subscribed until the signal ends. Fails as ``subscribe(_:_:)`` does.
  ///
  /// ```swift
  /// let three = thermometer.session {
  ///   thermometer.notifications("temperature-measurement").take(3).collect()
  /// }
  /// ```
  public func notifications(_ characteristic: CharacteristicSelector) -> Signal<NotifiedValue> {
    subscribe(characteristic).flattenMap { $0 }
  }

  /// Sends each notified value that has a type, without its time of arrival.
  ///
  /// ```swift
  /// let celsius = thermometer.session {
  ///   thermometer.notifications(.temperatureMeasurement).map(\.celsius).take(3).collect()
  /// }
  /// ```
  ///
  /// - Returns: Fails as ``subscribe(_:_:)`` does, and with ``MalformedValue``.
  public func notifications<Value>(_ characteristic: Characteristic<Value>) -> Signal<Value> {
    subscribe(characteristic).flattenMap { $0 }
  }

  /// Sends a stream of values that is already subscribed and buffered, once: ``subscribe(_:_:)`` with
  /// the usual options.
  ///
  /// ```swift
  /// let answer = thermometer.session {
  ///   thermometer.subscribe("record-access-control-point").flattenMap { values in
  ///     thermometer.write([1, 1], to: "record-access-control-point").then { values.take(1) }
  ///   }
  /// }
  /// ```
  public func subscribe(_ characteristic: CharacteristicSelector) -> Signal<Signal<NotifiedValue>> {
    subscribe(characteristic, SubscriptionOptions()).map(\.notifications)
  }

  /// Sends a stream of values that have a type, already subscribed and buffered, once.
  ///
  /// ```swift
  /// let first = thermometer.session {
  ///   thermometer.subscribe(.temperatureMeasurement).flattenMap { $0.take(1) }
  /// }
  /// ```
  public func subscribe<Value>(_ characteristic: Characteristic<Value>) -> Signal<Signal<Value>> {
    subscribe(characteristic.selector).map { stream in
      stream.tryMap { try characteristic.decode($0.value) }
    }
  }
}
