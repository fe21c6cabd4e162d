// `blerun simulate`: provides a simulated org.bluez on a private bus, for any program.

import ArgumentParser
import BlueZInterfaces
import BlueZSimulator
import DBus
import Glibc
import Jobs
import Signals
import SimulatedDevices

struct Simulate: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "simulate",
    abstract: "Run any BlueZ program against simulated devices.",
    usage: "blerun simulate <definition> ... [<options>] [-- <command> ...]",
    discussion: """
      Starts a private message bus with a simulated org.bluez, sets DBUS_SYSTEM_BUS_ADDRESS, \
      and BLUETOOTH_FORCE_DBUS_LE_VERSION for Qt, for the command, and ends with its exit status: 128 + n when signal n ended it, 125 when the \
      simulation failed, 126 when the command cannot be run, 127 when it is not found. Without a \
      command it prints both variables and runs until Ctrl-C.

        blerun simulate Simulators/devices/heart-rate.yaml \\
          -- bluetoothctl list

      With --control the command, or another shell, can change the simulation and read its log \
      on the same bus, through the interface blerun.Simulator1. See docs/simulator-control.md.
      """
  )

  @Argument(help: "Device definitions and scenarios (YAML), before the --.", completion: .file())
  var definitions: [String]

  @Option(help: "The seed of all randomness in the simulation (default: the scenario's, or 0).")
  var seed: UInt64?

  @Option(
    help: .time(
      "From Disconnect to the end of the connection, unless the host of a scenario sets it (default: 2s, as bluetoothd)."
    ),
    transform: Duration.argument
  )
  var disconnectDelay: Duration?

  @Option(
    help: .value(
      "release",
      "The release of BlueZ that is simulated, such as 5.82, or host: the installed one; unless the host of a scenario sets it (default: 5.82)."
    ),
    transform: Self.releaseArgument
  )
  var bluez: HostDefinition.Release?

  @Option(
    help: .value(
      "answer",
      "Answer pairings as the user of a desktop: a passkey of six digits, yes (confirm), or no."
    ),
    transform: Self.agentArgument
  )
  var agent: DesktopAgent.Answer?

  @Flag(help: "Let any program on the private bus change the simulation while it runs.")
  var control = false

  /// The command after `--`, which is removed before parsing; empty if there is none.
  var command: [String] = []

  enum CodingKeys: CodingKey {
    case definitions, seed, disconnectDelay, bluez, agent, control
  }

  private static func releaseArgument(_ argument: String) throws -> HostDefinition.Release {
    if let release = HostDefinition.Release(written: argument) { return release }
    guard argument == "host" else {
      throw ValidationError("expected a release such as 5.82, or host, found '\(argument)'")
    }
    guard let installed = HostSurvey().version()?.release else {
      throw ValidationError("no release of BlueZ is installed on this host; give one, such as 5.82")
    }
    return HostDefinition.Release(installed.major, installed.minor)
  }

  private static func agentArgument(_ argument: String) throws -> DesktopAgent.Answer {
    if let answer = DesktopAgent.Answer(argument) { return answer }
    throw ValidationError("expected a passkey of six digits, yes or no, found '\(argument)'")
  }

  func run() throws {
    let scenario = try scenario()
    do {
      throw CommandExit(ExitStatus(rawValue: try serve(scenario)))
    } catch let ending as CommandExit {
      throw ending
    } catch let failure as ChildProcess.Failure {
      throw CommandExit(ExitStatus(rawValue: failure.status), "\(failure)")
    } catch {
      throw CommandExit(.simulationFailed, "the simulation failed: \(error)")
    }
  }

  /// Loads the definitions. The host has the delay and the release of the options unless a scenario says others.
  func scenario() throws -> ScenarioDefinition {
    var scenario = try loadScenario(definitions, of: "simulate")
    scenario.host.disconnectDelay = scenario.host.disconnectDelay ?? disconnectDelay
    scenario.host.release = scenario.host.release ?? bluez
    return scenario
  }

  /// Returns the error about a word after the definitions that is not a file: it is probably the command, whose
  /// options the parser would report as unknown. Returns nil if there is no such word.
  static func commandWithoutDashes(in arguments: [String]) -> String? {
    guard arguments.first == configuration.commandName, !arguments.contains("--") else {
      return nil
    }
    var isFound = false
    for (index, word) in arguments.enumerated().dropFirst() {
      // This word may be the value of an option.
      let before = arguments[index - 1]
      if word.hasPrefix("-") || before.hasPrefix("--") && before != "--control" { continue }
      if access(word, F_OK) == 0 {
        isFound = true
        continue
      }
      guard isFound else { return nil }
      let words = arguments[..<index] + ["--"] + arguments[index...]
      return "\(word): no such file; a command follows --: blerun \(words.asShellLine)"
    }
    return nil
  }

  private func serve(_ scenario: ScenarioDefinition) throws -> Int32 {
    let bus = try PrivateBus()
    defer { bus.stop() }
    let loop = EventLoop()
    let connect: ScenarioPlayer.Connect = {
      try await MessageBus.open(address: .given(bus.address), on: loop)
    }
    let (seed, log) = (seed ?? scenario.seed ?? 0, control ? SimulatorLog() : nil)
    let (player, desktop, server) = try loop.run {
      let player = World.player(
        scenario, on: loop, seed: seed, log: log, connect: connect, closeBus: bus.stop
      )
      try await player.start()
      var desktop: DesktopAgent?
      if let agent { desktop = DesktopAgent(agent, on: try await connect()) }
      try await desktop?.start()
      guard let log else { return (player, desktop, ControlServer?.none) }
      let server = ControlServer(Steering(player, log: log), on: try await connect())
      try await server.start()
      return (player, desktop, server)
    }
    defer {
      // Must run on the loop, which calls the logic.
      try? loop.run {
        player.endLogic()
        player.reportUnused()
      }
      withExtendedLifetime((desktop, server)) {}
    }
    if control {
      StandardError.notice(
        "to steer it: busctl --address='\(bus.address)' call \(ControlNames.bus) "
          + "\(ControlNames.path.text) \(ControlNames.interface) ListDevices"
      )
    }
    let variables = Self.variables(bus: bus.address, scenario.host)
    guard !command.isEmpty else { return try serveUntilSignalled(variables, on: loop) }
    return try ChildProcess.run(command, environment: variables + [bus.mark], on: loop)
  }

  /// The environment of programs that use the simulation.
  ///
  /// - Source: Qt asks the owner of org.bluez, `/proc/PID/exe --version`, for the release of BlueZ, and here that is
  ///   blerun; without a release every connection fails. The variable replaces that question: Qt 6.5 and 5.15,
  ///   `src/bluetooth/bluez/bluez5_helper.cpp` (bluetoothdVersion).
  static func variables(bus: String, _ host: HostDefinition) -> [(String, String)] {
    [
      ("DBUS_SYSTEM_BUS_ADDRESS", bus),
      ("BLUETOOTH_FORCE_DBUS_LE_VERSION", "\(SimulatorSettings(host).version)"),
    ]
  }

  private func serveUntilSignalled(
    _ variables: [(String, String)], on loop: Loop
  ) throws -> Int32 {
    let ended = Guarded<SystemSignal?>(nil)
    let signals = SystemSignals { signal in
      guard SystemSignal.endings.contains(signal) else { return }
      loop.post { ended.withLock { $0 = signal } }
    }
    defer { signals.close() }
    let output = StandardOutput()
    for (name, value) in variables { output.line("\(name)=\(value)") }
    // If the address of the bus cannot be printed, no program could use it.
    try output.end()
    StandardError.notice("serving org.bluez; Ctrl-C ends it")
    try loop.drive { ended.withLock { $0 != nil } }
    return ended.withLock { 128 + ($0?.number ?? 0) }
  }
}

extension ExitStatus {
  /// The exit status of a failed simulation, as opposed to a failed command.
  fileprivate static let simulationFailed = ExitStatus(rawValue: 125)
}
