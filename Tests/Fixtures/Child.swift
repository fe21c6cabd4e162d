// A program that a test starts, with the signals it would have from a shell.
//
// In place of Foundation's Process, which loses memory with a thread that has started one. What
// is read and written is not here.

package import Glibc
import Signals

/// A child process.
package struct Child: Sendable {
  /// What a standard stream of it is.
  package enum Stream: Sendable {
    /// The null device.
    case nothing
    /// A pipe, whose other end is ours.
    case pipe
    /// The one of the tests.
    case ours
  }

  /// Why a program could not be started.
  package struct NotStarted: Error {
    package let program: String
    package let errno: Int32
  }

  package let identifier: pid_t
  /// Our ends of its standard input, output and error, where those are pipes. Whoever has the child
  /// closes them.
  package let ends: [Int32?]

  /// Held from the making of pipes to the start of the child: no other child may get their ends. Its
  /// value means nothing: one without size has no address of its own for the thread sanitizer.
  private static let starting = Guarded(false)

  /// Starts `arguments[0]`, found along our PATH.
  ///
  /// - Parameters:
  ///   - environment: The whole environment; ours without one.
  ///   - streams: Standard input, output and error.
  package init(
    _ arguments: [String], environment: [String: String]? = nil, streams: [Stream]
  ) throws {
    (identifier, ends) = try Self.starting.withLock { _ in
      var (ours, theirs): ([Int32?], [Int32?]) = ([], [])
      defer { for end in theirs { if let end { close(end) } } }
      for (number, stream) in streams.enumerated() {
        let pair = try Self.open(stream, isInput: number == 0)
        ours.append(pair.ours)
        theirs.append(pair.theirs)
      }
      do {
        return (try Self.spawn(arguments, environment, theirs), ours)
      } catch {
        for end in ours { if let end { close(end) } }
        throw error
      }
    }
  }

  private static func open(
    _ stream: Stream, isInput: Bool
  ) throws -> (ours: Int32?, theirs: Int32?) {
    switch stream {
    case .ours: return (nil, nil)
    case .nothing: return (nil, Glibc.open("/dev/null", O_RDWR | O_CLOEXEC))
    case .pipe:
      var ends: [Int32] = [-1, -1]
      guard Glibc.pipe(&ends) == 0 else { throw NotStarted(program: "a pipe", errno: errno) }
      for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
      return isInput ? (ends[1], ends[0]) : (ends[0], ends[1])
    }
  }

  private static func spawn(
    _ arguments: [String], _ environment: [String: String]?, _ streams: [Int32?]
  ) throws -> pid_t {
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    for (number, stream) in streams.enumerated() {
      if let stream { posix_spawn_file_actions_adddup2(&actions, stream, Int32(number)) }
    }
    // The threads of a test block signals, which a child would inherit.
    var attributes = posix_spawnattr_t()
    posix_spawnattr_init(&attributes)
    defer { posix_spawnattr_destroy(&attributes) }
    var none = sigset_t()
    sigemptyset(&none)
    posix_spawnattr_setsigmask(&attributes, &none)
    posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGMASK))
    var words = arguments.map { strdup($0) } + [nil]
    var settings = (environment ?? [:]).map { strdup("\($0.key)=\($0.value)") } + [nil]
    defer { for text in words + settings { free(text) } }
    var child: pid_t = 0
    let code = settings.withUnsafeMutableBufferPointer { settings in
      let chosen = environment == nil ? environ : settings.baseAddress
      return posix_spawnp(&child, arguments[0], &actions, &attributes, &words, chosen)
    }
    guard code == 0 else { throw NotStarted(program: arguments[0], errno: code) }
    return child
  }

  package func send(_ signal: Int32) { kill(identifier, signal) }

  /// Stops it, and returns once it has stopped: on another core it runs on for a moment.
  package func pause() {
    send(SIGSTOP)
    var status = siginfo_t()
    waitid(P_PID, id_t(identifier), &status, WSTOPPED | WEXITED | WNOWAIT)
  }

  /// Waits for its end. To be called once.
  ///
  /// - Returns: Its exit status, or 128 + n when signal n ended it.
  @discardableResult
  package func wait() -> Int32 {
    while true {
      if let status = status(0) { return status }
    }
  }

  /// The same if it has ended; not to be called again then.
  package func statusIfEnded() -> Int32? { status(WNOHANG) }

  private func status(_ options: Int32) -> Int32? {
    var status: Int32 = 0
    guard waitpid(identifier, &status, options) == identifier else { return nil }
    let signal = status & 0x7f
    return signal == 0 ? (status >> 8) & 0xff : 128 + signal
  }
}
