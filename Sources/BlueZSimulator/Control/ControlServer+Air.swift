// The methods of blerun.Simulator1 about RSSI and adapters.

import Bluetooth
import DBus
import Signals
import SimulatedDevices

extension ControlServer {
  // MARK: RSSI

  var airMethods: [ExportedMethod] {
    let device = (name: "device", type: Signature("s"))
    return [
      method("Move", [device, ("rssi", "n"), ("milliseconds", "u")]) {
        (steering, body) throws(SteeringError) in
        let rssi = Int(body[1].asInt16 ?? 0)
        try steering.move(body.text(0), to: rssi, within: body.milliseconds(2))
      },
      method("MoveAlong", [device, ("points", "a(un)"), ("repeats", "b")]) {
        (steering, body) throws(SteeringError) in
        let path = SignalPath(Self.points(body[1]), repeats: body[2].asBool ?? false)
        try steering.move(body.text(0), along: path)
      },
      method("Walk", [device, ("low", "n"), ("high", "n"), ("step", "q"), ("milliseconds", "u")]) {
        (steering, body) throws(SteeringError) in
        let walk = SignalWalk(
          low: Int(body[1].asInt16 ?? 0),
          high: Int(body[2].asInt16 ?? 0),
          step: Int(body[3].asUInt16 ?? 0),
          every: body.milliseconds(4)
        )
        try steering.walk(body.text(0), walk)
      },
      method("Stray", [device, ("spread", "q")]) { (steering, body) throws(SteeringError) in
        try steering.stray(body.text(0), by: Int(body[1].asUInt16 ?? 0))
      },
      method("MoveAsDefined", [device]) { (steering, body) throws(SteeringError) in
        try steering.moveAsDefined(body.text(0))
      },
    ]
  }

  /// `a(un)`: milliseconds and dBm.
  private static func points(_ value: DBusValue) -> [SignalPath.Point] {
    guard case .array(let rows) = value.unwrapped else { return [] }
    return rows.elements.compactMap { row in
      guard case .structure(let row) = row.unwrapped, row.fields.count == 2 else { return nil }
      return SignalPath.Point(
        at: .milliseconds(Int64(row.fields[0].asUInt32 ?? 0)),
        rssi: Int(row.fields[1].asInt16 ?? 0)
      )
    }
  }

  // MARK: Adapters

  var adapterMethods: [ExportedMethod] {
    let adapter = (name: "adapter", type: Signature("s"))
    return [
      ExportedMethod("ListAdapters", returns: [.init("adapters", "a(sssb)")]) { [steering] call in
        let rows = steering.adapters.map { adapter in
          Self.row([
            .string(adapter.interface ?? ""), .string("\(adapter.address)"),
            .string(adapter.name.endedAtNUL), .boolean(adapter.isPowered),
          ])
        }
        call.reply([Self.array(of: "(sssb)", rows)])
      },
      method("SetPowered", [adapter, ("powered", "b")]) {
        (steering, body) throws(SteeringError) in
        try steering.setPowered(body[1].asBool ?? false, adapter: body.text(0))
      },
      method("Unplug", [adapter]) { (steering, body) throws(SteeringError) in
        try steering.unplug(body.text(0))
      },
      method("PlugIn", [adapter, ("number", "i")]) { (steering, body) throws(SteeringError) in
        let number = Int(body[1].asInt32 ?? 0)
        guard number <= Self.lastNumber else {
          throw SteeringError(
            .invalidValue,
            "invalid adapter index \(number): expected 0 to \(Self.lastNumber), or -1 for its own"
          )
        }
        try steering.plugIn(body.text(0), as: number < 0 ? nil : number)
      },
    ]
  }

  /// The kernel numbers adapters in 16 bits.
  private static let lastNumber = 65_535
}

extension [DBusValue] {
  /// A time, as the signature of the method guarantees.
  fileprivate func milliseconds(_ index: Int) -> Duration {
    .milliseconds(Int64(self[index].asUInt32 ?? 0))
  }
}
