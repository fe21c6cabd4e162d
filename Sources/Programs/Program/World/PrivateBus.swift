// A private message bus: a dbus-daemon with a temporary folder.

import DBus
import Documents
import Glibc

/// A private `dbus-daemon`, without root. All clients may own any name.
struct PrivateBus: Sendable {
  let address: String
  private let folder: String
  /// An environment variable of the command and its descendants, which identifies them.
  let mark: (name: String, value: String)
  /// The shell that runs the daemon.
  private let guardian: ChildProcess
  /// The writing end of the pipe that the shell reads. The kernel closes it if this process is killed.
  private let leash: Int32

  /// The longest wait for the daemon: a busy machine may take seconds to start it.
  private static let startLimit = Duration.seconds(30)

  /// Starts the daemon and waits until it listens.
  init() throws(Problem) {
    let folder =
      "\(RuntimeFolder.temporary)/blerun-bus.\(String(UInt64.random(in: .min ... .max), radix: 36))"
    let listening = "unix:path=" + BusAddress.escaped(folder + "/bus")
    let mark = (name: "BLERUN_SIMULATION", value: folder)
    let printed = try Pipe()
    defer { printed.close() }
    let leash = try Pipe()
    defer { leash.closeReading() }
    let guardian: ChildProcess
    do {
      let configuration = Self.configuration(address: listening)
      guardian = try ChildProcess(
        ["sh", "-c", Self.guarding, "sh", folder, "\(mark.name)=\(mark.value)", configuration],
        inherited: [(printed.writing, 3), (leash.reading, 0)], isApart: true
      )
    } catch {
      leash.closeWriting()
      throw Problem("\(error)")
    }
    printed.closeWriting()
    let line = firstLine(of: printed.reading, patience: Self.startLimit)
    guard let line, line.hasPrefix("unix:") else {
      let reason = line ?? Self.reason(in: folder)
      leash.closeWriting()
      guardian.wait()
      Self.remove(folder)
      throw Problem(reason)
    }
    self.folder = folder
    self.mark = mark
    self.guardian = guardian
    self.leash = leash.writing
    address = line
  }

  private static func reason(in folder: String) -> String {
    let line = LockedFile.peek(folder + "/log").split(separator: "\n").first
    return "dbus-daemon did not print its address within \(startLimit.written); it printed: "
      + "\(line ?? "nothing")"
  }

  /// Ends the daemon and removes its folder. Programs on the bus are left alone.
  func stop() {
    _ = writeAll(leash, Array("done\n".utf8))
    close(leash)
    guardian.wait()
    Self.remove(folder)
  }

  /// The shell script: creates the folder, runs the daemon until the leash is closed, and removes the folder.
  ///
  /// The shell has a process group of its own, and so survives when this process and its command are killed together. It
  /// prints the address, or the reason why there is none. Its log has the warnings of the daemon, such as limits that it
  /// may not raise. If the leash is closed without the line `done`, this process was killed: the shell then sends SIGTERM
  /// to all processes with the mark in their environment. Other programs on the bus are left alone.
  private static let guarding = """
    if ! command -v dbus-daemon >/dev/null
    then echo "dbus-daemon is not there: install the package dbus-daemon" >&3; exit 127
    fi
    mkdir -m 700 "$1" 2>&3 || exit
    exec 2>"$1/log"
    if ! printf %s "$3" >"$1/bus.conf"
    then
      echo "$1/bus.conf could not be written: the disk is full, or refuses it" >&3
      rm -f "$1/bus.conf" "$1/log"; rmdir "$1"; exit 1
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

  private static func remove(_ folder: String) {
    unlink(folder + "/bus")
    unlink(folder + "/bus.conf")
    unlink(folder + "/log")
    rmdir(folder)
  }

  /// The configuration, with the limits of a session bus. Without them the limits of the system bus apply, such as 256
  /// connections of a user and 128 calls without a reply.
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
