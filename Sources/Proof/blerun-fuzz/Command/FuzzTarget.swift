// A part of the program that can be fuzzed. Each input is made from a seed and a number.

import Signals

/// A part of the program that parses untrusted input.
protocol FuzzTarget {
  /// The number of consecutive inputs that share one world. A round begins at each multiple of it.
  static var roundLength: UInt64 { get }

  /// - Throws: If the files that inputs are made from cannot be read.
  init(seed: UInt64) throws

  /// The input of that number as text.
  func input(_ number: UInt64) -> String

  /// Feeds the input of `number` to the parser.
  ///
  /// - Returns: True if it was accepted, not refused.
  /// - Throws: ``BrokenPromise`` when a promise was broken.
  mutating func feed(_ number: UInt64) throws -> Bool
}

extension FuzzTarget {
  static var roundLength: UInt64 { 1 }
}

/// A broken promise.
struct BrokenPromise: Error, CustomStringConvertible {
  let description: String
}

/// The targets, by name.
enum TargetName: String, CaseIterable {
  case deviceFiles = "device-files"
  case chainFiles = "chain-files"
  case batchFiles = "batch-files"
  case csv
  case suites
  case journals
  case messages
  case smp

  var target: any FuzzTarget.Type {
    switch self {
    case .deviceFiles: DeviceFiles.self
    case .chainFiles: ChainFiles.self
    case .batchFiles: BatchFiles.self
    case .csv: Tables.self
    case .suites: SuiteFiles.self
    case .journals: JournalFiles.self
    case .messages: Messages.self
    case .smp: FirmwareFrames.self
    }
  }
}

extension SeededGenerator {
  /// The generator for one input of a target.
  init(_ target: String, seed: UInt64, number: UInt64) {
    self = SeededGenerator(seed: seed &+ number &* 0x9e37_79b9_7f4a_7c15, name: target)
  }

  /// Draws one of `choices`, which must not be empty.
  mutating func pick<Element>(_ choices: [Element]) -> Element {
    choices[Int.random(in: 0..<choices.count, using: &self)]
  }

  /// Draws an event with the probability `chance` in `of`.
  mutating func hits(_ chance: Int, in of: Int) -> Bool {
    Int.random(in: 0..<of, using: &self) < chance
  }
}
