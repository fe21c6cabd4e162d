// Operations that are performed by another object: in a turn, with a permission, or not at all.
//
// Each operation is forwarded here, once for all such objects. What it does is documented in
// DeviceOperations.

/// One operation of a device, to be performed by the operations of it.
public struct DeviceRequest<Output: Sendable>: Sendable {
  /// The operation, for errors: "reading battery-level".
  public let name: String
  /// Whether it may be performed twice: reads, and what establishes a state. A write may not.
  public let isIdempotent: Bool
  private let body: @Sendable (any DeviceOperations) async throws -> Output

  /// A request that performs `body`.
  public init(
    _ name: String, isIdempotent: Bool = true,
    _ body: @escaping @Sendable (any DeviceOperations) async throws -> Output
  ) {
    self.name = name
    self.isIdempotent = isIdempotent
    self.body = body
  }

  /// Performs it.
  public func perform(on operations: any DeviceOperations) async throws -> Output {
    try await body(operations)
  }
}

/// Operations of a connected device that one function performs: what it does around a request, it does
/// around each operation.
///
/// ```swift
/// struct Logged: DeviceOperations, DeviceRequestPerformer {
///   let operations: any DeviceOperations
///
///   func perform<Output>(_ request: DeviceRequest<Output>) async throws -> Output {
///     print(request.name)
///     return try await request.perform(on: operations)
///   }
/// }
/// ```
public protocol DeviceRequestPerformer: ConnectionOperations {
  /// Performs an operation.
  func perform<Output: Sendable>(_ request: DeviceRequest<Output>) async throws -> Output
}

extension DeviceRequestPerformer {
  public func services() async throws -> [GATTService] {
    try await perform(DeviceRequest("listing the services") { try await $0.services() })
  }

  public func read(_ characteristic: CharacteristicSelector, offset: Int) async throws -> [UInt8] {
    try await perform(
      DeviceRequest("reading \(characteristic)") {
        try await $0.read(characteristic, offset: offset)
      })
  }

  public func write(
    _ value: [UInt8], to characteristic: CharacteristicSelector, kind: WriteKind, offset: Int
  ) async throws {
    try await perform(
      DeviceRequest("writing \(characteristic)", isIdempotent: false) {
        try await $0.write(value, to: characteristic, kind: kind, offset: offset)
      })
  }

  public func readDescriptor(_ descriptor: DescriptorSelector) async throws -> [UInt8] {
    try await perform(
      DeviceRequest("reading \(descriptor)") { try await $0.readDescriptor(descriptor) })
  }

  public func writeDescriptor(_ value: [UInt8], to descriptor: DescriptorSelector) async throws {
    try await perform(
      DeviceRequest("writing \(descriptor)", isIdempotent: false) {
        try await $0.writeDescriptor(value, to: descriptor)
      })
  }

  public func mtu() async throws -> Int {
    try await perform(DeviceRequest("asking for the MTU") { try await $0.mtu() })
  }

  public func rssi() async throws -> LinkStrength {
    try await perform(DeviceRequest("measuring the RSSI") { try await $0.rssi() })
  }

  public func connectionParameters() async throws -> ConnectionParameters {
    try await perform(
      DeviceRequest("asking for the connection parameters") {
        try await $0.connectionParameters()
      })
  }

  public func changeConnectionParameters(
    to wanted: ConnectionParameters
  ) async throws -> ConnectionParameters {
    try await perform(
      DeviceRequest("changing the connection parameters") {
        try await $0.changeConnectionParameters(to: wanted)
      })
  }

  public func phy() async throws -> LinkPHY {
    try await perform(DeviceRequest("asking for the PHY") { try await $0.phy() })
  }

  public func changePHY(to wanted: PHY) async throws -> LinkPHY {
    try await perform(DeviceRequest("changing the PHY") { try await $0.changePHY(to: wanted) })
  }

  public func pair(_ answers: PairingAnswers) async throws -> PairingOutcome {
    try await perform(
      DeviceRequest("pairing", isIdempotent: false) { try await $0.pair(answers) })
  }

  public func trust(_ isTrusted: Bool) async throws {
    try await perform(DeviceRequest("changing the trust") { try await $0.trust(isTrusted) })
  }
}

extension DeviceRequestPerformer where Self: DeviceOperations {
  public func connect(keep: Bool, expecting: [ServiceSelector]) async throws -> LinkOrigin {
    try await perform(
      DeviceRequest("connecting") { try await $0.connect(keep: keep, expecting: expecting) })
  }

  public func disconnect() async throws {
    try await perform(DeviceRequest("disconnecting") { try await $0.disconnect() })
  }

  public func endUse() async throws {
    try await perform(DeviceRequest("disconnecting") { try await $0.endUse() })
  }

  public func endAllUses() async throws -> Bool {
    try await perform(DeviceRequest("disconnecting") { try await $0.endAllUses() })
  }

  public func awaitOtherRuns() async throws -> Bool {
    try await perform(DeviceRequest("waiting for another run") { try await $0.awaitOtherRuns() })
  }

  public func unpair() async throws {
    try await perform(
      DeviceRequest("unpairing", isIdempotent: false) { try await $0.unpair() })
  }
}
