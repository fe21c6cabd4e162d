// What is fuzzed: something that takes inputs, each made of a seed and a number.

import Signals

/// A part of the program that gets hostile inputs.
protocol FuzzTarget {
  /// How many inputs, from a number divisible by it on, go to the same world.
  static var roundLength: UInt64 { get }

  /// - Throws: When what the inputs are made of cannot be read.
  init(seed: UInt64) throws

  /// The input of a number, for people.
  func input(_ number: UInt64) -> String

  /// Gives the input of `number` to the part; true when it was taken, not refused.
  ///
  /// - Throws: ``Violation`` when a promise was broken.
  mutating func take(_ number: UInt64) throws -> Bool
}

extension FuzzTarget {
  static var roundLength: UInt64 { 1 }
}

/// A promise that was broken.
struct Violation: Error, CustomStringConvertible {
  let description: String
}

/// The targets by their names.
enum TargetName: String, CaseIterable {
  case deviceFiles = "device-files"
  case chainFiles = "chain-files"
  case batchFiles = "batch-files"
  case csv
  case suites
  case journals
  case messages

  var target: any FuzzTarget.Type {
    switch self {
    case .deviceFiles: DeviceFiles.self
    case .chainFiles: ChainFiles.self
    case .batchFiles: BatchFiles.self
    case .csv: Tables.self
    case .suites: SuiteFiles.self
    case .journals: JournalFiles.self
    case .messages: Messages.self
    }
  }
}

extension SeededGenerator {
  /// The generator of one input of a target.
  init(_ target: String, seed: UInt64, number: UInt64) {
    self = SeededGenerator(seed: seed &+ number &* 0x9e37_79b9_7f4a_7c15, name: target)
  }

  /// One of `choices`, which has some.
  mutating func pick<Element>(_ choices: [Element]) -> Element {
    choices[Int.random(in: 0..<choices.count, using: &self)]
  }

  /// Whether an event of this chance in `of` happens.
  mutating func hits(_ chance: Int, in of: Int) -> Bool {
    Int.random(in: 0..<of, using: &self) < chance
  }
}
