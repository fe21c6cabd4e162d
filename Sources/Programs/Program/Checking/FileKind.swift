// What kind of file it is, found from its content.

import Documents
import Jobs
import NordicSuites
import SimulatedDevices

/// What a file on the command line is meant to be.
enum FileKind {
  case suite
  case batch
  /// A simulated device, or a scenario.
  case scenario
  /// Names for UUIDs, and keys of devices.
  case names
  /// Steps, and no devices.
  case chain
  /// Anything else, also what cannot be read, or only once, such as a pipe. It is read as a chain,
  /// which reports what is wrong.
  case unknown

  /// Suites are known by their XML, the others by their keys.
  init(of path: String) {
    if Suite.isMeant(at: path) {
      self = .suite
    } else if let keys = Document.keys(at: path) {
      self = Self.kind(by: keys)
    } else {
      self = .unknown
    }
  }

  private static func kind(by keys: [String]) -> FileKind {
    if Batch.isMeant(by: keys) { return .batch }
    if ScenarioFile.isMeant(by: keys) { return .scenario }
    if NamesFile.isMeant(by: keys) { return .names }
    return keys.contains("steps") ? .chain : .unknown
  }
}

extension DocumentErrors {
  /// What is wrong with a file, for a person. A file of another kind is not wrong in each of its
  /// keys: the message names the command that reads it.
  ///
  /// - Parameters:
  ///   - path: The file.
  ///   - kind: What it was read as.
  ///   - reader: What takes only files of that kind; nil to name what reads the file.
  func problems(of path: String, readAs kind: FileKind, by reader: String? = nil) -> [Problem] {
    let found = FileKind(of: path)
    guard found != kind, let (what, advice) = found.advice(for: path) else { return problems }
    return [Problem("\(what): \(reader ?? "use \(advice)")", at: Place(file: path))]
  }
}

extension FileKind {
  /// What it is, and what reads it; nil for one that is not known.
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
