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

let package = Package(
  name: "blerun",
  products: [
    .library(name: "Signals", targets: ["Signals"])
  ],
  targets: [
    .systemLibrary(name: "CLinux"),
    .target(name: "Signals", dependencies: ["CLinux"], swiftSettings: strict),
    .testTarget(name: "SignalsTests", dependencies: ["Signals"], swiftSettings: strict),
  ]
)
