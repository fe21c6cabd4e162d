// `blerun gateway`: this host's adapter, or simulated devices, as a gateway of a fleet.
//
// Only the command line is here. The program `blerun-fleet`, which has the same command line, runs it.

package import ArgumentParser
package import Bluetooth
import Glibc
import Jobs
import Journal
import SimulatedDevices

package struct GatewayCommand: WorldCommand {
  package static let configuration = CommandConfiguration(
    commandName: "gateway",
    abstract: "Run the jobs of a fleet on nearby devices.",
    discussion: """
      Joins a fleet, reports which devices it observes, claims jobs for them, runs their chains, and \
      stores how they ended, until Ctrl-C or SIGTERM: it then claims nothing new, ends its chains \
      within --drain-limit, and disconnects. Simulated devices run in real time.

        blerun gateway --name hall-1 \\
          --fleet nats://127.0.0.1:4222/hall
        blerun gateway --name demo-1 \\
          --fleet nats://127.0.0.1:4222/demo \\
          --simulate Simulators/devices/thermometer.yaml
      """ + RareOptions.hint("gateway"),
    shouldDisplay: CompanionProgram.fleet.isInstalled
  )

  @OptionGroup package var server: FleetOptions

  @Option(
    help: .value(
      "name",
      "Its name in the fleet, which no other gateway has: letters, digits, - and _ (the host's name)."
    )
  )
  var name: String?

  @Option(help: "How many connections it holds at a time.")
  package var connections = 4

  @Option(
    name: .customLong("capability"),
    help: .value("word", "What it is capable of, for batches with --need; repeat it for more.")
  )
  package var capabilities: [String] = []

  @Option(
    name: .customLong("allow-chain"),
    help: .value(
      "digest",
      """
      A chain that it runs, by its SHA-256, which a refusal names; repeat it for more. (any \
      chain, unless this or --allow is given)
      """
    ),
    transform: digestArgument
  )
  package var allowedChains: [String] = []

  @Option(
    name: .customLong("allow"),
    help: .value(
      "characteristic",
      """
      A characteristic that the chains it runs may use; repeat it for more. (any, unless this or \
      --allow-chain is given)
      """
    ),
    transform: { try CharacteristicSelector(parsing: $0) }
  )
  package var allowedCharacteristics: [CharacteristicSelector] = []

  @Option(
    name: .customLong("environment"),
    help: .value(
      "variable",
      """
      An environment variable of this host that chains may read, for batches with \
      --gateway-environment; repeat it for more. (none)
      """
    )
  )
  package var environment: [String] = []

  @Option(
    file: "Where it keeps which jobs it has begun ($XDG_STATE_HOME/blerun/gateway-FLEET-NAME.json)."
  )
  var state: String?

  @Option(
    help: .time("How long its chains may run on at the end. (default: 30s)"),
    transform: Duration.argument
  )
  package var drainLimit = Duration.seconds(30)

  @Option(name: [.customLong("for")], time: "How long it runs: 1h (until it is ended).")
  package var limit: Duration?

  @OptionGroup package var metering: MetricsOptions
  @OptionGroup package var options: WorldOptions
  @OptionGroup package var journal: JournalOptions

  package init() {}

  package func validate() throws {
    if !(1...32).contains(connections) {
      throw ValidationError("--connections \(connections): expected 1 to 32.")
    }
    if let unset = environment.first(where: { ChainTemplate.environment($0) == nil }) {
      throw ValidationError("--environment \(unset): this variable is not set: export it first.")
    }
  }

  package func run() throws {
    _ = try server.address()
    try CompanionProgram.fleet.replaceProcess(Array(ProcessArguments.all.dropFirst()))
  }
}

extension GatewayCommand {
  /// The name of the gateway: the option's, or else the host name without invalid characters.
  package var gatewayName: String {
    if let name { return name }
    var buffer = [CChar](repeating: 0, count: 65)
    gethostname(&buffer, 64)
    let host = buffer.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }
    let letters = String(decoding: host, as: UTF8.self).map { letter in
      letter.isASCII && (letter.isLetter || letter.isNumber) ? letter : "-"
    }
    return letters.isEmpty ? "gateway" : String(letters)
  }

  /// Returns the path of the gateway's journal, with the jobs that it has begun.
  package func statePath(fleet: String) throws(CommandExit) -> String {
    if let state { return state }
    guard let path = UserFolder.state("gateway-\(fleet)-\(gatewayName).json") else {
      throw CommandExit(
        .usage, "no place for the gateway's state is known: name a file with --state")
    }
    return path
  }

  /// Opens the world: this host's adapter, or simulated devices in real time.
  package func open() throws -> World {
    JournalFile.prepareProcess()
    return try options.inRealTime.world(try options.simulatedDevices(), "ending")
  }
}
