// A kernel that answers from a script, and records what it was asked.

import Bluetooth
import Signals

@testable import HostController

/// The seam to the kernel, played.
final class ScriptedKernel: HostKernel {
  struct Script: Sendable {
    var connections: Result<[KernelConnection], KernelRefusal> = .success([])
    var commands: [HCICommand: Result<HCIAnswer, KernelRefusal>] = [:]
    var updates: [ConnectionUpdate: Result<ConnectionParameters, HostProblem>] = [:]
    /// What the kernel refuses to send an update with; nil: it sends it.
    var updateRefusal: KernelRefusal?
    var management: [ManagementCommand: ManagementAnswer] = [:]
    var features: Result<[UInt8], KernelRefusal> = .success([UInt8](repeating: 0, count: 8))
  }

  private let script: Script
  private let asked = Guarded<[String]>([])

  init(_ script: Script) {
    self.script = script
  }

  /// The requests in order: opcodes and codes with the controller.
  var questions: [String] { asked.withLock { $0 } }

  private func note(_ question: String) { asked.withLock { $0.append(question) } }

  func connections(of index: UInt16) throws(KernelRefusal) -> [KernelConnection] {
    note("connections of \(index)")
    return try script.connections.get()
  }

  func features(of index: UInt16) throws(KernelRefusal) -> [UInt8] { try script.features.get() }

  func answer(to command: HCICommand, of index: UInt16) async throws -> HCIAnswer {
    note("\(String(command.opcode.rawValue, radix: 16)) of \(index)")
    return try script.commands[command]?.get() ?? .refused(.unknownCommand)
  }

  func result(
    of update: ConnectionUpdate, by index: UInt16
  ) async throws -> Result<ConnectionParameters, HostProblem> {
    note("update of \(update.handle) by \(index)")
    if let refusal = script.updateRefusal { throw refusal }
    return script.updates[update] ?? .failure(.refused(.unknownCommand))
  }

  func answer(to command: ManagementCommand) async throws -> ManagementAnswer {
    note("\(command.code) of \(command.index)")
    return script.management[command] ?? .refused(status: 0x11)
  }
}
