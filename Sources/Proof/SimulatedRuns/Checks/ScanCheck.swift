// Silence is not success: a scan that succeeds has been started.

import BlueZInterfaces
import DBus
import Signals

/// Sees that no scan ends without a failure unless bluetoothd has confirmed one of its connection.
struct ScanCheck: Check {
  private struct Call: Hashable {
    let sender: String
    let serial: UInt32
  }

  private struct StepID: Hashable {
    let chain: ChainID
    let number: Int
  }

  private(set) var violations: [Violation] = []
  /// The unique name of each program.
  private var names: [Int: String] = [:]
  private var calls: Set<Call> = []
  /// Connections that have a session, as far as bluetoothd has confirmed one and they have not ended
  /// it.
  private var running: Set<String> = []
  /// Scans under way, and whether a session was confirmed in their time.
  private var scans: [StepID: Bool] = [:]

  mutating func take(_ sighting: Sighting, at now: Instant) {
    switch sighting {
    case .joined(let program, let name): names[program] = name
    case .message(let message): take(message)
    case .stepBegan(let id, let number, let step):
      guard case .scan = step.bare else { return }
      let isRunning = names[id.program].map { running.contains($0) } ?? false
      scans[StepID(chain: id, number: number)] = isRunning
    case .stepValue(let id, let number, _):
      guard scans[StepID(chain: id, number: number)] == false else { return }
      let what = "\(id) step \(number) scanned, and StartDiscovery was not answered"
      violations.append(Violation(rule: "A scan that succeeds was started", what: what, at: now))
    case .stepEnded(let id, let number): scans[StepID(chain: id, number: number)] = nil
    case .treated, .device, .disturbance, .healed, .asked, .turnBegan, .turnEnded, .cancelled,
      .ended:
      break
    }
  }

  private mutating func take(_ message: Message) {
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
        // A session that is there already is as good.
        message.kind == .methodReturn || message.errorName == BlueZErrorName.inProgress
      else { return }
      running.insert(name)
      for (step, _) in scans where names[step.chain.program] == name { scans[step] = true }
    case .signal: break
    }
  }

  mutating func finish(at now: Instant) {}
}
