// What a shell completes from the simulated devices that a command line names.

import ArgumentParser
import Bluetooth
import Jobs
import SimulatedDevices

/// Words for a shell: names of the devices of `--simulate`, and of their characteristics.
///
/// Files that cannot be read have none: a shell has no place for what is wrong with them.
struct SimulatedWords {
  private let definitions: [DeviceDefinition]
  private let names: AttributeNames

  private init(_ words: [String]) {
    definitions = Self.values(of: "--simulate", in: words)
      .flatMap { (try? ScenarioFile.load(path: $0))?.devices ?? [] }
    names = Self.values(of: "--names", in: words).reduce(.assigned) { names, path in
      (try? AttributeNames(file: path))?.over(names) ?? names
    }
  }

  /// The values of an option; without the quotes that a shell leaves.
  private static func values(of option: String, in words: [String]) -> [String] {
    var values: [String] = []
    for (index, word) in words.enumerated() {
      if word == option, index + 1 < words.count { values.append(words[index + 1]) }
      if word.hasPrefix(option + "=") { values.append(String(word.dropFirst(option.count + 1))) }
    }
    return values.map { $0.filter { $0 != "\"" && $0 != "'" } }
  }

  private var deviceNames: [String] { definitions.compactMap(\.name) }

  private var characteristicNames: [String] {
    var found: [String] = []
    for service in definitions.flatMap({ AttributeTable($0).services }) {
      for characteristic in service.characteristics {
        let name =
          names.name(of: characteristic.uuid, .characteristic) ?? "\(characteristic.uuid)"
        if !found.contains(name) { found.append(name) }
      }
    }
    return found
  }

  static var devices: CompletionKind {
    .custom { words, _, _ in SimulatedWords(words).deviceNames }
  }

  static var characteristics: CompletionKind {
    .custom { words, _, _ in SimulatedWords(words).characteristicNames }
  }

  /// Arguments that are characteristics, behind a device or not.
  static var devicesAndCharacteristics: CompletionKind {
    .custom { words, _, _ in
      let found = SimulatedWords(words)
      return found.deviceNames + found.characteristicNames
    }
  }
}
