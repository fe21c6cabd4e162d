// What the kernel and its controllers exchange while a device is recorded, kept apart from the file system:
// it may have keys.

import Bluetooth
import CLinux
import Documents
import Glibc
import HostController
import Recording
import Signals

/// A trace of a recording, as long as it is held.
final class LiveTrace: Sendable {
  private let trace: HCITrace
  /// Of a file without a name.
  private let descriptor: Int32

  /// 192 MiB: a trace goes on in another file at a third, and this file has no others.
  private static let limit = 192 << 20

  /// - Throws: Why there is no trace: a `DeviceFailure`, `TraceFailure` or `Problem`.
  init(on loop: Loop) throws {
    let folder = RuntimeFolder.temporary
    var template = Array("\(folder)/blerun-XXXXXX".utf8CString)
    // The programs of a chain do not inherit it.
    let descriptor = mkostemp(&template, O_CLOEXEC)
    guard descriptor >= 0 else {
      throw Problem("no file can be made in \(folder): \(String(cString: strerror(errno)))")
    }
    unlink(template)
    do {
      trace = try HCITrace(to: Self.path(descriptor), limit: Self.limit)
    } catch {
      Glibc.close(descriptor)
      throw error
    }
    self.descriptor = descriptor
    trace.start(on: loop)
  }

  deinit {
    trace.close()
    Glibc.close(descriptor)
  }

  private static func path(_ descriptor: Int32) -> String { "/proc/self/fd/\(descriptor)" }

  /// What it has of each device so far; nil when it cannot be read.
  var recording: SnoopRecording? {
    _ = trace.mark()
    guard let octets = try? TextFile.octets(Self.path(descriptor), limit: Self.limit),
      let file = try? SnoopFile(octets)
    else { return nil }
    return SnoopRecording(file)
  }
}
