// Scanning without scan requests: an advertisement monitor that bluetoothd registers.

import BlueZInterfaces
import Bluetooth
import DBus
import Signals

/// One advertisement monitor, exported while it is needed.
///
/// Received advertisements appear as changes of devices, as in a scan. The calls to the monitor
/// itself report only whether it is active.
///
/// - Source: BlueZ 5.66, `doc/advertisement-monitor-api.txt`, `src/adv_monitor.c`.
struct PassiveScan: Sendable {
  private let filter: ScanFilter
  private let adapter: AdapterFacts
  private let client: BlueZClient

  init(_ filter: ScanFilter, on adapter: AdapterFacts, _ client: BlueZClient) {
    self.filter = filter
    self.adapter = adapter
    self.client = client
  }

  /// Runs `body` while bluetoothd scans passively; the monitor is unregistered afterwards, however
  /// it ended.
  ///
  /// - Throws: ``Cause`` with `not-supported` when bluetoothd does not support monitors, or does
  ///   not activate this one.
  func during(_ body: () async throws -> Void) async throws {
    guard client.withTree({ $0.offersMonitors(at: adapter.path) }) else {
      throw Cause.noMonitors
    }
    let (root, monitor) = Self.paths(client.newID())
    let server = ObjectServer(bus: client.bus, objectManagerAt: root)
    let isActive = Awaited<Bool?>(nil)
    server.add([interface(isActive)], at: monitor)
    let export = try client.bus.export(server)
    defer { export.cancel() }
    do {
      try await call(AdvertisementMonitorManager1.registerMonitor, root)
      try await activated(isActive)
      try await body()
    } catch {
      try? await end(root)
      throw error
    }
    try await end(root)
  }

  /// A unique root for each scan, and the monitor below it.
  private static func paths(_ number: UInt64) -> (root: ObjectPath, monitor: ObjectPath) {
    do {
      let root = try ObjectPath("/blerun/scan\(number)")
      return (root, try root.appending("monitor"))
    } catch {
      preconditionFailure("invalid path: \(error)")
    }
  }

  private func call(_ method: Method<ObjectPath, Void>, _ root: ObjectPath) async throws {
    let call = MethodCall.bluez(adapter.path, method, root)
    _ = try await client.bus.call(call, limit: client.limits.call, lateReply: nil)
  }

  private func end(_ root: ObjectPath) async throws {
    try await shielded(on: client.loop, limit: client.limits.call) {
      do {
        try await call(AdvertisementMonitorManager1.unregisterMonitor, root)
      } catch is DBusError {
        // The monitor is already unregistered, as intended.
      }
    }
  }

  // MARK: Activation

  private func activated(_ isActive: Awaited<Bool?>) async throws {
    let operation = "activating the advertisement monitor"
    try await isActive.until(operation, on: client.loop, limit: client.limits.call) { isActive in
      if isActive == false { throw Cause.monitorRefused }
      return isActive.map { _ in }
    }
  }

  private func interface(_ isActive: Awaited<Bool?>) -> ExportedInterface {
    let patterns = AdvertisementMonitor1.Pattern.patterns(for: filter)
    return ExportedInterface(
      AdvertisementMonitor1.interface,
      methods: [
        ExportedMethod(AdvertisementMonitor1.release) { call in
          isActive.change { $0 = false }
          call.reply()
        },
        ExportedMethod(AdvertisementMonitor1.activate) { call in
          isActive.change { $0 = true }
          call.reply()
        },
        ExportedMethod(AdvertisementMonitor1.deviceFound) { $1.reply() },
        ExportedMethod(AdvertisementMonitor1.deviceLost) { $1.reply() },
      ],
      properties: [
        ExportedProperty(AdvertisementMonitor1.type) { AdvertisementMonitor1.orPatterns },
        ExportedProperty(AdvertisementMonitor1.rssiSamplingPeriod) { 0 },
        ExportedProperty(AdvertisementMonitor1.patterns) { patterns },
      ]
    )
  }
}

extension ObjectTree {
  /// Whether an adapter supports passive scans for its clients.
  func offersMonitors(at adapter: ObjectPath) -> Bool {
    value(AdvertisementMonitorManager1.supportedMonitorTypes, at: adapter)?
      .contains(AdvertisementMonitor1.orPatterns) ?? false
  }
}

extension Cause {
  static let noMonitors = permanent(
    .notSupported, "this bluetoothd does not scan passively",
    hint: "\(.scanActively); bluetoothd scans passively when it is run with --experimental "
      + "on Linux 5.10 or later"
  )
  static let monitorRefused = permanent(
    .notSupported, "bluetoothd did not activate the advertisement monitor",
    hint: "\(.scanActively); see bluetoothd's log (journalctl -u bluetooth) for more"
  )
}
