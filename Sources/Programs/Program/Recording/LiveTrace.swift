// An HCI trace while a device is recorded.
//
// It is in a file without a name, because the traffic may contain keys.

import Bluetooth
import CLinux
import Documents
import Glibc
import HostController
import Recording
import Signals

/// A trace that records until it is released.
final class LiveTrace: Sendable {
  private let trace: HCITrace
  /// The descriptor of an unlinked file.
  private let descriptor: Int32

  /// 192 MiB. A trace continues in another file at a third of its limit; this one must not, because
  /// it cannot create other files.
  private static let limit = 192 << 20

  /// - Throws: `DeviceFailure`, `TraceFailure` or `Problem` if no trace can be made.
  init(on loop: Loop) throws {
    let folder = RuntimeFolder.temporary
    var template = Array("\(folder)/blerun-XXXXXX".utf8CString)
    // Close-on-exec, so that programs of a chain do not inherit the descriptor.
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

  /// The devices in the trace so far; nil if it cannot be read.
  var recording: SnoopRecording? {
    _ = trace.mark()
    guard let octets = try? TextFile.octets(Self.path(descriptor), limit: Self.limit),
      let file = try? SnoopFile(octets)
    else { return nil }
    return SnoopRecording(file)
  }
}
