// Queries the kernel about the host's controllers and connections, without bluetoothd.
//
// It chooses the queries and interprets the replies; KernelSockets sends and receives them.

public import Bluetooth
public import Signals

/// The controllers of this host, queried through the kernel.
///
/// RSSI and TX power need no privilege as long as the kernel permits read-only commands to every
/// user. The PHY, and a change of connection parameters, need CAP_NET_RAW.
public struct HostController: LinkMeter, AdapterInspection {
  private let kernel: any HostKernel
  /// The source of a connection's observed parameters; nil without a trace.
  private let timing: Timing?

  /// The parameters of the connection to a device over a controller; nil when none were observed.
  typealias Timing =
    @Sendable (_ device: BluetoothAddress, _ controller: UInt16) -> ConnectionParameters?

  /// Creates the queries without opening a socket.
  ///
  /// - Parameters:
  ///   - loop: The loop that waits for answers.
  ///   - trace: Observes the parameters of connections.
  public init(on loop: Loop, trace: HCITrace? = nil) {
    var timing: Timing?
    if let trace { timing = { trace.parameters(of: $0, over: $1) } }
    self.init(kernel: KernelSockets(loop: loop), timing: timing)
  }

  init(kernel: any HostKernel, timing: Timing? = nil) {
    self.kernel = kernel
    self.timing = timing
  }

  /// Runs queries of the kernel. A query without a reply becomes a failure of the operation.
  private func asking<Answer>(
    _ operation: String, _ body: () async throws -> Answer
  ) async throws -> Answer {
    do {
      return try await body()
    } catch let problem as HostProblem {
      throw problem.failure(operation)
    } catch let refusal as KernelRefusal {
      throw refusal.failure(operation)
    }
  }

  // MARK: Links

  public func strength(of link: LinkIdentity) async throws -> LinkStrength {
    try await asking("measuring the link") {
      let controller = try Self.index(of: link.adapter)
      let handle = try handle(of: link, over: controller)
      let rssi = try await kernel.answer(to: .readRSSI(handle), of: controller).level(of: handle)
      let power = try await kernel.answer(to: .readTransmitPower(handle), of: controller)
      // Some controllers lack the command or do not know the power: report the RSSI without it.
      return LinkStrength(rssi: rssi, txPower: try? power.level(of: handle))
    }
  }

  public func parameters(of link: LinkIdentity) async throws -> ConnectionParameters {
    try await asking("asking for the timing of the link") {
      let controller = try Self.index(of: link.adapter)
      guard let timing else { throw HostProblem.untraced }
      guard let parameters = timing(link.address, controller) else {
        throw HostProblem.madeUntraced
      }
      return parameters
    }
  }

  /// Sends LE Connection Update itself.
  ///
  /// The kernel's own command for this, Load Connection Parameters, is not used: before Linux 6.11 it
  /// leaves a connection that is up as it is, and sets the parameters of the next one.
  ///
  /// - Source: Linux, `net/bluetooth/mgmt.c` (load_conn_param), and observed with Linux 6.1.
  public func change(
    _ link: LinkIdentity, to wanted: ConnectionParameters
  ) async throws -> ConnectionParameters {
    precondition(wanted.areValid)
    return try await asking("changing the connection parameters") {
      let controller = try Self.index(of: link.adapter)
      let update = ConnectionUpdate(handle: try handle(of: link, over: controller), wanted: wanted)
      return try await kernel.result(of: update, by: controller).get()
    }
  }

  public func phy(of link: LinkIdentity) async throws -> LinkPHY {
    try await asking("asking for the PHY") {
      let controller = try Self.index(of: link.adapter)
      let handle = try handle(of: link, over: controller)
      return try await kernel.answer(to: .readPHY(handle), of: controller).phy(of: handle)
    }
  }

  /// Sends LE Set PHY itself.
  ///
  /// The kernel's own command, Set PHY Configuration, sets the default of the adapter for connections
  /// that are made later.
  ///
  /// - Source: BlueZ, `doc/mgmt-api.txt` (Set PHY Configuration Command).
  public func change(_ link: LinkIdentity, to wanted: PHY) async throws -> LinkPHY {
    try await asking("changing the PHY") {
      let controller = try Self.index(of: link.adapter)
      let update = PHYUpdate(handle: try handle(of: link, over: controller), wanted: wanted)
      return try await kernel.result(of: update, by: controller).get()
    }
  }

  /// The handle of a connection over a controller.
  private func handle(of link: LinkIdentity, over controller: UInt16) throws -> UInt16 {
    let links = try kernel.connections(of: controller)
    guard let handle = links.first(where: { $0.address == link.address })?.handle else {
      throw HostProblem.noLink
    }
    return handle
  }

  /// The index of an adapter, 0 for `hci0`.
  private static func index(of adapter: String) throws(HostProblem) -> UInt16 {
    guard adapter.hasPrefix("hci"), let index = UInt16(adapter.dropFirst(3)) else {
      throw .noAdapter(adapter)
    }
    return index
  }

  // MARK: Adapters

  public func adapters() async throws -> [AdapterDetails] {
    try await asking("listing the adapters") {
      let list = try await kernel.answer(to: .readIndexList).parameters()
      var adapters: [AdapterDetails] = []
      for index in ControllerInformation.indexes(list) ?? [] {
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
      name: "hci\(index)", address: known.address, manufacturer: known.manufacturer,
      version: known.version, supported: ControllerInformation.names(of: known.supportedSettings),
      current: ControllerInformation.names(of: known.currentSettings), features: features
    )
  }
}
