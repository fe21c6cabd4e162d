// `blerun simulate` in a process of its own, with a device that is connected, and its open files.

import DBus
import Fixtures
import Foundation
import Glibc
import Signals

/// The simulated host of a flood.
final class FloodedHost {
  static let adapter: ObjectPath = "/org/bluez/hci0"
  static let device: ObjectPath = "/org/bluez/hci0/dev_C0_FF_EE_00_00_04"
  private static let interfaces = [
    "Device1": ["Connect"], "Adapter1": ["StartDiscovery", "StopDiscovery", "SetDiscoveryFilter"],
  ]

  let loop = EventLoop()
  /// The characteristic that echoes what is written.
  private(set) var echo: ObjectPath = "/"
  private let program: RunningProgram
  private let address: String
  /// The process whose open files are counted.
  private var process: UInt32 = 0
  /// Keeps the bus.
  private let first: MessageBus

  init() async throws {
    program = try RunningProgram(
      blerun: [
        "simulate", "Simulators/devices/echo.yaml", "--", "sh", "-c",
        "echo bus $DBUS_SYSTEM_BUS_ADDRESS; exec sleep 900",
      ],
      limit: .seconds(900)
    )
    address = try program.waitForText(after: "bus ")
    first = try await MessageBus.open(address: .given(address), on: loop)
    let whose = try MethodCall(
      destination: "org.freedesktop.DBus", path: "/org/freedesktop/DBus",
      interface: "org.freedesktop.DBus", member: "GetConnectionUnixProcessID",
      body: [.string("org.bluez")]
    )
    process = try await first.call(whose, limit: .seconds(60)).body.first?.asUInt32 ?? 0
    _ = try await call(first, Self.adapter, "StartDiscovery", [])
    for _ in 0..<10_000 {
      if (try? await call(first, Self.device, "Connect", [])) != nil { break }
    }
    _ = try await call(first, Self.adapter, "StopDiscovery", [])
    for _ in 0..<10_000 where echo == "/" { echo = try await findEcho() ?? "/" }
  }

  deinit {
    first.close()
    program.send(SIGTERM)
  }

  private func findEcho() async throws -> ObjectPath? {
    let all = try MethodCall(
      destination: "org.bluez", path: "/", interface: "org.freedesktop.DBus.ObjectManager",
      member: "GetManagedObjects"
    )
    let answer = try await first.call(all, limit: .seconds(60))
    guard case .dictionary(let objects)? = answer.body.first else { return nil }
    // The first characteristic of the device's own service.
    return objects.entries.compactMap { $0.key.asObjectPath }
      .filter { $0.text.contains("/service000a/char") && !$0.text.contains("desc") }
      .min { $0.text < $1.text }
  }

  /// One more client.
  func join() async throws -> MessageBus {
    try await MessageBus.open(address: .given(address), on: loop)
  }

  /// Calls a method of BlueZ's; of a characteristic without a body, with no options.
  func call(
    _ client: MessageBus, _ path: ObjectPath, _ member: String, _ body: [DBusValue]? = nil
  ) async throws -> [DBusValue] {
    let interface = Self.interfaces.first { $0.value.contains(member) }?.key
    let call = try MethodCall(
      destination: "org.bluez", path: path,
      interface: "org.bluez.\(interface ?? "GattCharacteristic1")", member: member,
      body: body ?? [.properties([:])]
    )
    return try await client.call(call, limit: .seconds(60)).body
  }

  /// Acquires the echo; after a client closes, it becomes free a moment later.
  func acquire(_ client: MessageBus, _ member: String) async throws -> [DBusValue] {
    for _ in 0..<1000 {
      if let answer = try? await call(client, echo, member) { return answer }
    }
    return try await call(client, echo, member)
  }

  /// The error of a call that is refused: its name and its text.
  func refusal(
    _ client: MessageBus, _ path: ObjectPath, _ member: String, _ body: [DBusValue]? = nil
  ) async -> String? {
    do {
      _ = try await call(client, path, member, body)
      return nil
    } catch let error as DBusError {
      return "\(error.name.rawValue): \(error.message)"
    } catch {
      return "\(error)"
    }
  }

  /// How many files the process has open.
  var openFiles: Int {
    (try? FileManager.default.contentsOfDirectory(atPath: "/proc/\(process)/fd").count) ?? -1
  }

  /// Whether this many files are open within a minute: the bus does not signal that it is done.
  func comes(to count: Int) -> Bool {
    for _ in 0..<6000 {
      if openFiles == count { return true }
      poll(nil, 0, 10)
    }
    return false
  }
}
