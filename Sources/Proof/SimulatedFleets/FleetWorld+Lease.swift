// Worlds that test the end of a lease: chains wait for about a lease, disturbances hit the gateway
// that runs them, and networks are as slow as renewals.
//
// Other worlds rarely begin an operation so close to the end of a lease.

import Bluetooth
import Fleet
import Signals

extension FleetWorld {
  mutating func drawLeases(_ draw: inout SeededGenerator) {
    // Every gateway is in range, so there is always a successor.
    ranges = ranges.map { _ in Array(0..<gateways) }
    for index in entries.indices { entries[index].bonds = [] }
    settings.supervision = .milliseconds([700, 2000][draw.number(0...1)])
    slowness = draw.number(1...3)
    healsAt = .seconds(draw.number(60...90))
    faults.latency = .milliseconds([20, 300, 900][draw.number(0...2)])
    faults.lateRequests = draw.number(0...1) * draw.number(100...400)
    faults.lateness = settings.lease
    faults.lostReplies = draw.number(0...1) * draw.number(50...250)
    faults.staleReads = draw.number(0...1) * draw.number(50...300)
    drawJobs(ranges.count, isLarge: false, &draw)
    for index in jobs.indices {
      let gateway = draw.number(0...gateways - 1)
      jobs[index].drawChain(preferring: "gateway-\(gateway)", &draw)
      for _ in 0..<draw.number(1...2) {
        let later = Duration.milliseconds(draw.number(0...12_000))
        disturbances.append((jobs[index].at + later, aimed(at: gateway, &draw)))
      }
    }
  }

  private func aimed(at gateway: Int, _ draw: inout SeededGenerator) -> Disturbance {
    func leases(_ tenths: ClosedRange<Int>) -> Duration {
      settings.lease * draw.number(tenths) / 10
    }
    return switch draw.number(0...7) {
    case 0, 1: .pauseHost(gateway, for: leases(3...25))
    case 2: .pauseProcess(gateway, for: leases(3...25))
    case 3, 4: .cutInTurn(gateway, receiving: leases(3...9), sending: leases(10...20))
    case 5: .cut(gateway, .sending, for: leases(10...25))
    case 6: .cut(gateway, .receiving, for: leases(5...25))
    default: .kill(gateway, downFor: leases(1...20))
    }
  }
}

extension FleetWorld.JobDraft {
  /// Draws a chain whose waits add up to a few leases.
  fileprivate mutating func drawChain(preferring gateway: String, _ draw: inout SeededGenerator) {
    let kinds = ["r", "w", ".", "."]
    operations = (0..<draw.number(3...8)).map { _ in kinds[draw.number(0...3)] }.joined() + "rw"
    job.values = ["operations": operations]
    job.prefer = gateway
    job.pin = nil
    job.needs = []
    job.format = 1
    name = nil
    at = .milliseconds(draw.number(0...15_000))
  }
}
