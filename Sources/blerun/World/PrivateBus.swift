// A message bus of our own: a dbus-daemon in a folder that goes away with it.

import Glibc

/// A private `dbus-daemon`, without root, on which anybody here may own any name.
struct PrivateBus: Sendable {
  let address: String
  private let folder: String
  private let daemon: ChildProcess

  /// Why there is no private bus.
  struct Failure: Error, Sendable, CustomStringConvertible {
    let description: String
  }

  /// Starts the daemon and waits, at most five seconds, until it listens.
  init() throws(Failure) {
    let folder = try Self.makeFolder()
    var made = false
    defer { if !made { Self.remove(folder) } }
    try Self.write(Self.configuration(socket: folder + "/bus"), to: folder + "/bus.conf")
    var pipeEnds: [Int32] = [-1, -1]
    guard pipe(&pipeEnds) == 0 else { throw Failure(description: "no pipe could be made") }
    defer {
      close(pipeEnds[0])
      if pipeEnds[1] >= 0 { close(pipeEnds[1]) }
    }
    // It complains of limits that it may not raise, which is no concern of anybody's here.
    let log = open(folder + "/log", O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
    guard log >= 0 else { throw Failure(description: "\(folder)/log: \(Self.reason())") }
    defer { close(log) }
    let daemon: ChildProcess
    do {
      daemon = try ChildProcess(
        ["dbus-daemon", "--config-file=\(folder)/bus.conf", "--nofork", "--print-address=3"],
        inherited: [(ours: pipeEnds[1], theirs: 3), (ours: log, theirs: 2)]
      )
    } catch {
      throw Failure(description: "\(error): install the package dbus-daemon")
    }
    close(pipeEnds[1])
    pipeEnds[1] = -1
    guard let address = Self.readLine(pipeEnds[0], milliseconds: 5000) else {
      daemon.end()
      lseek(log, 0, SEEK_SET)
      let complaint = Self.readLine(log, milliseconds: 0) ?? "nothing else"
      throw Failure(
        description: "dbus-daemon did not say its address within 5 s; it said: \(complaint)"
      )
    }
    self.folder = folder
    self.daemon = daemon
    self.address = address
    made = true
  }

  /// Ends the daemon and removes its folder.
  func stop() {
    daemon.end()
    Self.remove(folder)
  }

  private static func makeFolder() throws(Failure) -> String {
    let base = getenv("TMPDIR").map { String(cString: $0) } ?? "/tmp"
    var template = Array("\(base)/blerun-bus.XXXXXX".utf8CString)
    guard mkdtemp(&template) != nil else {
      throw Failure(description: "no folder could be made in \(base): \(reason())")
    }
    return template.withUnsafeBufferPointer { buffer in
      buffer.baseAddress.map { String(cString: $0) } ?? ""
    }
  }

  private static func write(_ text: String, to path: String) throws(Failure) {
    guard let file = fopen(path, "w") else {
      throw Failure(description: "\(path) could not be written: \(reason())")
    }
    fputs(text, file)
    fclose(file)
  }

  private static func reason() -> String { String(cString: strerror(errno)) }

  private static func remove(_ folder: String) {
    unlink(folder + "/bus")
    unlink(folder + "/bus.conf")
    unlink(folder + "/log")
    rmdir(folder)
  }

  private static func readLine(_ descriptor: Int32, milliseconds: Int32) -> String? {
    var line: [UInt8] = []
    var polled = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
    while poll(&polled, 1, milliseconds) > 0 {
      var octet: UInt8 = 0
      guard read(descriptor, &octet, 1) == 1 else { return nil }
      if octet == UInt8(ascii: "\n") { return String(decoding: line, as: UTF8.self) }
      line.append(octet)
    }
    return nil
  }

  private static func configuration(socket: String) -> String {
    """
    <!DOCTYPE busconfig PUBLIC "-//freedesktop//DTD D-Bus Bus Configuration 1.0//EN"
     "http://www.freedesktop.org/standards/dbus/1.0/busconfig.dtd">
    <busconfig>
      <type>session</type>
      <listen>unix:path=\(socket)</listen>
      <auth>EXTERNAL</auth>
      <policy context="default">
        <allow own="*"/>
        <allow send_destination="*" eavesdrop="true"/>
        <allow receive_sender="*" eavesdrop="true"/>
        <allow eavesdrop="true"/>
      </policy>
      <limit name="reply_timeout">600000</limit>
    </busconfig>
    """
  }
}
