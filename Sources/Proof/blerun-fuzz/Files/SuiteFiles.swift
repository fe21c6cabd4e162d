// Damaged nRF Connect suites.

import Documents
import NordicSuites
import Signals

/// Feeds damaged XML to the suite parser, then prints the accepted suites and converts them to
/// chains.
struct SuiteFiles: FuzzTarget {
  private let seed: UInt64
  private let corpus: Corpus

  init(seed: UInt64) throws {
    self.seed = seed
    corpus = try Corpus(["docs/examples/nordic/*.xml"])
  }

  func input(_ number: UInt64) -> String { makeInput(number) }

  func feed(_ number: UInt64) throws -> Bool {
    let text = makeInput(number)
    let suite: Suite
    do {
      suite = try Suite.parse(
        text, file: "suite.xml", variables: [("ADDRESS", "C0:FF:EE:00:00:04")]
      )
    } catch {
      guard !error.problems.isEmpty else {
        throw BrokenPromise(description: "the suite is refused without a reason")
      }
      return false
    }
    // The lines of a dry run, and of a conversion.
    guard suite.lines.allSatisfy({ !$0.isEmpty && !$0.contains("\n") }) else {
      throw BrokenPromise(description: "an operation shows as nothing, or as several lines")
    }
    for chain in suite.chains() where chain.lines.contains(where: { $0.contains("\n") }) {
      throw BrokenPromise(description: "a line of a chain has a line end in it")
    }
    return true
  }

  private func makeInput(_ number: UInt64) -> String {
    var generator = SeededGenerator("suites", seed: seed, number: number)
    var text = generator.pick(corpus.files).octets
    // The general damage or the XML-specific one; often both.
    if generator.hits(2, in: 3) { MarkupDamage.damage(&text, with: corpus, &generator) }
    if generator.hits(1, in: 2) { text = Mutation.damaged(text, with: corpus, &generator) }
    return String(decoding: text, as: UTF8.self)
  }
}
