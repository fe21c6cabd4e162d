// The operations of the scripted device.

import Bluetooth
import Documents
import Signals

struct ScriptedOperations: DeviceOperations {
  let device: ScriptedDevice
  /// The origin of the connection that `connect` reports.
  let origin: LinkOrigin

  private func answered(_ call: String, note: String? = nil) async throws -> [UInt8] {
    try await device.answered(call, note: note)
  }

  // MARK: The connection

  func connect(keep: Bool, expecting: [ServiceSelector]) async throws -> LinkOrigin {
    _ = try await answered("connect")
    device.connected()
    return origin
  }

  func disconnect() async throws {
    _ = try await answered("disconnect")
    device.disconnected()
  }

  func endUse() async throws { if origin == .made { try await disconnect() } }

  /// The first octet of the answer is the RSSI, the second the power.
  func rssi() async throws -> LinkStrength {
    let levels = try await answered("rssi").map { Int(Int8(bitPattern: $0)) }
    return LinkStrength(rssi: levels.first ?? 0, txPower: levels.count > 1 ? levels[1] : nil)
  }

  func mtu() async throws -> Int {
    let answer = try await answered("mtu")
    return answer.isEmpty ? 517 : Int(answer[0])
  }

  /// The first octet of the answer is the interval in ms, the second the latency, the third the
  /// timeout in 10 ms.
  func connectionParameters() async throws -> ConnectionParameters {
    let answer = try await answered("connection-parameters") + [30, 0, 42]
    return ConnectionParameters(
      interval: .milliseconds(Int(answer[0])), latency: Int(answer[1]),
      supervisionTimeout: .milliseconds(Int(answer[2]) * 10)
    )
  }

  /// Agrees to all wanted parameters.
  func changeConnectionParameters(
    to wanted: ConnectionParameters
  ) async throws -> ConnectionParameters {
    _ = try await answered(
      "change-parameters",
      note: "change to \(wanted.interval.written) \(wanted.latency) "
        + wanted.supervisionTimeout.written
    )
    return wanted
  }

  /// The octets of the answer are the indexes of the PHYs of both directions; by default both are 1m.
  func phy() async throws -> LinkPHY { Self.phy(try await answered("phy") + [0, 0]) }

  /// Agrees to the wanted PHY, unless the answer has another one.
  func changePHY(to wanted: PHY) async throws -> LinkPHY {
    let answer = try await answered("change-phy", note: "change to \(wanted.rawValue)")
    return answer.isEmpty ? LinkPHY(wanted) : Self.phy(answer)
  }

  private static func phy(_ octets: [UInt8]) -> LinkPHY {
    LinkPHY(
      transmit: PHY.allCases[Int(octets[0])], receive: PHY.allCases[Int(octets[1])]
    )
  }

  // MARK: Attributes

  func services() async throws -> [GATTService] { device.offered }

  func read(_ characteristic: CharacteristicSelector, offset: Int) async throws -> [UInt8] {
    let note = "read \(characteristic)" + (offset == 0 ? "" : " from \(offset)")
    return try await answered("read \(characteristic)", note: note)
  }

  func write(
    _ value: [UInt8], to characteristic: CharacteristicSelector, kind: WriteKind, offset: Int
  ) async throws {
    let hex = DecodedValue.octets(value).description
    let how = kind == .automatic ? "" : " \(kind.rawValue)"
    let detail = offset > 0 ? " from \(offset)" : how
    _ = try await answered(
      "write \(characteristic)", note: "write \(characteristic) \(hex)\(detail)"
    )
  }

  func readDescriptor(_ descriptor: DescriptorSelector) async throws -> [UInt8] {
    try await answered("read-descriptor \(descriptor)")
  }

  func writeDescriptor(_ value: [UInt8], to descriptor: DescriptorSelector) async throws {
    let hex = DecodedValue.octets(value).description
    _ = try await answered(
      "write-descriptor \(descriptor)", note: "write-descriptor \(descriptor) \(hex)"
    )
  }

  // MARK: The bond

  func pair(_ answers: PairingAnswers) async throws -> PairingOutcome {
    let answer = try await answered("pair", note: "pair \(answers.offeredCapability.rawValue)")
    return answer == [1] ? .already : .paired(isAuthenticated: answer == [])
  }

  func unpair() async throws { _ = try await answered("unpair") }

  func trust(_ isTrusted: Bool) async throws {
    _ = try await answered(isTrusted ? "trust" : "distrust")
  }
}
