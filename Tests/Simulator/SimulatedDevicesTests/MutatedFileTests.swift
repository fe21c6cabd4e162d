// Device files with random characters changed.

import Bluetooth
import Documents
import Fixtures
import Foundation
import Signals
import SimulatedDevices
import Testing

@Suite("Mutated device files")
struct MutatedFileTests {
  /// Changes one or two characters: removed, doubled, or replaced by one that YAML knows.
  func mutated(_ text: String, _ generator: inout SeededGenerator) -> String {
    var characters = Array(text)
    for _ in 0..<Int.random(in: 1...2, using: &generator) {
      let index = characters.indices.randomElement(using: &generator) ?? 0
      switch Int.random(in: 0..<3, using: &generator) {
      case 0: characters.remove(at: index)
      case 1: characters.insert(characters[index], at: index)
      default: characters[index] = "0179-[]{}:,'\"&* \n".randomElement(using: &generator) ?? "-"
      }
    }
    return String(characters)
  }

  /// Subscribes to everything, reads and writes everything, and lets time pass.
  func exercise(_ definition: DeviceDefinition) throws {
    let bench = DeviceBench(definition)
    for characteristic in bench.device.table.services.flatMap(\.characteristics) {
      _ = bench.device.subscribe(characteristic.handle, .notification)
      _ = bench.device.write(characteristic.handle, [1], withResponse: true)
    }
    try bench.run(to: 1001)
    for handle in 0..<UInt16(64) {
      if case .success(let value) = bench.device.read(handle) { #expect(value.count <= 512) }
    }
    #expect((-127...20).contains(bench.device.advertisement().rssi))
  }

  @Test(
    "each mutated file runs, or is rejected with the place of its error",
    arguments: sampled(0..<8 as Range<UInt64>)
  )
  func mutations(seed: UInt64) throws {
    var read = 0
    var refused = 0
    for file in ShippedDeviceTests.files {
      let path = ShippedDeviceTests.folder.appending(path: file)
      let text = try String(contentsOf: path, encoding: .utf8)
      var generator = SeededGenerator(seed: seed, name: file)
      for _ in 0..<40 {
        do {
          for definition in try DeviceFile.parse(mutated(text, &generator), file: path.path) {
            try exercise(definition)
          }
          read += 1
        } catch let errors as DocumentErrors {
          #expect(!errors.problems.isEmpty)
          for place in errors.problems.map(\.place) {
            #expect(place?.file.contains("/devices/") == true && place?.line ?? 0 > 0)
          }
          refused += 1
        }
      }
    }
    #expect(read > 0 && refused > 0, "expected both outcomes: \(read) read, \(refused) refused")
  }
}
