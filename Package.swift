// swift-tools-version: 6.2

import PackageDescription

/// The thread sanitizer does not see a contended `Mutex` on Linux: its builds have another lock.
let sanitized: [SwiftSetting] =
  Context.environment["THREAD_SANITIZER"] == nil ? [] : [.define("THREAD_SANITIZER")]

/// What every Swift target is compiled with.
let strict: [SwiftSetting] =
  [
    .swiftLanguageMode(.v6),
    .treatAllWarnings(as: .error),
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
  ] + sanitized

/// A release runs where Swift is not installed: Swift's library is linked statically. An option of the
/// linker alone, and not `--static-swift-stdlib`, so that tests of a release build share what was compiled;
/// the libraries are those that Foundation's archive needs.
let standalone: [LinkerSetting] = [
  .unsafeFlags(
    [
      "-static-stdlib", "-lFoundation", "-lCoreFoundation", "-lFoundationInternationalization",
      "-lFoundationEssentials", "-l_FoundationICU", "-l_FoundationCShims",
      "-l_FoundationCollections",
    ],
    .when(configuration: .release)
  )
]

/// A library target of this package; its arrows are the ones the architecture page allows.
func library(
  _ name: String, _ dependencies: [Target.Dependency], resources: [Resource]? = nil
) -> Target {
  .target(name: name, dependencies: dependencies, resources: resources, swiftSettings: strict)
}

/// A program of this package.
func program(
  _ name: String, _ dependencies: [Target.Dependency], linkerSettings: [LinkerSetting] = []
) -> Target {
  .executableTarget(
    name: name, dependencies: dependencies, swiftSettings: strict, linkerSettings: linkerSettings
  )
}

/// The tests of the target of the same name.
func tests(_ name: String, _ dependencies: [Target.Dependency]) -> Target {
  .testTarget(name: name, dependencies: dependencies, swiftSettings: strict)
}

/// Puts targets on a floor: they are in the folder of that name below `Sources` or `Tests`.
func floor(_ name: String, _ targets: [Target]) -> [Target] {
  for target in targets {
    target.path = "\(target.type == .test ? "Tests" : "Sources")/\(name)/\(target.name)"
  }
  return targets
}

// What a dependent package does not need, it does not fetch: each trait is for a group of products.
// One trait is the default and has all: SwiftPM passes the defines of several in any order, which
// differs from plan to plan, and then compiles everything anew.
let yams = Target.Dependency.product(
  name: "Yams", package: "Yams", condition: .when(traits: ["Files", "Program", "Fleet"])
)
let argumentParser = Target.Dependency.product(
  name: "ArgumentParser", package: "swift-argument-parser",
  condition: .when(traits: ["Program", "Fleet"])
)
let grdb = Target.Dependency.product(
  name: "GRDB", package: "GRDB.swift", condition: .when(traits: ["Program", "Fleet"])
)

// The fleet's store: sources with `#if Fleet`, and the library that they call.
let nats = Target.Dependency.target(name: "CNATS", condition: .when(traits: ["Fleet"]))

// The floors, from the bottom. A target imports from its own floor and from those below it.

let system = floor(
  "System",
  [
    .systemLibrary(name: "CLinux"),
    .target(name: "CProcess"),
    .systemLibrary(name: "CDBus", pkgConfig: "dbus-1", providers: [.apt(["libdbus-1-dev"])]),
    .systemLibrary(name: "CBluetooth", providers: [.apt(["libbluetooth-dev"])]),
    .systemLibrary(name: "CExpat", pkgConfig: "expat", providers: [.apt(["libexpat1-dev"])]),
    .systemLibrary(name: "CCrypto", pkgConfig: "libcrypto", providers: [.apt(["libssl-dev"])]),
    .systemLibrary(
      name: "CMicroHTTPD", pkgConfig: "libmicrohttpd", providers: [.apt(["libmicrohttpd-dev"])]
    ),
    // Without `pkgConfig`, which would complain where libnats is not installed and not needed.
    .systemLibrary(name: "CNATS", providers: [.apt(["libnats-dev"])]),
  ]
)

let base = floor(
  "Base",
  [
    library("Signals", ["CLinux"]),
    library("Spelling", []),
    library("Documents", ["Spelling", yams]),
    tests("SignalsTests", ["Fixtures", "Signals"]),
    tests("SpellingTests", ["Spelling"]),
    tests("DocumentsTests", ["Fixtures", "Documents", "Signals"]),
  ]
)

let bluetooth = floor(
  "Bluetooth",
  [
    library(
      "Bluetooth", ["Spelling", "Signals"],
      resources: [
        .embedInCode("AssignedNumbers/services.txt"),
        .embedInCode("AssignedNumbers/characteristics.txt"),
        .embedInCode("AssignedNumbers/descriptors.txt"),
        .embedInCode("AssignedNumbers/appearances.txt"),
      ]
    ),
    library("Encryption", ["CCrypto", "Bluetooth"]),
    library("Descriptions", ["Documents", "Bluetooth"]),
    tests("BluetoothTests", ["Bluetooth", "Signals"]),
    tests("EncryptionTests", ["Encryption", "Bluetooth"]),
  ]
)

let bus = floor(
  "Bus",
  [
    library("DBus", ["CDBus", "Signals"]),
    library("BlueZInterfaces", ["Bluetooth", "DBus"]),
    tests("DBusTests", ["Fixtures", "CDBus", "DBus", "Signals"]),
  ]
)

let host = floor(
  "Host",
  [
    library("BlueZ", ["BlueZInterfaces", "Bluetooth", "DBus", "Signals"]),
    library("HostController", ["CBluetooth", "Bluetooth", "Signals"]),
    tests("BlueZTests", ["Fixtures", "BlueZ", "BlueZInterfaces", "Bluetooth", "DBus", "Signals"]),
    tests("HostControllerTests", ["HostController", "Bluetooth", "Signals"]),
  ]
)

let simulator = floor(
  "Simulator",
  [
    library(
      "SimulatedDevices", ["Documents", "Spelling", "Descriptions", "Bluetooth", "Signals"]
    ),
    library(
      "BlueZSimulator", ["SimulatedDevices", "BlueZInterfaces", "Bluetooth", "DBus", "Signals"]
    ),
    library("Recording", ["SimulatedDevices", "Documents", "Bluetooth"]),
    library(
      "BLETesting", ["SimulatedDevices", "BlueZSimulator", "BlueZ", "DBus", "Bluetooth", "Signals"]
    ),
    tests(
      "SimulatedDevicesTests",
      ["Fixtures", "SimulatedDevices", "Documents", "Bluetooth", "Signals"]
    ),
    tests(
      "BlueZSimulatorTests",
      [
        "Fixtures", "BLETesting", "BlueZSimulator", "SimulatedDevices", "BlueZInterfaces",
        "Bluetooth", "DBus", "Signals",
      ]
    ),
    tests(
      "RecordingTests",
      ["Fixtures", "Recording", "SimulatedDevices", "Documents", "Bluetooth", "Signals"]
    ),
    tests(
      "BLETestingTests",
      [
        "Fixtures", "BLETesting", "BlueZ", "BlueZSimulator", "Bluetooth", "DBus", "Signals",
        "SimulatedDevices",
      ]
    ),
    // Client and simulator together.
    tests(
      "SimulationTests",
      [
        "Fixtures", "BLETesting", "BlueZInterfaces", "BlueZ", "BlueZSimulator", "SimulatedDevices",
        "Bluetooth", "DBus", "Signals",
      ]
    ),
    // The code of docs/tutorials, compiled as a package of somebody else's would be.
    .testTarget(
      name: "TutorialTests", dependencies: ["BLETesting", "BlueZ", "Bluetooth", "Signals"],
      swiftSettings: [.swiftLanguageMode(.v6), .treatAllWarnings(as: .error)]
    ),
  ]
)

let chains = floor(
  "Chains",
  [
    library("RunEvents", ["Documents", "Descriptions", "Bluetooth", "Signals"]),
    library(
      "Reports", ["RunEvents", "Documents", "Bluetooth", "Signals"],
      resources: [.embedInCode("Page/Files/page.css"), .embedInCode("Page/Files/page.js")]
    ),
    library(
      "Jobs",
      ["Reports", "RunEvents", "Documents", "Spelling", "Descriptions", "Bluetooth", "Signals"]
    ),
    library(
      "NordicSuites",
      ["CExpat", "Jobs", "Reports", "RunEvents", "Documents", "Spelling", "Bluetooth", "Signals"]
    ),
    library("Journal", ["Reports", "RunEvents", "Documents", "Signals", grdb]),
    tests(
      "JobsTests",
      [
        "Fixtures", "Jobs", "Reports", "RunEvents", "BLETesting", "BlueZ", "BlueZSimulator",
        "SimulatedDevices", "Documents", "Bluetooth", "Signals",
      ]
    ),
    tests(
      "NordicSuitesTests",
      [
        "Fixtures", "NordicSuites", "BLETesting", "BlueZ", "BlueZInterfaces", "BlueZSimulator",
        "SimulatedDevices",
        "Jobs", "Documents", "Bluetooth", "Signals",
      ]
    ),
    tests(
      "JournalTests", ["Fixtures", "Journal", "Jobs", "Documents", "Bluetooth", "Signals", grdb]
    ),
  ]
)

let fleet = floor(
  "Fleet",
  [
    library("Fleet", ["Jobs", "Documents", "Bluetooth", "Signals"]),
    library("FleetNATS", ["Fleet", "Jobs", "Documents", "Signals", nats]),
    tests(
      "FleetTests",
      [
        "Fixtures", "SimulatedFleets", "FleetNATS", "Fleet", "Jobs", "Documents", "Bluetooth",
        "Signals",
      ]
    ),
  ]
)

let programs = floor(
  "Programs",
  [
    library(
      "Program",
      [
        "BlueZ", "BlueZInterfaces", "BlueZSimulator", "SimulatedDevices", "HostController",
        "Encryption", "Jobs", "Journal", "NordicSuites", "Recording", "Documents", "Bluetooth",
        "DBus", "Signals", "Spelling", "CLinux", "CProcess", argumentParser,
      ]
    ),
    library("WebServer", ["CMicroHTTPD", "Signals"]),
    library(
      "Dashboard",
      [
        "Jobs", "Reports", "RunEvents", "Journal", "Documents", "Bluetooth", "Signals", "WebServer",
      ],
      resources: [
        .embedInCode("Page/Files/index.html"), .embedInCode("Page/Files/login.html"),
        .embedInCode("Page/Files/style.css"), .embedInCode("Page/Files/app.js"),
        .embedInCode("Page/Files/chart.js"),
      ]
    ),
    program("blerun", ["Program"], linkerSettings: standalone),
    program(
      "blerun-serve",
      ["Program", "Dashboard", "WebServer", "Journal", "Jobs", "Bluetooth", "Signals"],
      linkerSettings: standalone
    ),
    program(
      "blerun-fleet",
      [
        "Program", "FleetNATS", "Fleet", "Journal", "Jobs", "Documents", "BlueZ", "Bluetooth",
        "Signals", argumentParser,
      ],
      linkerSettings: standalone
    ),
    tests(
      "CommandTests",
      [
        "Fixtures", "blerun", "blerun-serve", "blerun-fleet", "Program", "BlueZ", "Bluetooth",
        "DBus", "Documents", "Jobs", "Journal", "NordicSuites", "Signals", "SimulatedDevices",
        argumentParser, grdb,
      ]
    ),
    tests("WebServerTests", ["Fixtures", "WebServer", "Signals"]),
    tests(
      "DashboardTests",
      [
        "Fixtures", "Dashboard", "WebServer", "Jobs", "Journal", "Documents", "Bluetooth",
        "Signals",
      ]
    ),
  ]
)

let proof = floor(
  "Proof",
  [
    library(
      "SimulatedRuns",
      [
        "BlueZ", "BlueZInterfaces", "BlueZSimulator", "SimulatedDevices", "Bluetooth", "DBus",
        "Signals",
      ]
    ),
    library("SimulatedFleets", ["Fleet", "Bluetooth", "Signals"]),
    program(
      "blerun-simtest", ["SimulatedFleets", "SimulatedRuns", "Fleet", "Signals", argumentParser]
    ),
    program(
      "blerun-fuzz",
      [
        "BlueZSimulator", "BlueZInterfaces", "SimulatedDevices", "NordicSuites", "Journal", "Jobs",
        "Documents", "DBus", "Bluetooth", "Signals", "CLinux", argumentParser, grdb,
      ]
    ),
    .target(name: "CBenchmarkPeers", dependencies: ["CDBus"]),
    program(
      "benchmarks",
      [
        "CBenchmarkPeers", "SimulatedFleets", "FleetNATS", "Fleet", "BlueZ", "BlueZSimulator",
        "SimulatedDevices", "Jobs", "Bluetooth", "DBus", "Signals",
      ],
      linkerSettings: standalone
    ),
    tests(
      "SimulatedRunsTests",
      [
        "Fixtures", "SimulatedRuns", "BlueZSimulator", "SimulatedDevices", "Bluetooth", "DBus",
        "Signals",
      ]
    ),
    tests("HouseRulesTests", ["Fixtures"]),
  ]
)

/// Values and tools that several test targets share; no source may import it.
let fixtures = Target.target(
  name: "Fixtures", dependencies: ["Documents", "Signals"], path: "Tests/Fixtures",
  swiftSettings: strict
)

let package = Package(
  name: "blerun",
  products: [
    .executable(name: "blerun", targets: ["blerun"]),
    .executable(name: "blerun-serve", targets: ["blerun-serve"]),
    .executable(name: "blerun-fleet", targets: ["blerun-fleet"]),
    .library(name: "Signals", targets: ["Signals"]),
    .library(name: "DBus", targets: ["DBus"]),
    .library(name: "Bluetooth", targets: ["Bluetooth"]),
    .library(name: "BlueZ", targets: ["BlueZ"]),
    .library(name: "Documents", targets: ["Documents"]),
    .library(name: "Jobs", targets: ["Jobs"]),
    .library(name: "BLETesting", targets: ["BLETesting", "BlueZSimulator", "SimulatedDevices"]),
  ],
  traits: [
    .default(enabledTraits: ["Program"]),
    .trait(name: "Files", description: "Documents, Jobs and BLETesting, which read YAML"),
    .trait(name: "Program", description: "All products, the program blerun and its journal"),
    // Instead of the default, not beside it.
    .trait(name: "Fleet", description: "What Program has, and fleets over NATS: needs libnats"),
  ],
  dependencies: [
    .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.2"),
    .package(url: "https://github.com/jpsim/Yams", from: "6.2.2"),
    .package(url: "https://github.com/groue/GRDB.swift", from: "7.10.0"),
  ],
  targets: system + base + bluetooth + bus + host + simulator + chains + fleet + programs + proof
    + [fixtures]
)

// `make check MODULE=Jobs` builds the tests of one module: whatever they do not need is left out.
if let module = Context.environment["MODULE"], !module.isEmpty {
  let targets = Dictionary(uniqueKeysWithValues: package.targets.map { ($0.name, $0) })
  var needed: Set<String> = []
  var found = ["\(module)Tests"]
  while let name = found.popLast() {
    guard let target = targets[name], needed.insert(name).inserted else { continue }
    for dependency in target.dependencies {
      switch dependency {
      case .byNameItem(let name, _), .targetItem(let name, _): found.append(name)
      default: break
      }
    }
  }
  precondition(!needed.isEmpty, "MODULE=\(module): there is no test target \(module)Tests")
  package.targets.removeAll { !needed.contains($0.name) }
  package.products = []
}
