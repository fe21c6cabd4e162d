// Recognises the kind of a file by its content.
//
// It only selects a reader; the reader then finds the errors.

import Documents
import Jobs
import NordicSuites
import SimulatedDevices

/// The kind of a file on the command line.
enum FileKind {
  case suite
  case batch
  /// A simulated device or a scenario.
  case scenario
  /// Names for UUIDs, and keys of devices.
  case names
  /// A chain: steps without devices.
  case chain
  /// Anything else, including unreadable files and pipes, which can be read only once. They are
  /// read as a chain, which then reports the error.
  case unknown

  /// Recognises suites by their XML and the other kinds by their top-level keys.
  init(of path: String) {
    if Suite.recognizes(fileAt: path) {
      self = .suite
    } else if let keys = Document.keys(at: path) {
      self = Self.kind(by: keys)
    } else {
      self = .unknown
    }
  }

  private static func kind(by keys: [String]) -> FileKind {
    if Batch.recognizes(keys: keys) { return .batch }
    if ScenarioFile.recognizes(keys: keys) { return .scenario }
    if NamesFile.recognizes(keys: keys) { return .names }
    return keys.contains("steps") ? .chain : .unknown
  }
}

extension DocumentErrors {
  /// The problems of a file. A file of another kind gets only one, which names the command that
  /// reads it, instead of one for each key.
  ///
  /// - Parameters:
  ///   - path: The file.
  ///   - kind: The kind as which the file was read.
  ///   - reader: The advice of a command that reads only `kind`; nil to name the command for the
  ///     file.
  func problems(of path: String, readAs kind: FileKind, by reader: String? = nil) -> [Problem] {
    let found = FileKind(of: path)
    guard found != kind, let (what, advice) = found.advice(for: path) else { return problems }
    return [Problem("\(what): \(reader ?? "use \(advice)")", at: Place(file: path))]
  }
}

extension FileKind {
  /// The kind in words, and the command that reads it; nil for an unknown kind.
  fileprivate func advice(for path: String) -> (what: String, command: String)? {
    switch self {
    case .suite: ("this is an nRF Connect suite", "blerun run \(path)")
    case .batch: ("this is a batch", "blerun batch \(path)")
    case .scenario: ("this is a simulated device or a scenario", "--simulate \(path)")
    case .names: ("these are names for UUIDs", "--names \(path)")
    case .chain: ("this is a chain, without 'devices'", "blerun run \(path)")
    case .unknown: nil
    }
  }
}
