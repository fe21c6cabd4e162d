// The options for the fleet of a command: its server and the credentials.

package import ArgumentParser
import Jobs

/// The options for the server of a fleet and the connection to it.
package struct FleetOptions: ParsableArguments {
  /// The environment variable with the address of the fleet, for `blerun fleet` and `blerun gateway`.
  static let variable = "BLERUN_FLEET"
  /// The environment variable with the password of a user in an address without one. Arguments are visible
  /// to every user of the host.
  static let passwordVariable = "BLERUN_FLEET_PASSWORD"

  @Option(
    help: .value(
      "url",
      """
      The fleet: nats://HOST:PORT/NAME, or tls://… with TLS. USER@ before the host names a user, whose \
      password is in \(Self.passwordVariable).
      """
    )
  )
  package var fleet: String?

  @Option(file: "A file with credentials of NATS (.creds).")
  package var fleetCredentials: String?

  @Option(
    file: "The CA certificates that are accepted for the server (PEM)."
  )
  package var fleetCA: String?

  @Option(file: "The client's certificate for the server (PEM).")
  package var fleetCert: String?

  @Option(file: "The key of --fleet-cert (PEM).")
  package var fleetKey: String?

  package init() {}

  package func validate() throws {
    if (fleetCert == nil) != (fleetKey == nil) {
      throw ValidationError("--fleet-cert and --fleet-key go together.")
    }
  }

  /// The password from the environment; nil without one.
  package var password: String? { RuntimeFolder.variable(Self.passwordVariable) }

  /// Returns the address from the option, or else from the environment for commands about a fleet.
  package func address() throws(CommandExit) -> String {
    if let fleet { return fleet }
    if let fleet = RuntimeFolder.variable(Self.variable), !fleet.isEmpty { return fleet }
    throw CommandExit(.usage, "no fleet is named (expected --fleet URL, or \(Self.variable))")
  }
}

/// The options for a batch on a fleet.
package struct FleetBatchOptions: ParsableArguments {
  /// The paragraph about them in a discussion; empty if the program for fleets is not available.
  static var hint: String {
    guard CompanionProgram.fleet.visibility == .default else { return "" }
    return """


      With --fleet the gateways of a fleet run it. Ctrl-C cancels the jobs; pressed again, it leaves \
      them to the fleet and prints how to follow them.

        blerun batch batch.yaml \\
          --fleet nats://127.0.0.1:4222/hall
      """
  }

  @OptionGroup package var server: FleetOptions

  @Option(help: .value("gateway", "With --fleet: the only gateway that may run it."))
  package var pin: String?

  @Option(
    help: .value("gateway", "With --fleet: the gateway that runs it if it observes the device.")
  )
  package var prefer: String?

  @Option(
    name: .customLong("need"),
    help: .value(
      "capability", "With --fleet: a capability that the gateway must have; repeat it for more."
    )
  )
  package var needs: [String] = []

  @Option(
    help: .time(
      """
      With --fleet: how long each device may wait for a gateway and run: 10m. The default is the \
      deadline of the batch, or else 10m.
      """
    ),
    transform: Duration.argument
  )
  package var patience: Duration?

  @Flag(
    help: """
      With --fleet: all operations may be done twice. If a gateway is lost, another one runs its \
      chains again.
      """
  )
  package var idempotent = false

  @Flag(
    help: """
      With --fleet: the variables that a chain reads from the environment are read by its gateway \
      (blerun gateway --environment), so that the fleet's store does not contain their values.
      """
  )
  package var gatewayEnvironment = false

  @Flag(help: "With --fleet: exit when all devices are queued; the jobs continue.")
  package var detach = false

  package init() {}

  package func validate() throws {
    guard server.fleet == nil else { return }
    let given = [
      ("--pin", pin != nil), ("--prefer", prefer != nil), ("--need", !needs.isEmpty),
      ("--patience", patience != nil), ("--idempotent", idempotent), ("--detach", detach),
      ("--gateway-environment", gatewayEnvironment),
    ]
    for (option, isGiven) in given where isGiven {
      throw ValidationError("\(option) is for a batch on a fleet: name it with --fleet URL.")
    }
  }
}

extension CompanionProgram {
  /// The program for all commands about fleets.
  static let fleet = CompanionProgram(
    command: "fleet",
    source: "build it with the trait Fleet: swift build --traits Fleet --product blerun-fleet"
  )
}
