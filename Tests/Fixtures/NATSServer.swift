// A private nats-server for a test, on a free port of the loopback, with its store in a temporary
// folder.

import Foundation
import Glibc
package import Testing

/// A running nats-server with JetStream.
package final class NATSServer {
  /// The paths of Debian, which are not in the PATH of every user.
  private static let paths = ["/usr/sbin", "/usr/bin", "/usr/local/bin"].map { "\($0)/nats-server" }

  /// The path on this host; nil if it is not installed.
  fileprivate static var path: String? { paths.first { access($0, X_OK) == 0 } }

  /// No nats-server is installed.
  package struct NotInstalled: Error {}

  package let port: Int
  private let folder: TemporaryFolder
  private var configuration: String
  private var program: RunningProgram?

  /// Starts the server and waits until it is ready.
  ///
  /// - Parameter settings: Additional lines of its configuration.
  package init(_ settings: String = "jetstream { store_dir: \"store\" }") throws {
    folder = try TemporaryFolder()
    configuration = settings
    let (program, port) = try Self.start(settings, port: -1, in: folder)
    (self.program, self.port) = (program, port)
  }

  private static func write(
    _ settings: String, port: Int, in folder: TemporaryFolder
  ) throws -> String {
    try folder.file("server.conf", "listen: \"127.0.0.1:\(port)\"\n\(settings)\n")
  }

  private static func start(
    _ settings: String, port: Int, in folder: TemporaryFolder
  ) throws -> (RunningProgram, Int) {
    guard let path else { throw NotInstalled() }
    let file = try write(settings, port: port, in: folder)
    // The server logs to standard error.
    let program = try RunningProgram(
      ["/bin/sh", "-c", "exec \"$0\" -c \"$1\" 2>&1", path, file], in: folder.path
    )
    let mark = "Listening for client connections on 127.0.0.1:"
    let text = try program.waitForText(after: mark)
    try program.waitForOutput("Server is ready")
    guard let port = Int(text) else {
      throw RunningProgram.NotPrinted(awaited: mark, output: text)
    }
    return (program, port)
  }

  /// The address of a fleet on this server.
  package func address(of fleet: String, user: String? = nil) -> String {
    "nats://\(user.map { "\($0)@" } ?? "")127.0.0.1:\(port)/\(fleet)"
  }

  /// Publishes an empty message with the user's permissions, without libnats.
  ///
  /// - Returns: The errors of the server; empty if it accepted the message.
  package func publishing(
    _ subject: String, as user: String, password: String
  ) throws -> String {
    let script = #"""
      exec 3<>"/dev/tcp/127.0.0.1/$0"
      printf 'CONNECT {"verbose":false,"user":"%s","pass":"%s"}\r\nPUB %s 0\r\n\r\nPING\r\n' "$1" "$2" "$3" >&3
      sed -n '/^-ERR/p;/^PONG/q' <&3
      """#
    return try RunningProgram(
      ["bash", "-c", script, "\(port)", user, password, subject], in: folder.path
    ).end().output
  }

  /// Kills the server, like a power cut. Its store remains.
  package func kill() {
    program?.send(SIGKILL)
    _ = program?.end()
    program = nil
  }

  /// Stops the server: it accepts data, but does not respond.
  package func pause() { program?.pause() }

  /// Lets the server continue.
  package func resume() { program?.send(SIGCONT) }

  /// Waits until the server has logged `text`.
  package func waitForLog(_ text: String) throws { try program?.waitForOutput(text) }

  /// Makes the running server read other settings.
  package func reload(_ settings: String) throws {
    configuration = settings
    _ = try Self.write(settings, port: port, in: folder)
    program?.send(SIGHUP)
    try waitForLog("Reloaded server configuration")
  }

  /// Deletes the store of the killed server.
  package func emptyStore() throws {
    try FileManager.default.removeItem(atPath: "\(folder.path)/store")
  }

  /// Copies the store of the killed server.
  ///
  /// - Returns: The path of the copy.
  package func copyStore() throws -> String {
    let copy = "\(folder.path)/store.copy"
    try FileManager.default.copyItem(atPath: "\(folder.path)/store", toPath: copy)
    return copy
  }

  /// Puts a copy in the place of the store of the killed server.
  package func putStore(_ copy: String) throws {
    try emptyStore()
    try FileManager.default.copyItem(atPath: copy, toPath: "\(folder.path)/store")
  }

  /// Starts the server again, on the same port and store.
  package func restart() throws {
    program = try Self.start(configuration, port: port, in: folder).0
  }
}

extension Trait where Self == ConditionTrait {
  /// For tests that start a nats-server: they run only on a host that has one.
  package static var needsNATSServer: Self {
    .enabled(if: NATSServer.path != nil, "nats-server is not installed")
  }
}
