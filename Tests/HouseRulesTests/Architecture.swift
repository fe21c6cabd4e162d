// Which part may import which: the table of the architecture, as data.
//
// A part that does not exist yet stands here too; the rules look at those that do.

/// One target of the package and what its sources may import.
struct Part: Sendable {
  let name: String
  /// Targets of this package.
  let parts: [String]
  /// Modules of other packages.
  let packages: [String]

  init(_ name: String, _ parts: [String] = [], packages: [String] = []) {
    self.name = name
    self.parts = parts
    self.packages = packages
  }
}

/// The parts and their arrows.
enum Architecture {
  /// What any source may import.
  static let system = ["Glibc", "Swift"]

  /// What any test may import beside the targets it names in the package description.
  static let forTests = ["Foundation", "FoundationXML", "Glibc", "Swift", "Testing"]

  /// Targets in C, which include instead of importing.
  static let inC = ["CBenchmarkPeers"]

  static let libraries: [Part] = [
    Part("CDBus"),
    Part("CBluetooth"),
    Part("CLinux"),
    Part("CBenchmarkPeers", ["CDBus"]),
    // The lock of Guarded.
    Part("Signals", ["CLinux"], packages: ["Synchronization"]),
    Part("Spelling"),
    // The parser below Yams tells how deep a document is before it is composed.
    Part("Documents", ["Spelling"], packages: ["Yams", "CYaml"]),
    Part("DBus", ["CDBus", "Signals"]),
    Part("Bluetooth", ["Spelling", "Signals"]),
    Part("HostController", ["CBluetooth", "Bluetooth", "Signals"]),
    Part("BlueZInterfaces", ["Bluetooth", "DBus"]),
    Part("BlueZ", ["BlueZInterfaces", "Bluetooth", "DBus", "Signals"]),
    Part("SimulatedDevices", ["Documents", "Spelling", "Bluetooth", "Signals"]),
    Part(
      "BlueZSimulator",
      ["SimulatedDevices", "BlueZInterfaces", "Bluetooth", "DBus", "Signals"]
    ),
    Part(
      "SimulatedRuns",
      [
        "SimulatedDevices", "BlueZSimulator", "BlueZInterfaces", "BlueZ", "DBus", "Bluetooth",
        "Signals",
      ]
    ),
    Part("Jobs", ["Documents", "Spelling", "Bluetooth", "Signals"]),
    Part("Journal", ["Jobs", "Signals"], packages: ["GRDB"]),
    // FoundationXML parses, in one file.
    Part(
      "NordicSuites",
      ["Jobs", "Documents", "Spelling", "Bluetooth", "Signals"],
      packages: ["Foundation", "FoundationXML"]
    ),
    Part("Dashboard", ["Jobs", "Journal", "Bluetooth", "Signals"], packages: ["FlyingFox"]),
    Part(
      "BLETesting",
      ["SimulatedDevices", "BlueZSimulator", "BlueZ", "DBus", "Bluetooth", "Signals"]
    ),
  ]

  /// The executables may import every library; this is where live parts are put together. What the
  /// tests share is no library: no other part may import it.
  static let parts: [Part] =
    libraries + [
      Part("blerun", libraries.map(\.name), packages: ["ArgumentParser"]),
      Part("benchmarks", libraries.map(\.name)),
      Part("blerun-simtest", ["SimulatedRuns", "Signals"], packages: ["ArgumentParser"]),
      Part(
        "blerun-fuzz",
        [
          "BlueZSimulator", "BlueZInterfaces", "SimulatedDevices", "NordicSuites", "Jobs",
          "Documents", "DBus", "Bluetooth", "Signals", "CLinux",
        ],
        packages: ["ArgumentParser"]
      ),
      Part("Fixtures", ["Documents", "Signals"]),
    ]

  static func part(_ name: String) -> Part? { parts.first { $0.name == name } }

  /// Parts that only the executable may reach: their library is under the GPL.
  static let executableOnly = ["CBluetooth", "HostController"]
}
