// The descriptors that this process inherited: the standard streams, and room for others.

import Glibc
import Signals

/// The descriptors of this process.
enum ProcessDescriptors {
  /// Opens the descriptors 0 to 2 that are closed. Must be called before any other file is opened.
  ///
  /// Otherwise a report, the journal or the bus would get such a number, and printed text would be written into
  /// it. Reading standard input and writing the other two then fails as on any unusable stream.
  static func fill() {
    for descriptor in 0...2 as ClosedRange<Int32> where fcntl(descriptor, F_GETFD) < 0 {
      // open() returns the lowest free number: those below are open.
      _ = open("/dev/null", descriptor == 0 ? O_WRONLY : O_RDONLY)
    }
  }

  /// The number of descriptors that a run on one device needs: loops, the bus, the journal and its lock, a lease
  /// and its guard.
  static let least = 13

  /// Ends the process unless enough descriptors are free.
  ///
  /// Libraries abort the process without a message when they get none.
  static func checkRoom() {
    var opened: [Int32] = []
    while opened.count < least {
      let descriptor = dup(0)
      guard descriptor >= 0 else { break }
      opened.append(descriptor)
    }
    for descriptor in opened { close(descriptor) }
    if opened.count < least {
      endProcess(
        "\(opened.count) file descriptors are free, fewer than the \(least) of a run: "
          + "raise the limit, see ulimit -n"
      )
    }
  }
}
