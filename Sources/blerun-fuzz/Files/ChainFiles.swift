// Damaged chain files, and damaged chains on one line.

import Documents
import Jobs
import Signals

/// Gives damaged texts to the readers of chains.
struct ChainFiles: FuzzTarget {
  /// Chains on one line, of every kind of step.
  private static let lines = [
    "connect; read battery-level as b; log \"{b} percent\"; disconnect",
    "write alert-level 01; write 2a06 hex:01ff without-response; sleep 1s",
    "subscribe heart-rate-measurement for 5s; notify 2a37 count 3 within 10s",
    "read 2a19#1 as level u8; expect {level} >= 20; pair; rssi; services",
    "write 'quoted' \"a\\\"b\\\\c\"; read 180f/2a19/2901 as d; wait 100ms",
  ]

  private let seed: UInt64
  private let corpus: Corpus

  init(seed: UInt64) throws {
    self.seed = seed
    corpus = try Corpus(["docs/examples/*.yaml"])
  }

  func input(_ number: UInt64) -> String {
    let (isLine, text) = made(number)
    return (isLine ? "# one line\n" : "# a file\n") + text
  }

  func take(_ number: UInt64) throws -> Bool {
    let (isLine, text) = made(number)
    do {
      let plan = isLine ? try Plan.parse(line: text) : try Plan.parse(text, file: "chain.yaml")
      // What a dry run shows.
      for placed in plan.placedSteps where "\(placed.step)".isEmpty {
        throw Violation(description: "a step shows as nothing")
      }
      return true
    } catch let errors as DocumentErrors {
      guard !errors.problems.isEmpty else {
        throw Violation(description: "the chain is refused without a reason")
      }
      return false
    }
  }

  private func made(_ number: UInt64) -> (isLine: Bool, text: String) {
    var generator = SeededGenerator("chain-files", seed: seed, number: number)
    let isLine = generator.hits(1, in: 2)
    let text =
      isLine ? Array(generator.pick(Self.lines).utf8) : generator.pick(corpus.files).octets
    let damaged = Mutation.damaged(text, with: corpus, &generator)
    return (isLine, String(decoding: damaged, as: UTF8.self))
  }
}
