// A kernel that answers from a script, and records the requests to it.

import Bluetooth
import Signals

@testable import HostController

/// A scripted kernel, behind the protocol that HostController uses.
final class ScriptedKernel: HostKernel {
  struct Script: Sendable {
    var connections: Result<[KernelConnection], KernelRefusal> = .success([])
    var commands: [HCICommand: Result<HCIAnswer, KernelRefusal>] = [:]
    /// The packets that follow a command that changes a connection.
    var changes: [HCICommand: [[UInt8]]] = [:]
    /// The error with which the kernel refuses to send such a command; nil if it sends the command.
    var changeRefusal: KernelRefusal?
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

  func result<Procedure: LinkProcedure>(
    of procedure: Procedure, by index: UInt16
  ) async throws -> Result<Procedure.Agreed, HostProblem> {
    note("\(String(procedure.command.opcode.rawValue, radix: 16)) of \(index)")
    if let refusal = script.changeRefusal { throw refusal }
    var pending = PendingProcedure(procedure)
    for packet in script.changes[procedure.command] ?? [] {
      if let result = pending.result(in: packet) { return result }
    }
    return .failure(.refused(.unknownCommand))
  }

  func answer(to command: ManagementCommand) async throws -> ManagementAnswer {
    note("\(command.code) of \(command.index)")
    return script.management[command] ?? .refused(status: 0x11)
  }
}
