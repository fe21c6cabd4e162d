// The connections of gateways to simulated devices, from the logs of their buses.
//
// Each gateway simulates devices of its own, and logs each message of its bus at once, so that the log
// has all that a killed gateway did. The times of a log count from the start of its process; its last
// line was written when the file was changed last, which places it on the wall clock of the host.

import Foundation
import Glibc

/// The operations of one gateway process on one device, from a connect to the end of the connection.
struct GatewaySpell {
  enum Operation: Equatable { case connect, read, write(String) }

  struct Done {
    let operation: Operation
    let at: Double
    /// When it succeeded; nil when it failed, or no reply came.
    var succeededAt: Double?
  }

  /// The index of the process.
  let process: Int
  var operations: [Done]
  /// When the connection was down again.
  var downAt: Double?

  var begun: Double { operations[0].at }

  /// How many operations succeeded, from the first without a gap.
  var succeeded: Int { operations.prefix { $0.succeededAt != nil }.count }

  func count(_ operation: Operation) -> Int { operations.count { $0.operation == operation } }
}

/// The spells of one gateway process.
struct GatewayEvidence {
  /// By the device, as in `C0_FF_EE_10_00_02`.
  private(set) var spells: [String: [GatewaySpell]] = [:]
  private let process: Int
  /// Calls without a reply: the device, the spell and its operation.
  private var open: [Substring: (device: String, spell: Int, operation: Int)] = [:]

  /// Reads a log.
  init(_ path: String, process: Int) throws {
    self.process = process
    let text = try String(contentsOfFile: path, encoding: .utf8)
    var status = stat()
    stat(path, &status)
    let written = Double(status.st_mtim.tv_sec) + Double(status.st_mtim.tv_nsec) / 1e9
    let lines = text.split(separator: "\n")
    guard let last = lines.last, let end = Self.time(last) else { return }
    for line in lines {
      let parts = line.split(separator: " ", maxSplits: 8)
      guard parts.count > 5, let time = Self.time(line) else { continue }
      take(parts, at: written - end + time)
    }
  }

  private static func time(_ line: Substring) -> Double? {
    Double(line.prefix { $0 != " " })
  }

  /// A line: its time, the sender, an arrow, the destination, and the message.
  private mutating func take(_ parts: [Substring], at time: Double) {
    if parts[4] == "call", parts[3] == "org.bluez", parts.count > 7,
      let device = Self.device(parts[6]), let operation = Self.operation(parts[7])
    {
      begin(operation, of: device, call: "\(parts[1]) \(parts[5])", at: time)
    } else if parts[4] == "reply", parts.count > 6,
      let call = open.removeValue(forKey: "\(parts[3]) \(parts[6])")
    {
      spells[call.device]?[call.spell].operations[call.operation].succeededAt = time
    } else if parts[4] == "signal", parts.count > 7, let device = Self.device(parts[5]),
      parts[6].hasSuffix("PropertiesChanged(\"org.bluez.Device1\","),
      parts[7...].joined(separator: " ").contains("\"Connected\": <false>"),
      let index = spells[device]?.indices.last
    {
      spells[device]?[index].downAt = time
    }
  }

  private mutating func begin(
    _ operation: GatewaySpell.Operation, of device: String, call: String, at time: Double
  ) {
    let done = GatewaySpell.Done(operation: operation, at: time)
    if operation == .connect || spells[device] == nil {
      spells[device, default: []].append(GatewaySpell(process: process, operations: [done]))
    } else if let index = spells[device]?.indices.last {
      spells[device]?[index].operations.append(done)
    }
    let index = (spells[device]?.count ?? 1) - 1
    let last = (spells[device]?[index].operations.count ?? 1) - 1
    open[Substring(call)] = (device, index, last)
  }

  /// The device of an object path.
  private static func device(_ path: Substring) -> String? {
    let part = path.split(separator: "/").first { $0.hasPrefix("dev_") }
    return part.map { String($0.dropFirst(4)) }
  }

  private static func operation(_ call: Substring) -> GatewaySpell.Operation? {
    if call.hasPrefix("org.bluez.Device1.Connect(") { return .connect }
    if call.hasPrefix("org.bluez.GattCharacteristic1.ReadValue(") { return .read }
    guard call.hasPrefix("org.bluez.GattCharacteristic1.WriteValue(") else { return nil }
    return .write(String(call.split(separator: "(")[1].prefix { $0 != "," }))
  }
}
