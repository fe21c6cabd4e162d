// The parts of the package: what each is for, and the arrows that there must never be.
//
// Which part may import which is what Package.swift declares, and nothing else: that is the one list.
// docs/architecture.md shows it, so that a new arrow is seen in a change of that page.

import Foundation

/// One target of the package and what its sources may import.
struct Part: Sendable {
  let name: String
  /// Targets of this package.
  let parts: [String]
  /// Modules of other packages.
  let packages: [String]
}

/// The parts and their arrows.
enum Architecture {
  /// What any source may import.
  static let system = ["Glibc", "Swift"]

  /// What any test may import beside the targets it names in the package description.
  static let forTests = ["Foundation", "FoundationXML", "Glibc", "Swift", "Testing"]

  /// Targets in C, which include instead of importing.
  static let inC = ["CBenchmarkPeers"]

  /// Modules that a part may import and the manifest cannot name: of the standard library, and of a
  /// package whose product the part declares.
  static let beside = [
    // The lock of Guarded.
    "Signals": ["Synchronization"],
    // The parser below Yams reports how deep a document is before it is composed.
    "Documents": ["CYaml"],
  ]

  /// What each part is, in the order of the page.
  static let roles: KeyValuePairs = [
    "CLinux": "system calls of Linux that Swift's Glibc lacks",
    "CDBus": "libdbus-1",
    "CBluetooth": "libbluetooth; under the GPL",
    "CExpat": "libexpat",
    "CMicroHTTPD": "libmicrohttpd",
    "CNATS": "libnats; only with the trait `Fleet`",
    "Signals":
      "lazy signals, operators, the event loop and its virtual-time twin, the serial scheduler",
    "Spelling": "the nearest known word",
    "Documents": "YAML and JSON with positions; descriptions of keys and shapes; limits",
    "Bluetooth":
      "the field's words, assigned numbers, value layouts; the port `DeviceService`",
    "DBus": "D-Bus: the port `MessageBus` with two fronts, libdbus and in memory",
    "BlueZInterfaces": "the names and types of org.bluez, for client and simulator",
    "BlueZ": "`DeviceService` over org.bluez: the client",
    "HostController":
      "what D-Bus does not offer: company names, RSSI, connection parameters, traces",
    "SimulatedDevices": "devices, scenarios and faults from files; randomness from one seed",
    "BlueZSimulator": "org.bluez served from simulated devices",
    "SimulatedRuns": "seeded worlds of client, simulator and faults, with the rules they must keep",
    "Jobs": "chains and batches: description, plan, run, events, reports",
    "Fleet": "jobs over many gateways: state machines over the port `JobStore`; a store in memory",
    "FleetNATS": "the store of a fleet on NATS JetStream; empty without the trait `Fleet`",
    "SimulatedFleets": "seeded fleets full of faults, with the rules they must keep",
    "NordicSuites": "nRF Connect suites and macros",
    "Journal": "run events in SQLite; history",
    "WebServer": "HTTP for a few browsers on the event loop: access rules, limits, event streams",
    "BLETesting": "simulated devices for other packages' tests",
    "Program": "the commands; puts the live parts together, for executables alone",
    "blerun": "the command line",
    "Dashboard": "the page of `blerun serve`: what it shows, as a state machine, and its addresses",
    "blerun-serve": "serves the dashboard",
    "blerun-fleet": "gateways, batches on a fleet, and what a fleet does",
    "blerun-simtest": "runs the seeded worlds",
    "blerun-fuzz": "hostile files and messages",
    "benchmarks": "measurements",
    "CBenchmarkPeers": "a client in C to compare with",
    "Fixtures": "what several test targets share",
  ]

  /// Arrows that must never exist, also not through other parts.
  static let forbidden: [(from: [String], to: [String], reason: String)] = [
    (
      ["BlueZSimulator"], ["BlueZ"],
      "a simulator that shares code with the client would share its mistakes"
    ),
    (
      ["BlueZ", "BlueZInterfaces"], ["BlueZSimulator", "SimulatedDevices"],
      "the client must not know whether its devices are real"
    ),
    (
      [
        "Bluetooth", "Dashboard", "Documents", "Jobs", "Journal", "NordicSuites",
        "SimulatedDevices",
      ], ["DBus"],
      "chains and devices know Bluetooth, not the way that BlueZ offers it"
    ),
    (
      ["Signals", "Spelling"], ["Bluetooth", "Documents", "DBus"],
      "it is for any program"
    ),
    (
      roles.map(\.key).filter { !(executables + executableOnly).contains($0) },
      ["CBluetooth"],
      "libbluetooth is under the GPL"
    ),
    (
      roles.map(\.key).filter { $0 != "Fixtures" }, ["Fixtures"],
      "it is for tests"
    ),
  ]

  /// The executables that may be linked with libbluetooth.
  static let executables = ["blerun", "blerun-serve", "blerun-fleet"]

  /// Parts that only they may reach: their library is under the GPL.
  static let executableOnly = ["CBluetooth", "HostController", "Program"]

  /// The parts that a manifest declares.
  static func parts(of package: PackageDescription) -> [Part] {
    let own = package.targets.map(\.name)
    return package.targets.filter { !$0.isTest }.map { target in
      Part(
        name: target.name,
        parts: target.dependencyNames.filter(own.contains),
        packages: target.dependencyNames.filter { !own.contains($0) } + (beside[target.name] ?? [])
      )
    }
  }

  /// The parts of this project.
  static let parts: [Part] =
    (try? PackageDescription(of: ProjectFolder())).map { parts(of: $0) } ?? []

  /// The table of docs/architecture.md.
  static func table(_ parts: [Part] = parts) -> String {
    let rows = roles.compactMap { name, role in
      parts.first { $0.name == name }.map { part in
        let arrows = (part.parts + part.packages).sorted()
          .map { "`\($0)`" }.joined(separator: " ")
        return "| `\(name)` | \(role) | \(arrows.isEmpty ? "–" : arrows) |\n"
      }
    }
    return "| part | what it is | imports |\n|---|---|---|\n" + rows.joined()
  }
}
