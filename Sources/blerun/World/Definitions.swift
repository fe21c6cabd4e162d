// Reading device definitions for the commands.

import Documents
import SimulatedDevices

/// Loads the devices of all files.
///
/// - Throws: ``Ending`` with everything that is wrong with them.
func loadDevices(_ files: [String]) throws(Ending) -> [DeviceDefinition] {
  var definitions: [DeviceDefinition] = []
  var complaints: [String] = []
  for file in files {
    do {
      definitions += try DeviceFile.load(path: file)
    } catch {
      complaints += error.problems.map(\.description)
    }
  }
  for (index, definition) in definitions.enumerated()
  where definitions[..<index].contains(where: { $0.address == definition.address }) {
    complaints.append("\(definition.address) is the address of two devices")
  }
  guard complaints.isEmpty else { throw Ending(wrongFiles: complaints) }
  return definitions
}
