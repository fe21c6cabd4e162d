// What kind of file it is, found from its content.

import Bluetooth
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
