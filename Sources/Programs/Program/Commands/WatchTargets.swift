// The devices and characteristics on the command line of `blerun watch`, in their order.

import ArgumentParser
import Bluetooth
import Documents
import Jobs
import SimulatedDevices

/// The devices of the command line, each with the characteristics that follow it.
///
/// The parser keeps the order of options and the order of arguments, but not their order among each other. So
/// a mark is inserted among the arguments after each `--device` before they are parsed.
struct WatchTargets {
  /// The mark: NUL, which no argument of a process can contain.
  private static let mark: Character = "\0"

  /// A device with its characteristics, among them perhaps `rssi`; its name is nil if none is given.
  struct Device {
    let name: String?
    var characteristics: [String] = []
  }

  let devices: [Device]
  private let names: AttributeNames

  /// The commands that mix devices and characteristics.
  private static let commands = [WatchCommand.configuration, ServeCommand.configuration]
    .compactMap(\.commandName)

  /// Returns the arguments of the command with a mark after each device.
  static func marked(_ arguments: [String]) -> [String] {
    guard let command = arguments.first, commands.contains(command) else { return arguments }
    var marked: [String] = []
    var rest = arguments[...]
    while let argument = rest.popFirst() {
      marked.append(argument)
      if argument == "--" { break }
      let equals = argument.firstIndex(of: "=") ?? argument.endIndex
      guard ["-d", "--device"].contains(argument[..<equals]) else { continue }
      if equals < argument.endIndex {
        marked.append("\(mark)\(argument[equals...].dropFirst())")
      } else if let name = rest.popFirst() {
        marked += [name, "\(mark)\(name)"]
      }
    }
    return marked + rest
  }

  /// Parses the arguments and the marks among them.
  ///
  /// - Throws: `ValidationError` when a characteristic or its device is missing.
  init(_ words: [String], names: AttributeNames = .assigned) throws {
    self.names = names
    let marked = words.filter { $0.first == Self.mark }.map { String($0.dropFirst()) }
    var devices: [Device] = []
    if marked.count > 1 {
      for word in words {
        if word.first == Self.mark {
          devices.append(Device(name: String(word.dropFirst())))
        } else if devices.isEmpty {
          throw ValidationError("'\(word)': expected --device before it, where several are named.")
        } else {
          devices[devices.count - 1].characteristics.append(word)
        }
      }
    } else {
      var plain = words.filter { $0.first != Self.mark }
      var name = marked.first
      // Without `--device`, a first word that is not a characteristic is the device.
      if name == nil, let first = plain.first, !WatchPlan.isRSSI(first, names),
        (try? CharacteristicSelector(parsing: first, names: names)) == nil
      {
        if plain.count > 1 {
          name = plain.removeFirst()
        } else if DeviceOptions.isDevice(first) {
          throw ValidationError(
            "Missing characteristic after the device '\(first)', such as battery-level."
          )
        }
      }
      devices = [Device(name: name, characteristics: plain)]
    }
    for device in devices where device.characteristics.isEmpty {
      let place = marked.count > 1 ? " after --device \(device.name ?? "")" : ""
      throw ValidationError("Missing characteristic\(place).")
    }
    self.devices = devices
  }

  /// Returns the devices with their characteristics. A device that is named twice appears once.
  ///
  /// - Parameter only: Returns the device if none is named.
  func devices(
    exact isExact: Bool, orElse only: () throws -> DeviceTarget
  ) throws -> [WatchPlan.Device] {
    var found: [WatchPlan.Device] = []
    for device in devices {
      let target = try device.name.map(DeviceTarget.argument) ?? only()
      let chosen = isExact ? target.exact : target
      let strengths = device.characteristics.filter { WatchPlan.isRSSI($0, names) }
      let characteristics = try device.characteristics.filter { !strengths.contains($0) }.map {
        try CharacteristicSelector.argument($0, names)
      }
      let index = found.firstIndex { $0.target == chosen } ?? found.count
      if index == found.count { found.append(WatchPlan.Device(chosen, [])) }
      found[index].characteristics += characteristics
      if !strengths.isEmpty { found[index].measuresRSSI = true }
    }
    return found
  }
}
