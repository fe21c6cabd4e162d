// A message bus of our own: a dbus-daemon in a folder that goes away with it.

import Glibc

/// A private `dbus-daemon`, without root, on which anybody here may own any name.
struct PrivateBus: Sendable {
  let address: String
  private let folder: String
  /// The shell that minds the daemon.
  private let guardian: ChildProcess
  /// What it reads: closed when this program ends, whatever ends it.
  private let leash: Int32

  /// Why there is no private bus.
  struct Failure: Error, Sendable, CustomStringConvertible {
    let description: String
  }

  /// Starts the daemon and waits, at most five seconds, until it listens.
  init() throws(Failure) {
    let folder = try Self.makeFolder()
    var made = false
    defer { if !made { Self.remove(folder) } }
    let listening = "unix:path=" + Self.escaped(folder + "/bus")
    try Self.write(Self.configuration(address: listening), to: folder + "/bus.conf")
    let printed = try Pipe()
    defer { printed.close() }
    let leash = try Pipe()
    defer {
      leash.closeReading()
      if !made { leash.closeWriting() }
    }
    // It complains of limits that it may not raise; that does not matter here.
    let log = open(folder + "/log", O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
    guard log >= 0 else { throw Failure(description: "\(folder)/log: \(Self.reason())") }
    defer { close(log) }
    let guardian: ChildProcess
    do {
      guardian = try ChildProcess(
        ["sh", "-c", Self.guarding, "sh", folder, listening],
        inherited: [(printed.writing, 3), (leash.reading, 0), (log, 2)],
        isApart: true
      )
    } catch {
      throw Failure(description: "\(error)")
    }
    printed.closeWriting()
    guard let address = Self.readLine(printed.reading, milliseconds: 5000) else {
      leash.closeWriting()
      guardian.wait()
      lseek(log, 0, SEEK_SET)
      let complaint = Self.readLine(log, milliseconds: 0) ?? "nothing else"
      throw Failure(
        description: "dbus-daemon did not print its address within 5 s; it printed: \(complaint)"
      )
    }
    self.folder = folder
    self.guardian = guardian
    self.leash = leash.writing
    self.address = address
    made = true
  }

  /// Ends the daemon and removes its folder. Programs on the bus are left alone.
  func stop() {
    write("done\n")
    close(leash)
    guardian.wait()
    Self.remove(folder)
  }

  private func write(_ text: String) {
    var text = text
    text.withUTF8 { _ = Glibc.write(leash, $0.baseAddress, $0.count) }
  }

  /// Runs the daemon until the leash is let go, then takes its folder away. Of its own group, it is
  /// there when this program and its command are killed together.
  ///
  /// When nobody wrote that all is done, this program was killed: whoever has its bus in the
  /// environment, which is the command and what that started, is then asked to end.
  private static let guarding = """
    if ! command -v dbus-daemon >/dev/null
    then echo "dbus-daemon is not there: install the package dbus-daemon" >&2; exit 127
    fi
    dbus-daemon --config-file="$1/bus.conf" --nofork --print-address=3 &
    daemon=$!
    exec 3>&-
    end=
    while read -r line; do end=$line; done
    if [ "$end" != done ]
    then
      for process in $(grep -lsF -e "$2" /proc/[0-9]*/environ)
      do process=${process#/proc/}; kill "${process%/environ}"
      done
    fi
    kill "$daemon" && wait "$daemon"
    rm -f "$1/bus" "$1/bus.conf" "$1/log"
    rmdir "$1"
    """

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

  /// A path in an address of D-Bus. What is left of it needs no escape in XML either.
  ///
  /// - Source: D-Bus Specification 0.41, "Server Addresses".
  static func escaped(_ path: String) -> String {
    let plain = Set("-_/\\*.0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ".utf8)
    return path.utf8.map { octet in
      if plain.contains(octet) { return String(Unicode.Scalar(octet)) }
      let digits = String(octet, radix: 16)
      return digits.utf8.count == 1 ? "%0\(digits)" : "%\(digits)"
    }.joined()
  }

  /// Without limits of its own, a bus has those of the system bus, such as 256 connections of a user
  /// and 128 calls without a reply; these are those of a session bus.
  ///
  /// - Source: dbus 1.14, `bus/config-parser.c` (bus_config_parser_new), `bus/session.conf.in`.
  private static func configuration(address: String) -> String {
    """
    <!DOCTYPE busconfig PUBLIC "-//freedesktop//DTD D-Bus Bus Configuration 1.0//EN"
     "http://www.freedesktop.org/standards/dbus/1.0/busconfig.dtd">
    <busconfig>
      <type>session</type>
      <listen>\(address)</listen>
      <auth>EXTERNAL</auth>
      <policy context="default">
        <allow own="*"/>
        <allow send_destination="*" eavesdrop="true"/>
        <allow receive_sender="*" eavesdrop="true"/>
        <allow eavesdrop="true"/>
      </policy>
      <limit name="reply_timeout">600000</limit>
      <limit name="max_incomplete_connections">10000</limit>
      <limit name="max_completed_connections">100000</limit>
      <limit name="max_connections_per_user">100000</limit>
      <limit name="max_match_rules_per_connection">50000</limit>
      <limit name="max_replies_per_connection">50000</limit>
      <limit name="max_names_per_connection">50000</limit>
    </busconfig>
    """
  }
}
