// A scan succeeds only if bluetoothd confirmed its discovery session; silence is not success.

import BlueZInterfaces
import DBus
import Signals

/// Checks that bluetoothd confirmed a session of the program during each successful scan.
struct ScanCheck: Check {
  private struct Call: Hashable {
    let sender: String
    let serial: UInt32
  }

  private struct StepID: Hashable {
    let chain: ChainID
    let number: Int
  }

  private(set) var problems: [BrokenRule] = []
  /// The unique bus name of each program.
  private var names: [Int: String] = [:]
  private var calls: Set<Call> = []
  /// Clients with a confirmed session that they have not ended.
  private var running: Set<String> = []
  /// Scans in progress, and whether a session was confirmed meanwhile.
  private var scans: [StepID: Bool] = [:]

  mutating func apply(_ sighting: Sighting, at now: Instant) {
    switch sighting {
    case .joined(let program, let name): names[program] = name
    case .message(let message): apply(message)
    case .stepBegan(let id, let number, let step):
      guard case .scan = step.bare else { return }
      let isRunning = names[id.program].map { running.contains($0) } ?? false
      scans[StepID(chain: id, number: number)] = isRunning
    case .stepValue(let id, let number, _):
      guard scans[StepID(chain: id, number: number)] == false else { return }
      let detail = "\(id) step \(number) scanned, and StartDiscovery was not answered"
      problems.append(BrokenRule(rule: "A scan that succeeds was started", detail: detail, at: now))
    case .stepEnded(let id, let number): scans[StepID(chain: id, number: number)] = nil
    case .treated, .device, .disturbance, .healed, .requested, .turnBegan, .turnEnded, .cancelled,
      .ended:
      break
    }
  }

  private mutating func apply(_ message: Message) {
    switch message.kind {
    case .methodCall:
      guard let sender = message.sender else { return }
      if message.member == Adapter1.startDiscovery.name {
        calls.insert(Call(sender: sender, serial: message.serial))
      } else if message.member == Adapter1.stopDiscovery.name {
        running.remove(sender)
      }
    case .methodReturn, .error:
      guard let name = message.destination, let serial = message.replySerial,
        calls.remove(Call(sender: name, serial: serial)) != nil,
        // An existing session counts, too.
        message.kind == .methodReturn || message.errorName == BlueZErrorName.inProgress
      else { return }
      running.insert(name)
      for (step, _) in scans where names[step.chain.program] == name { scans[step] = true }
    case .signal: break
    }
  }

  mutating func finish(at now: Instant) {}
}
