// swift-tools-version: 6.2

import PackageDescription

/// What every Swift target is compiled with.
let strict: [SwiftSetting] = [
  .swiftLanguageMode(.v6),
  .treatAllWarnings(as: .error),
  .enableUpcomingFeature("ExistentialAny"),
  .enableUpcomingFeature("InternalImportsByDefault"),
  .enableUpcomingFeature("MemberImportVisibility"),
]

/// A library target of this package; its arrows are the ones the architecture page allows.
func library(_ name: String, _ dependencies: [Target.Dependency]) -> Target {
  .target(name: name, dependencies: dependencies, swiftSettings: strict)
}

/// The tests of the target of the same name.
func tests(_ name: String, _ dependencies: [Target.Dependency]) -> Target {
  .testTarget(name: name, dependencies: dependencies, swiftSettings: strict)
}

let package = Package(
  name: "blerun",
  products: [
    .library(name: "Signals", targets: ["Signals"]),
    .library(name: "DBus", targets: ["DBus"]),
    .library(name: "Bluetooth", targets: ["Bluetooth"]),
    .library(name: "BlueZ", targets: ["BlueZ"]),
  ],
  targets: [
    .systemLibrary(name: "CLinux"),
    .systemLibrary(name: "CDBus", pkgConfig: "dbus-1", providers: [.apt(["libdbus-1-dev"])]),
    library("Signals", ["CLinux"]),
    library("DBus", ["CDBus", "Signals"]),
    library("Bluetooth", ["Signals"]),
    library("BlueZInterfaces", ["Bluetooth", "DBus"]),
    library("BlueZ", ["BlueZInterfaces", "Bluetooth", "DBus", "Signals"]),
    tests("SignalsTests", ["Signals"]),
    tests("DBusTests", ["DBus", "Signals"]),
    tests("BlueZTests", ["BlueZ", "BlueZInterfaces", "Bluetooth", "DBus", "Signals"]),
  ]
)
