// Many gateways without radios on a real server: `.ci/bench-fleet` counts the traffic.
//
// Several gateways share a connection, so that one process can run hundreds of them. Each has its
// own subscriptions, and the server counts each delivery.

#if Fleet
  import Bluetooth
  import Fleet
  import FleetNATS
  import Signals
  import SimulatedFleets

  struct SimulatedGateways {
    private let address: FleetAddress
    private let gateways: Int
    private let devices: Int
    private let connections: Int

    /// - Parameter arguments: The fleet's address, the number of gateways, the devices that each
    ///   observes, and the number of shared connections.
    /// - Returns: Nil for any other arguments.
    init?(_ arguments: ArraySlice<String>) throws {
      let numbers = arguments.dropFirst().compactMap { Int($0) }
      guard arguments.count == 4, numbers.count == 3, numbers.allSatisfy({ $0 > 0 }),
        let text = arguments.first
      else { return nil }
      address = try FleetAddress(parsing: text)
      (gateways, devices, connections) = (numbers[0], numbers[1], numbers[2])
    }

    /// The devices of a gateway: half of them are its own, the others belong to the next gateway.
    private func addresses(of gateway: Int) -> [(BluetoothAddress, rssi: Int)] {
      let half = devices / 2
      let own = (0..<half).map { (Self.address(gateway * half + $0), rssi: -55) }
      let next = (gateway + 1) % gateways
      return own + (0..<(devices - half)).map { (Self.address(next * half + $0), rssi: -75) }
    }

    private static func address(_ number: Int) -> BluetoothAddress {
      BluetoothAddress(number: 0xc0ff_ee00_0000 + UInt64(number))
    }

    /// Joins the fleet, and prints the counts five times a second until the process is ended.
    ///
    /// - Parameter output: Prints a line.
    func run(_ output: @escaping @Sendable (String) -> Void) throws {
      let loop = EventLoop()
      let counts = Guarded(TrafficCounts())
      try loop.run { [self] in
        var stores: [NATSJobStore] = []
        for number in 0..<min(connections, gateways) {
          let settings = NATSSettings(address, client: "simulated gateways \(number)")
          stores.append(try await FleetStore.connect(settings, on: loop))
        }
        let pause = FleetSettings().reportEvery / gateways
        let all = (0..<gateways).map { number in
          TrafficGateway(
            "g\(number)", addresses(of: number), stores[number % stores.count], on: loop, counts
          )
        }
        // Staggers the gateways' reports.
        for gateway in all {
          gateway.begin()
          try await loop.sleep(for: pause)
        }
        output("joined")
        while true {
          try await loop.sleep(for: .milliseconds(200))
          output(counts.withLock { $0.line })
        }
      }
    }
  }
#endif
