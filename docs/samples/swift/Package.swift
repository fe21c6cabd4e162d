// swift-tools-version: 6.2

// A soil sensor, and its tests with a simulated one.

import PackageDescription

let package = Package(
  name: "garden", dependencies: [.package(name: "blerun", path: "../../..")],
  targets: [
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
  ]
)
