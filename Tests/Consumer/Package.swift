// swift-tools-version: 6.2

// A package that depends on blerun, as another project's would, and is tested optimised: what is
// promised of release builds is tested here, without compiling every other test again. It depends
// on all traits, and so shares what the release build of the program has compiled.

import PackageDescription

let package = Package(
  name: "consumer",
  dependencies: [.package(name: "blerun", path: "../..")],
  targets: [
    // Chains, as docs/swift.md runs them.
    .testTarget(
      name: "ChainTests",
      dependencies: [
        .product(name: "BLETesting", package: "blerun"),
        .product(name: "Bluetooth", package: "blerun"),
        .product(name: "Documents", package: "blerun"),
        .product(name: "Jobs", package: "blerun"),
        .product(name: "Signals", package: "blerun"),
      ],
      exclude: ["soil.yaml"]
    ),
    // The sample docs/samples/swift.
    .target(
      name: "Garden",
      dependencies: [
        .product(name: "BlueZ", package: "blerun"),
        .product(name: "Bluetooth", package: "blerun"),
        .product(name: "Jobs", package: "blerun"),
        .product(name: "Signals", package: "blerun"),
      ]
    ),
    .testTarget(
      name: "GardenTests",
      dependencies: [
        "Garden",
        .product(name: "BLETesting", package: "blerun"),
        .product(name: "Bluetooth", package: "blerun"),
        .product(name: "Jobs", package: "blerun"),
        .product(name: "Signals", package: "blerun"),
      ],
      exclude: ["sensor.yaml"]
    ),
    .testTarget(name: "DepthTests", dependencies: [.product(name: "Signals", package: "blerun")]),
    .testTarget(name: "MeasurementTests"),
    .testTarget(
      name: "PromiseTests",
      dependencies: [
        .product(name: "BLETesting", package: "blerun"),
        .product(name: "Bluetooth", package: "blerun"),
        .product(name: "Signals", package: "blerun"),
      ]
    ),
    // The example of docs/testing.md.
    .testTarget(
      name: "ThermometerTests",
      dependencies: [
        .product(name: "BLETesting", package: "blerun"),
        .product(name: "Bluetooth", package: "blerun"),
        .product(name: "Signals", package: "blerun"),
      ],
      exclude: ["thermometer.yaml"]
    ),
  ]
)
