// What kind of file it is, found from its content.

import Bluetooth
import Documents
import Glibc
import Jobs
import NordicSuites
import SimulatedDevices

/// What a file given to `blerun check` is meant to be.
enum FileKind {
  case suite
  case batch
  /// A simulated device, or a scenario.
  case scenario
  case chain
  /// Names for UUIDs.
  case names

  /// Suites are known by their XML, batches, scenarios and names by their keys; the rest are chains, also
  /// what cannot be read: its complaint comes from the reading. What can be read only once, a pipe,
  /// is a chain.
  init(of path: String) {
    var facts = stat()
    self =
      if stat(path, &facts) == 0, facts.st_mode & S_IFMT != S_IFREG {
        .chain
      } else if Suite.isMeant(at: path) {
        .suite
      } else if Batch.isMeant(at: path) {
        .batch
      } else if ScenarioFile.isMeant(at: path) {
        .scenario
      } else if AttributeNames.isMeant(at: path) {
        .names
      } else {
        .chain
      }
  }
}

extension DocumentErrors {
  /// What is wrong with a file, for a person. A file of another kind is not wrong in each of its
  /// keys: the message names the command that reads it.
  ///
  /// - Parameters:
  ///   - path: The file.
  ///   - kind: What it was read as.
  func diagnostics(of path: String, readAs kind: FileKind) -> [Diagnostic] {
    let found = FileKind(of: path)
    guard found != kind, let advice = found.advice(for: path) else { return diagnostics() }
    return [Diagnostic(text: "\(path): \(advice)")]
  }
}

extension FileKind {
  /// What it is, and what reads it; nil for a file that only may be a chain.
  fileprivate func advice(for path: String) -> String? {
    switch self {
    case .suite: "this is an nRF Connect suite: use blerun run \(path)"
    case .batch: "this is a batch: use blerun batch \(path)"
    case .scenario: "this is a simulated device or a scenario: use --simulate \(path)"
    case .names: "these are names for UUIDs: use --names \(path)"
    case .chain:
      Plan.isMeant(at: path) ? "this is a chain, without 'devices': use blerun run \(path)" : nil
    }
  }
}

extension Plan {
  /// Whether a file has steps and no devices.
  fileprivate static func isMeant(at path: String) -> Bool {
    guard let text = try? TextFile.read(path), let root = try? Document.parse(text, file: path),
      let keys = root.mapping?.map(\.key)
    else { return false }
    return keys.contains("steps") && !keys.contains("devices")
  }
}
