// The world that a command line asks for.

import BlueZ
import Bluetooth
import DBus
import HostController
import Jobs
import SimulatedDevices

/// Which world, which adapter, and what is printed beside the data.
struct RequestedWorld {
  /// The files of simulated devices; none for the real world.
  var simulate: [String] = []
  var seed: UInt64?
  var realTime = false
  var busLog: String?
  var adapter: String?
  /// Decrypt what devices advertise.
  var bindKeys = BindKeys.none
  var presentation = Presentation()

  var isSimulated: Bool { !simulate.isEmpty }

  var adapterSelector: AdapterSelector { adapter.map { AdapterSelector($0) } ?? .first }

  /// The devices and faults of a simulation; none where the world is real.
  ///
  /// - Throws: ``Ending`` when a definition is wrong.
  func simulatedDevices() throws(Ending) -> ScenarioDefinition { try loadScenario(simulate) }

  /// The world itself.
  ///
  /// - Parameters:
  ///   - scenario: What ``simulatedDevices()`` gave.
  ///   - ending: What a signal does to the command, for the person who sent it.
  ///   - trace: Receives the timing of this host's connections.
  ///   - isAnnounced: Whether it was reported already that devices and time are simulated.
  func world(
    _ scenario: ScenarioDefinition,
    _ ending: String,
    trace: HCITrace? = nil,
    isAnnounced: Bool = false
  ) throws(Ending) -> World {
    guard isSimulated else { return try World.real(ending, bindKeys, trace: trace) }
    let log = try busLog.map { path throws(Ending) in try BusLog(path) }
    let seed = seed ?? scenario.seed ?? 0
    do {
      let time = realTime ? "real time" : "virtual time"
      if !isAnnounced { StandardError.notice("simulated devices, \(time), seed \(seed)") }
      return try World.simulated(
        scenario,
        bindKeys,
        seed: seed,
        isPaced: realTime,
        log: log,
        ending
      )
    } catch let ending as Ending {
      throw ending
    } catch {
      throw Ending(.failed, "the simulation could not be started: \(error)")
    }
  }
}
