// What the kernel of this host reports about its controllers and connections, beside bluetoothd.
//
// It decides what to ask and what the answers mean; the kernel's sockets do the asking.

public import Bluetooth
public import Signals

/// The controllers of this host, queried through the kernel.
///
/// RSSI and TX power need no privilege as long as the kernel permits read-only commands to
/// everybody.
public struct HostController: LinkMeter, AdapterInspection {
  private let kernel: any HostKernel
  /// The observed parameters of a connection; nil without a trace.
  private let timing: Timing?

  /// The parameters of the connection to a device over a controller; nil when none were observed.
  typealias Timing =
    @Sendable (_ device: BluetoothAddress, _ controller: UInt16) -> ConnectionParameters?

  /// Opens no socket yet.
  ///
  /// - Parameters:
  ///   - loop: The loop that waits for answers.
  ///   - trace: Observes the parameters of connections.
  public init(on loop: Loop, trace: HCITrace? = nil) {
    var timing: Timing?
    if let trace { timing = { trace.parameters(of: $0, over: $1) } }
    self.init(kernel: KernelSockets(loop: loop), timing: timing)
  }

  init(
    kernel: any HostKernel,
    timing: Timing? = nil
  ) {
    self.kernel = kernel
    self.timing = timing
  }

  /// Runs queries of the kernel; a refusal becomes a failure of the operation.
  private func asking<Answer>(
    _ operation: String,
    _ body: () async throws -> Answer
  ) async throws -> Answer {
    do {
      return try await body()
    } catch let refusal as KernelRefusal {
      throw refusal.failure(operation)
    }
  }

  // MARK: Links

  public func strength(of link: LinkIdentity) async throws -> LinkStrength {
    let operation = "measuring the link"
    return try await asking(operation) {
      let controller = try Self.index(of: link.adapter, operation)
      let links = try kernel.connections(of: controller)
      guard let found = links.first(where: { $0.address == link.address }) else {
        throw ControllerAnswer.noLink(operation)
      }
      let handle = found.handle
      let measured = try await kernel.answer(to: .readRSSI(handle), of: controller)
      let rssi = try ControllerAnswer.level(measured, handle: handle, operation)
      let power = try await kernel.answer(to: .readTransmitPower(handle), of: controller)
      // Not every controller supports the command, and none has to know the power.
      let txPower = try? ControllerAnswer.level(power, handle: handle, operation)
      return LinkStrength(rssi: rssi, txPower: txPower)
    }
  }

  public func parameters(of link: LinkIdentity) async throws -> ConnectionParameters {
    let operation = "asking for the timing of the link"
    let controller = try Self.index(of: link.adapter, operation)
    guard let timing else { throw ControllerAnswer.untraced(operation) }
    guard let parameters = timing(link.address, controller) else {
      throw ControllerAnswer.madeUntraced(operation)
    }
    return parameters
  }

  /// 0 for `hci0`.
  private static func index(of adapter: String, _ operation: String) throws -> UInt16 {
    guard adapter.hasPrefix("hci"), let index = UInt16(adapter.dropFirst(3)) else {
      throw ControllerAnswer.noAdapter(adapter, operation)
    }
    return index
  }

  // MARK: Adapters

  public func adapters() async throws -> [AdapterDetails] {
    let operation = "listing the adapters"
    return try await asking(operation) {
      let list = try await kernel.answer(to: .readIndexList)
      let indexes = try ControllerInformation.indexes(ControllerAnswer.done(list, operation))
      var adapters: [AdapterDetails] = []
      for index in indexes ?? [] {
        let answer = try await kernel.answer(to: .readInformation(of: index))
        // An adapter may disappear while the others are queried.
        guard case .done(let parameters) = answer,
          let information = ControllerInformation(parameters)
        else { continue }
        let features = (try? kernel.features(of: index)) ?? []
        adapters.append(AdapterDetails(index, information, features: features))
      }
      return adapters
    }
  }
}

extension AdapterDetails {
  fileprivate init(_ index: UInt16, _ known: ControllerInformation, features: [UInt8]) {
    self.init(
      name: "hci\(index)",
      address: known.address,
      manufacturer: known.manufacturer,
      version: known.version,
      supported: ControllerInformation.names(of: known.supportedSettings),
      current: ControllerInformation.names(of: known.currentSettings),
      features: features
    )
  }
}
