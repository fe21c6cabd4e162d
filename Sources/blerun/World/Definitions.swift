// Reading device definitions for the commands.

import ArgumentParser
import Documents
import SimulatedDevices

/// Loads the devices of all files, or says everything that is wrong with them and ends with 65.
func loadDevices(_ files: [String]) throws(ExitCode) -> [DeviceDefinition] {
  var definitions: [DeviceDefinition] = []
  var isWrong = false
  for file in files {
    do {
      definitions += try DeviceFile.load(path: file)
    } catch {
      isWrong = true
      StandardError.line("\(error)")
    }
  }
  guard !isWrong else { throw ExitCode(65) }
  return definitions
}
