// A child process of a test, with the signal mask that it would get from a shell.
//
// Used instead of Foundation's Process, which leaks memory for each thread that has started one.
// Reading and writing the streams is up to the caller.

package import Glibc
import Signals

/// A child process.
package struct Child: Sendable {
  /// The kind of a standard stream.
  package enum Stream: Sendable {
    /// The null device.
    case nothing
    /// A pipe, whose other end this process keeps.
    case pipe
    /// The stream of the test process.
    case inherited
  }

  /// A failure to start a program.
  package struct NotStarted: Error {
    package let program: String
    package let errno: Int32
  }

  package let identifier: pid_t
  /// The ends of the pipes to its standard input, output and error; nil for other streams. The
  /// owner of the child closes them.
  package let ends: [Int32?]

  /// Locked from the creation of the pipes to the start of the child, so that no other child
  /// inherits their ends. The value is unused; a type without size would have no address for the
  /// thread sanitizer.
  private static let starting = Guarded(false)

  /// Starts `arguments[0]`, found on the PATH of this process.
  ///
  /// - Parameters:
  ///   - environment: The whole environment; nil for that of this process.
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
    case .inherited: return (nil, nil)
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
    // The child would inherit the blocked signals of the test's thread.
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

  /// Stops the child, and waits until it has stopped: on another core it runs on for a moment.
  package func pause() {
    send(SIGSTOP)
    var status = siginfo_t()
    waitid(P_PID, id_t(identifier), &status, WSTOPPED | WEXITED | WNOWAIT)
  }

  /// Waits for the end of the child. Must be called only once.
  ///
  /// - Returns: The exit status, or 128 + n if signal n ended it.
  @discardableResult
  package func wait() -> Int32 {
    while true {
      if let status = status(0) { return status }
    }
  }

  /// The exit status if the child has ended; nil otherwise. Must not be called again after it has
  /// returned one.
  package func statusIfEnded() -> Int32? { status(WNOHANG) }

  private func status(_ options: Int32) -> Int32? {
    var status: Int32 = 0
    guard waitpid(identifier, &status, options) == identifier else { return nil }
    let signal = status & 0x7f
    return signal == 0 ? (status >> 8) & 0xff : 128 + signal
  }
}
