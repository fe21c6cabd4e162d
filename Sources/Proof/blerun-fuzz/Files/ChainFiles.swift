// Damaged chain files, and damaged one-line chains.

import Documents
import Jobs
import Signals

/// Feeds damaged texts to the chain parsers.
struct ChainFiles: FuzzTarget {
  /// One-line chains with every kind of step.
  private static let lines = [
    "connect; read battery-level as b; log \"{b} percent\"; disconnect",
    "write alert-level 01; write 2a06 hex:01ff without-response; sleep 1s",
    "subscribe heart-rate-measurement for 5s; notify 2a37 count 3 within 10s",
    "read 2a19#1 as level u8; expect {level} >= 20; pair; rssi; services",
    "write 'quoted' \"a\\\"b\\\\c\"; read 180f/2a19/2901 as d; wait 100ms",
    "read 2a19 as b; repeat 2 { sleep 1s; when b.percent > 3 { log {b} } }; write 2a06 u8:{b.percent}",
    "try { notify 2a37 after { write 2a39 u8:1 } until 5x until silence 2s } finally { rssi }",
    "poll 2a19 every 1s until percent <= 20 for 1m expect latency-p95 < 2s expect percent counts 8",
    "combine { notify 2a37 as h; poll 2a19 every 5s as b } for 9s expect h.bpm & 0xf0 = 0x30 as c",
    "repeat 2 { read ff01 expect u8 counts 8 gaps 1 }; include a.yaml with level='a = {b}'",
    "exchange ff01 hex:02 answer ff02 where hex ~ 01??ff; read {target} expect percent in {a}..{b}",
  ]

  /// Chain files with the kinds of steps that no example has.
  private static let files = [
    """
    variables: { level: { type: integer, default: 1 }, pause: 1s, target: battery-level }
    environment: [HOME]
    device: { name: "{target}*" }
    steps:
    - try:
      - { write: alert-level, value: [ { u8: "{level}" }, { utf8: "{{x" } ], timeout: "{pause}" }
      - { repeat: "{level}", steps: [ { sleep: "{pause}" } ] }
      finally: [ disconnect ]
    - { include: other.yaml, with: { level: 2 } }
    """,
    """
    steps:
    - { poll: battery-level, every: 1s, until: { count: 3, silence: 2s }, as: p }
    - combine: [ { notify: 2a37, as: h }, { poll: 2a19, every: 5s, as: b } ]
      for: 10s
      expect: { h.bpm: { mask: [0xf0, 0x30], counter: { bits: 8, gaps: 1 } }, silence: { max: 2s } }
      as: both
    - when: { both.h.bpm: { above: "{p.percent}" }, p.latency-p95: { below: 1s } }
      steps: [ { log: "{both.h.bpm} {p.count}" }, { read: 2a19, expect: { hex: { like: "0?" } } } ]
    """,
  ]

  /// Values for variables, as in a table of devices.
  private static let values = [
    "", "1", "2s", "battery-level", "{level}", "}{", "a: [b]", "\"; rssi",
  ]

  private let seed: UInt64
  private let corpus: Corpus

  init(seed: UInt64) throws {
    self.seed = seed
    corpus = try Corpus(["docs/examples/*.yaml"])
  }

  func input(_ number: UInt64) -> String {
    let (isLine, text) = makeInput(number)
    return (isLine ? "# one line\n" : "# a file\n") + text
  }

  func feed(_ number: UInt64) throws -> Bool {
    let (isLine, text) = makeInput(number)
    let bindings = bindings(number)
    do {
      let plan =
        isLine
        ? try Plan.parse(line: text, with: bindings)
        : try Plan.parse(text, file: "chain.yaml", with: bindings)
      // The lines of a dry run.
      for placed in plan.placedSteps where "\(placed.step)".isEmpty {
        throw BrokenPromise(description: "a step shows as nothing")
      }
      return true
    } catch let errors as DocumentErrors {
      guard !errors.problems.isEmpty else {
        throw BrokenPromise(description: "the chain is refused without a reason")
      }
      return false
    }
  }

  /// Values for some of the variables in the chains above.
  private func bindings(_ number: UInt64) -> Bindings {
    var generator = SeededGenerator("chain-values", seed: seed, number: number)
    var bindings = Bindings()
    for name in ["level", "pause", "target", "a", "b"] where generator.hits(1, in: 4) {
      let mustBeKnown = generator.hits(1, in: 8)
      bindings.bind(name, to: generator.pick(Self.values), from: "fuzz", mustBeKnown: mustBeKnown)
    }
    return bindings
  }

  private func makeInput(_ number: UInt64) -> (isLine: Bool, text: String) {
    var generator = SeededGenerator("chain-files", seed: seed, number: number)
    let isLine = generator.hits(1, in: 2)
    let text =
      if isLine {
        Array(generator.pick(Self.lines).utf8)
      } else if generator.hits(1, in: 4) {
        Array(generator.pick(Self.files).utf8)
      } else {
        generator.pick(corpus.files).octets
      }
    let damaged = Mutation.damaged(text, with: corpus, &generator)
    return (isLine, String(decoding: damaged, as: UTF8.self))
  }
}
