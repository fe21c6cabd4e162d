// A private bus with the C server on it, for one measurement.

import CBenchmarkPeers
import Glibc

/// A `dbus-daemon` and the server, each in its own process.
struct BenchmarkBus {
  let address: String
  private let daemon: pid_t
  private let server: pid_t
  private let folder: String

  init() throws {
    var template = Array("/tmp/blerun-bench.XXXXXX".utf8CString)
    guard mkdtemp(&template) != nil else {
      throw SerialReads.Failure(description: "no folder could be made in /tmp")
    }
    folder = template.withUnsafeBufferPointer { $0.baseAddress.map { String(cString: $0) } ?? "" }
    address = "unix:path=\(folder)/bus"
    let configuration = """
      <busconfig><type>session</type><listen>\(address)</listen><auth>EXTERNAL</auth>
      <policy context="default"><allow own="*"/><allow send_destination="*"/>
      <allow receive_sender="*"/></policy></busconfig>
      """
    let file = fopen(folder + "/conf", "w")
    fputs(configuration, file)
    fclose(file)
    var ends: [Int32] = [-1, -1]
    pipe(&ends)
    daemon = try Self.start([
      "dbus-daemon", "--config-file=\(folder)/conf", "--nofork", "--print-address=\(ends[1])",
    ])
    try Self.awaitOctet(UInt8(ascii: "\n"), from: ends[0])
    server = try Self.start([CommandLine.arguments[0], "serve", address, "\(ends[1])"])
    try Self.awaitOctet(UInt8(ascii: "r"), from: ends[0])
    close(ends[0])
    close(ends[1])
  }

  func stop() {
    for process in [server, daemon] {
      kill(process, SIGKILL)
      waitpid(process, nil, 0)
    }
    for name in ["/bus", "/conf"] { unlink(folder + name) }
    rmdir(folder)
  }

  private static func start(_ arguments: [String]) throws -> pid_t {
    var pointers = arguments.map { strdup($0) } + [nil]
    defer { for pointer in pointers { free(pointer) } }
    var process = pid_t()
    guard posix_spawnp(&process, arguments[0], nil, nil, &pointers, environ) == 0 else {
      throw SerialReads.Failure(description: "\(arguments[0]) could not be started")
    }
    return process
  }

  /// Reads until the byte `awaited` arrives, for at most five seconds.
  private static func awaitOctet(_ awaited: UInt8, from descriptor: Int32) throws {
    var polled = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
    while poll(&polled, 1, 5000) > 0 {
      var octet: UInt8 = 0
      guard read(descriptor, &octet, 1) == 1 else { break }
      if octet == awaited { return }
    }
    throw SerialReads.Failure(description: "the bus or the server did not start within 5 s")
  }
}
