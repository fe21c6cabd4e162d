// The chain that a command line asks for.

import Bluetooth
import Documents
import Jobs
import SimulatedDevices

/// The steps of the command line, or what the chain of a file is read with.
struct RequestedChain {
  /// Instead of a file.
  var steps: [String] = []
  /// Values for the variables of the chain.
  var bindings = Bindings()
  /// Names for UUIDs.
  var names = AttributeNames.assigned

  /// Reads a chain.
  ///
  /// - Parameter file: Its file, `-` for standard input; nil for the steps.
  /// - Throws: ``Ending`` with everything that is wrong with it.
  func plan(_ file: String?) throws(Ending) -> Plan {
    guard let file else { return try planOfSteps() }
    do {
      return try file == "-"
        ? Plan.parse(TextFile.read("/dev/stdin"), file: "-", with: bindings, names: names)
        : Plan(file: file, with: bindings, names: names)
    } catch {
      throw Ending(wrongFiles: error.diagnostics(of: file, readAs: .chain))
    }
  }

  private func planOfSteps() throws(Ending) -> Plan {
    let line = steps.joined(separator: "\n")
    do {
      return try Plan.parse(line: line, with: bindings, names: names, includesFiles: true)
    } catch {
      throw Ending(wrongFiles: error.diagnostics(about: line))
    }
  }
}

extension Plan {
  /// The device that a chain is for: the one it names, or the only simulated one.
  ///
  /// - Throws: ``Ending`` when none is named.
  func target(among simulated: ScenarioDefinition) throws(Ending) -> DeviceTarget {
    if let device { return device }
    if onlyScans { return .any }
    guard let only = simulated.devices.first, simulated.devices.count == 1 else {
      throw Ending(.usage, "no device is named (expected -d DEVICE, or device: in the file)")
    }
    return only.name.map { .name($0) } ?? .address(only.address)
  }
}
