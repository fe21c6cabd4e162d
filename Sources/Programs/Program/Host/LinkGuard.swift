// A process that disconnects the devices of another process that was killed or stopped.
//
// bluetoothd keeps the connections of processes that have ended. The guard has a process group of its own, so that it
// survives signals to the group of the guarded process. It reads a pipe from that process: silence means that the
// process was stopped, end of file that it has ended. The lease of the process names its connections.

import BlueZ
import Glibc
import Jobs
import Signals

package final class LinkGuard: Sendable {
  /// The first argument of a guard process.
  package static let word = "guard"
  private static let beat: [UInt8] = [UInt8(ascii: ".")]
  /// The message that the guarded process ends by itself.
  private static let end: [UInt8] = [UInt8(ascii: "q")]

  private struct Running {
    let child: ChildProcess
    /// The writing end of the pipe to the guard. The kernel closes it if this process is killed.
    let leash: Int32
  }

  private let silence: Duration
  private let state: Guarded<Running?>

  /// Starts the guard.
  ///
  /// - Parameter silence: The time after the last ``beat()`` at which the guard disconnects.
  package init(silence: Duration) {
    self.silence = silence
    state = Guarded(Self.start(silence))
  }

  private static func start(_ silence: Duration) -> Running? {
    let reason: String
    do {
      let leash = try Pipe()
      defer { leash.closeReading() }
      _ = fcntl(leash.writing, F_SETFL, O_NONBLOCK)
      let milliseconds = "\(Int(silence / .milliseconds(1)))"
      do {
        let child = try ChildProcess(
          ["/proc/self/exe", word, ProcessIdentity.own.text, milliseconds],
          inherited: [(leash.reading, 0), (2, 1)], isApart: true
        )
        return Running(child: child, leash: leash.writing)
      } catch {
        leash.closeWriting()
        throw error
      }
    } catch {
      reason = "\(error)"
    }
    StandardError.failure(
      "no guard (\(reason)): were this process killed or stopped, its connections would stay"
    )
    return nil
  }

  /// Tells the guard that this process runs, and replaces a guard that has ended.
  package func beat() {
    let gone = state.withLock { running -> Running? in
      guard let present = running, write(present.leash, Self.beat, 1) < 0, errno == EPIPE else {
        return nil
      }
      running = nil
      return present
    }
    guard let gone else { return }
    close(gone.leash)
    gone.child.wait()
    StandardError.notice("the guard of the connections had ended: it is started again")
    let next = Self.start(silence)
    state.withLock { $0 = next }
  }

  /// Ends the guard, after this process has disconnected by itself.
  package func stop() {
    let last = state.withLock { running in
      defer { running = nil }
      return running
    }
    guard let last else { return }
    _ = write(last.leash, Self.end, 1)
    close(last.leash)
    last.child.wait()
  }
}

extension LinkGuard {
  /// The longest wait for a killed process to disappear, in milliseconds.
  private static let dyingLimit: Int32 = 2000

  /// Guards a process: the main function of the guard.
  ///
  /// - Parameter arguments: The arguments after ``word``.
  package static func guardProcess(_ arguments: [String]) -> Never {
    guard arguments.count == 2, let owner = ProcessIdentity(arguments[0]),
      let silence = Int32(arguments[1]), silence > 0
    else { Blerun.end(.usage) }
    SystemSignals.start()
    var isSilent = false
    while true {
      var polled = pollfd(fd: 0, events: Int16(POLLIN), revents: 0)
      let ready = poll(&polled, 1, isSilent ? -1 : silence)
      if ready < 0, errno == EINTR { continue }
      if ready == 0 {
        isSilent = true
        release(owner, "stopped")
        continue
      }
      var octets = [UInt8](repeating: 0, count: 256)
      let count = read(0, &octets, octets.count)
      if octets.prefix(max(0, count)).contains(end[0]) { Blerun.end(.ok) }
      isSilent = false
      guard count <= 0 else { continue }
      for _ in 0..<(dyingLimit / 10) where owner.isThere { poll(nil, 0, 10) }
      release(owner, "killed")
      Blerun.end(.ok)
    }
  }

  private static func release(_ owner: ProcessIdentity, _ what: String) {
    do {
      let world = try World.real("ending")
      defer { world.end() }
      // Forced: also if another program uses the connection by now.
      let endings = world.orphans(isForced: true)?.release(of: owner) ?? []
      OrphanLinks.report(endings, of: "the \(what) process \(owner.process)")
    } catch {
      for message in error.messages { StandardError.failure(message) }
    }
  }
}
