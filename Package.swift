// swift-tools-version: 6.2

import PackageDescription

/// The thread sanitizer does not see a contended `Mutex` on Linux: its builds have another lock.
let sanitized: [SwiftSetting] =
  Context.environment["THREAD_SANITIZER"] == nil ? [] : [.define("THREAD_SANITIZER")]

/// A release makes generic types by calls. The compiler would rather have the runtime parse their names
/// and search the program's conformances for each of their arguments: two fifths of a short run.
/// Each function has a section of its own, for the linker to place.
let direct: [SwiftSetting] = [
  .unsafeFlags(
    [
      "-Xfrontend", "-disable-concrete-type-metadata-mangled-name-accessors", "-Xfrontend",
      "-function-sections",
    ],
    .when(configuration: .release)
  )
]

/// What every Swift target is compiled with.
let strict: [SwiftSetting] =
  [
    .swiftLanguageMode(.v6),
    .treatAllWarnings(as: .error),
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
  ] + sanitized + direct

/// A release has the libraries of Swift, of C++ and SQLite in it, at a fixed address: it starts in a
/// third of the time, most of which the loader took, and runs where Swift is not installed. It exports
/// nothing: the runtime goes through all that is exported at each start. The functions that a start
/// calls lie together: `make order` lists them. These are options of the linker alone: tests of a
/// release build share what was compiled.
let whole: [LinkerSetting] = [
  .unsafeFlags(
    [
      "-static-stdlib", "-use-ld=lld", "-lFoundation", "-lCoreFoundation",
      "-lFoundationInternationalization", "-lFoundationEssentials", "-l_FoundationICU",
      "-l_FoundationCShims", "-l_FoundationCollections", "-Xclang-linker", "-static-libgcc",
      "-Xclang-linker", "-no-pie", "-Xlinker", "--no-export-dynamic",
      "-L\(Context.packageDirectory)/Packaging/link", "-Xlinker",
      "--remap-inputs=*/libsqlite3.so=\(Context.packageDirectory)/Packaging/link/sqlite3.ld",
      "-Xlinker", "--no-warn-symbol-ordering", "-Xlinker",
      "--symbol-ordering-file=\(Context.packageDirectory)/Packaging/link/start.order",
    ],
    .when(configuration: .release)
  )
]

/// A library target of this package; its arrows are the ones the architecture page allows.
func library(_ name: String, _ dependencies: [Target.Dependency]) -> Target {
  .target(name: name, dependencies: dependencies, swiftSettings: strict)
}

/// The tests of the target of the same name.
func tests(_ name: String, _ dependencies: [Target.Dependency]) -> Target {
  .testTarget(name: name, dependencies: dependencies, swiftSettings: strict)
}

// What a dependent package does not need, it does not fetch: each trait is for a group of products.
// One trait is the default and has all: SwiftPM passes the defines of several in any order, which
// differs from plan to plan, and then compiles everything anew.
let yams = Target.Dependency.product(
  name: "Yams",
  package: "Yams",
  condition: .when(traits: ["Files", "Program", "Fleet"])
)
let argumentParser = Target.Dependency.product(
  name: "ArgumentParser",
  package: "swift-argument-parser",
  condition: .when(traits: ["Program", "Fleet"])
)
let grdb = Target.Dependency.product(
  name: "GRDB",
  package: "GRDB.swift",
  condition: .when(traits: ["Program", "Fleet"])
)

// The fleet's store: sources with `#if Fleet`, and the library that they call.
let nats = Target.Dependency.target(name: "CNATS", condition: .when(traits: ["Fleet"]))

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
  targets: [
    .systemLibrary(name: "CLinux"),
    .systemLibrary(name: "CDBus", pkgConfig: "dbus-1", providers: [.apt(["libdbus-1-dev"])]),
    .systemLibrary(name: "CBluetooth", providers: [.apt(["libbluetooth-dev"])]),
    .systemLibrary(name: "CExpat", pkgConfig: "expat", providers: [.apt(["libexpat1-dev"])]),
    .systemLibrary(
      name: "CMicroHTTPD",
      pkgConfig: "libmicrohttpd",
      providers: [.apt(["libmicrohttpd-dev"])]
    ),
    // Without `pkgConfig`, which would complain where libnats is not installed and not needed.
    .systemLibrary(name: "CNATS", providers: [.apt(["libnats-dev"])]),
    library("Signals", ["CLinux"]),
    library("Spelling", []),
    library("Documents", ["Spelling", yams]),
    library("DBus", ["CDBus", "Signals"]),
    library("Bluetooth", ["Spelling", "Signals"]),
    library("HostController", ["CBluetooth", "Bluetooth", "Signals"]),
    library("BlueZInterfaces", ["Bluetooth", "DBus"]),
    library("BlueZ", ["BlueZInterfaces", "Bluetooth", "DBus", "Signals"]),
    library("SimulatedDevices", ["Documents", "Spelling", "Bluetooth", "Signals"]),
    library(
      "BlueZSimulator",
      ["SimulatedDevices", "BlueZInterfaces", "Bluetooth", "DBus", "Signals"]
    ),
    library(
      "BLETesting",
      ["SimulatedDevices", "BlueZSimulator", "BlueZ", "DBus", "Bluetooth", "Signals"]
    ),
    library("Jobs", ["Documents", "Spelling", "Bluetooth", "Signals"]),
    library("Journal", ["Jobs", "Signals", grdb]),
    library("WebServer", ["CMicroHTTPD", "Signals"]),
    library("NordicSuites", ["CExpat", "Jobs", "Documents", "Spelling", "Bluetooth", "Signals"]),
    library("Fleet", ["Jobs", "Documents", "Bluetooth", "Signals"]),
    library("FleetNATS", ["Fleet", "Jobs", "Signals", nats]),
    library("SimulatedFleets", ["Fleet", "Bluetooth", "Signals"]),
    library(
      "SimulatedRuns",
      [
        "BlueZ", "BlueZInterfaces", "BlueZSimulator", "SimulatedDevices", "Bluetooth", "DBus",
        "Signals",
      ]
    ),
    .executableTarget(
      name: "blerun-simtest",
      dependencies: ["SimulatedFleets", "SimulatedRuns", "Fleet", "Signals", argumentParser],
      swiftSettings: strict
    ),
    .executableTarget(
      name: "blerun-fuzz",
      dependencies: [
        "BlueZSimulator", "BlueZInterfaces", "SimulatedDevices", "NordicSuites", "Journal", "Jobs",
        "Documents", "DBus", "Bluetooth", "Signals", "CLinux", argumentParser, grdb,
      ],
      swiftSettings: strict
    ),
    library(
      "Program",
      [
        "BlueZ", "BlueZInterfaces", "BlueZSimulator", "SimulatedDevices", "HostController", "Jobs",
        "Journal", "NordicSuites", "Documents", "Bluetooth", "DBus", "Signals", "Spelling",
        "CLinux", argumentParser,
      ]
    ),
    .executableTarget(
      name: "blerun",
      dependencies: ["Program"],
      swiftSettings: strict,
      linkerSettings: whole
    ),
    .target(
      name: "Dashboard",
      dependencies: ["Jobs", "Journal", "Documents", "Bluetooth", "Signals", "WebServer"],
      resources: [
        .embedInCode("Page/Files/index.html"), .embedInCode("Page/Files/login.html"),
        .embedInCode("Page/Files/style.css"), .embedInCode("Page/Files/app.js"),
        .embedInCode("Page/Files/chart.js"),
      ],
      swiftSettings: strict
    ),
    .executableTarget(
      name: "blerun-serve",
      dependencies: [
        "Program", "Dashboard", "WebServer", "Journal", "Jobs", "Bluetooth", "Signals",
      ],
      swiftSettings: strict,
      linkerSettings: whole
    ),
    .executableTarget(
      name: "blerun-fleet",
      dependencies: [
        "Program", "FleetNATS", "Fleet", "Journal", "Jobs", "BlueZ", "Bluetooth", "Signals",
        argumentParser,
      ],
      swiftSettings: strict,
      linkerSettings: whole
    ),
    .target(name: "CBenchmarkPeers", dependencies: ["CDBus"]),
    .executableTarget(
      name: "benchmarks",
      dependencies: [
        "CBenchmarkPeers", "SimulatedFleets", "FleetNATS", "Fleet", "BlueZ", "BlueZSimulator",
        "SimulatedDevices", "Jobs", "Bluetooth", "DBus", "Signals",
      ],
      swiftSettings: strict,
      linkerSettings: whole
    ),
    // What several test targets build their fixtures with; no source may import it.
    .target(
      name: "Fixtures",
      dependencies: ["Documents", "Signals"],
      path: "Tests/Fixtures",
      swiftSettings: strict
    ),
    tests("SignalsTests", ["Fixtures", "Signals"]),
    tests("SpellingTests", ["Spelling"]),
    tests("DocumentsTests", ["Documents"]),
    tests("DBusTests", ["Fixtures", "CDBus", "DBus", "Signals"]),
    tests(
      "SimulatedDevicesTests",
      ["Fixtures", "SimulatedDevices", "Documents", "Bluetooth", "Signals"]
    ),
    tests(
      "SimulationTests",
      [
        "Fixtures", "BlueZInterfaces", "BlueZ", "BlueZSimulator", "SimulatedDevices", "Bluetooth",
        "DBus", "Signals",
      ]
    ),
    tests(
      "BlueZSimulatorTests",
      [
        "Fixtures", "BlueZSimulator", "SimulatedDevices", "BlueZInterfaces", "Bluetooth", "DBus",
        "Signals",
      ]
    ),
    tests(
      "SimulatedRunsTests",
      [
        "SimulatedRuns", "BlueZSimulator", "SimulatedDevices", "Bluetooth", "DBus", "Signals",
      ]
    ),
    tests(
      "FleetTests",
      [
        "Fixtures", "SimulatedFleets", "FleetNATS", "Fleet", "Jobs", "Bluetooth", "Signals",
      ]
    ),
    tests("JobsTests", ["Fixtures", "Jobs", "Documents", "Bluetooth", "Signals"]),
    tests(
      "JournalTests",
      ["Fixtures", "Journal", "Jobs", "Documents", "Bluetooth", "Signals", grdb]
    ),
    tests(
      "NordicSuitesTests",
      [
        "Fixtures", "NordicSuites", "BLETesting", "BlueZ", "BlueZSimulator", "SimulatedDevices",
        "Jobs", "Documents", "Bluetooth", "Signals",
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
    tests("HostControllerTests", ["HostController", "Bluetooth", "Signals"]),
    tests(
      "CommandTests",
      [
        "Fixtures", "blerun", "blerun-serve", "blerun-fleet", "Program", "BlueZ", "Bluetooth",
        "DBus", "Documents",
        "Jobs", "Journal",
        "NordicSuites", "Signals", grdb,
      ]
    ),
    tests("HouseRulesTests", ["Fixtures"]),
    // The code of docs/tutorials, compiled as a package of somebody else's would be.
    .testTarget(
      name: "TutorialTests",
      dependencies: ["BLETesting", "BlueZ", "Bluetooth", "Signals"],
      swiftSettings: [.swiftLanguageMode(.v6), .treatAllWarnings(as: .error)]
    ),
    tests("BluetoothTests", ["Bluetooth", "Signals"]),
    tests(
      "BLETestingTests",
      [
        "BLETesting", "BlueZ", "BlueZSimulator", "Bluetooth", "DBus", "Signals", "SimulatedDevices",
      ]
    ),
    tests("BlueZTests", ["Fixtures", "BlueZ", "BlueZInterfaces", "Bluetooth", "DBus", "Signals"]),
  ]
)
