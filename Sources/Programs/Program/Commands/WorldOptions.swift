// The options of every command that uses devices: a real or simulated world, and the adapter.

import ArgumentParser
import BlueZ
import Bluetooth
import HostController
import Jobs
import SimulatedDevices

/// The options for the world and the adapter.
package struct WorldOptions: ParsableArguments {
  @Option(file: "A simulated device, or a scenario; repeat it for more.")
  var simulate: [String] = []

  @Option(help: "The seed of all randomness in a simulation (default: the scenario's, or 0).")
  var seed: UInt64?

  @Flag(help: "Run simulated time in real time.")
  var realTime = false

  @Option(file: "Write each message of the simulated bus to a file.")
  var busLog: String?

  @Option(help: "The adapter: hci0, its address, or its alias.")
  var adapter: String?

  @OptionGroup var terminal: TerminalOptions

  package init() {}

  package func validate() throws {
    guard simulate.isEmpty else { return }
    let simulated = [("--real-time", realTime), ("--bus-log", busLog != nil)]
    for (option, isGiven) in simulated where isGiven {
      throw ValidationError("\(option) is for simulated devices: name one with --simulate.")
    }
  }

  var isSimulated: Bool { !simulate.isEmpty }

  /// These options, with simulated time running as real time.
  var inRealTime: WorldOptions {
    var options = self
    options.realTime = isSimulated
    return options
  }

  /// Reads the devices and faults of the simulation; empty without one.
  func simulatedDevices() throws(CommandExit) -> ScenarioDefinition { try loadScenario(simulate) }

  /// Opens the world of the options.
  ///
  /// - Parameters:
  ///   - ending: The text that reports what a signal does to the command.
  ///   - isAnnounced: Whether it has already been reported that devices and time are simulated.
  func world(
    _ scenario: ScenarioDefinition, _ ending: String, _ bindKeys: BindKeys = .none,
    trace: HCITrace? = nil, isAnnounced: Bool = false
  ) throws(CommandExit) -> World {
    var world = try makeWorld(scenario, ending, bindKeys, trace: trace, isAnnounced: isAnnounced)
    if let adapter { world.adapter = AdapterSelector(adapter) }
    return world
  }

  private func makeWorld(
    _ scenario: ScenarioDefinition, _ ending: String, _ bindKeys: BindKeys, trace: HCITrace?,
    isAnnounced: Bool
  ) throws(CommandExit) -> World {
    guard isSimulated else { return try World.real(ending, bindKeys, trace: trace) }
    let log = try busLog.map { path throws(CommandExit) in try BusLog(path) }
    let seed = seed ?? scenario.seed ?? 0
    do {
      let time = realTime ? "real time" : "virtual time"
      if !isAnnounced { StandardError.notice("simulated devices, \(time), seed \(seed)") }
      return try World.simulated(
        scenario, bindKeys, seed: seed, isPaced: realTime, log: log, ending
      )
    } catch let ending as CommandExit {
      throw ending
    } catch {
      throw CommandExit(.failed, "the simulation could not be started: \(error)")
    }
  }
}
