// Damaged device and scenario files.

import Documents
import Signals
import SimulatedDevices

/// Feeds damaged files to the parser of device and scenario files, and plays some of the accepted
/// ones.
struct DeviceFiles: FuzzTarget {
  /// One of this many accepted files is played: playing costs more than parsing a hundred.
  private static let played: UInt64 = 32

  private let seed: UInt64
  private let corpus: Corpus

  init(seed: UInt64) throws {
    self.seed = seed
    corpus = try Corpus(["Simulators/devices/*.yaml", "Simulators/scenarios/*.yaml"])
  }

  func input(_ number: UInt64) -> String {
    let (path, text) = makeInput(number)
    return "# \(path), damaged\n\(text)"
  }

  func feed(_ number: UInt64) throws -> Bool {
    let (path, text) = makeInput(number)
    let scenario: ScenarioDefinition
    do {
      scenario = try ScenarioFile.parse(text, file: path)
    } catch {
      guard !error.problems.isEmpty else {
        throw BrokenPromise(description: "the file is refused without a reason")
      }
      return false
    }
    if number % Self.played == 0 { try PlayedWorld(scenario, seed: number).play() }
    return true
  }

  private func makeInput(_ number: UInt64) -> (path: String, text: String) {
    var generator = SeededGenerator("device-files", seed: seed, number: number)
    // A scenario reads the device files that it names each time, which is slow.
    let file = generator.pick(corpus.files)
    let octets = Mutation.damaged(file.octets, with: corpus, &generator)
    return (file.path, String(decoding: octets, as: UTF8.self))
  }
}
