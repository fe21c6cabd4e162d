// Damaged device and scenario files.

import Documents
import Signals
import SimulatedDevices

/// Gives damaged files to the reader of device and scenario files; some of those that it takes are
/// then played.
struct DeviceFiles: FuzzTarget {
  /// One of so many files that are taken is played: that costs more than reading a hundred.
  private static let played: UInt64 = 32

  private let seed: UInt64
  private let corpus: Corpus

  init(seed: UInt64) throws {
    self.seed = seed
    corpus = try Corpus(["Simulators/devices/*.yaml", "Simulators/scenarios/*.yaml"])
  }

  func input(_ number: UInt64) -> String {
    let (path, text) = made(number)
    return "# \(path), damaged\n\(text)"
  }

  func take(_ number: UInt64) throws -> Bool {
    let (path, text) = made(number)
    let scenario: ScenarioDefinition
    do {
      scenario = try ScenarioFile.parse(text, file: path)
    } catch {
      guard !error.problems.isEmpty else {
        throw Violation(description: "the file is refused without a reason")
      }
      return false
    }
    if number % Self.played == 0 { try PlayedWorld(scenario, seed: number).play() }
    return true
  }

  private func made(_ number: UInt64) -> (path: String, text: String) {
    var generator = SeededGenerator("device-files", seed: seed, number: number)
    // A scenario names device files: they are read each time, which is slow.
    let file = generator.pick(corpus.files)
    let octets = Mutation.damaged(file.octets, with: corpus, &generator)
    return (file.path, String(decoding: octets, as: UTF8.self))
  }
}
