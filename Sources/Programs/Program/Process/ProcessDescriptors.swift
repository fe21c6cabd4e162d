// The descriptors that whoever started the program left it: the standard ones, and room for others.

import Glibc
import Signals

/// The descriptors of this process.
enum ProcessDescriptors {
  /// Fills those of 0 to 2 that are closed, before anything else is opened.
  ///
  /// Otherwise a report, the journal or the bus would get such a number, and what is printed would be
  /// written into it. What is opened instead cannot be read, or not be written: the command ends as
  /// where its output cannot be written.
  static func fill() {
    for descriptor in 0...2 as ClosedRange<Int32> where fcntl(descriptor, F_GETFD) < 0 {
      // The lowest free number is this one: those below it are open.
      _ = open("/dev/null", descriptor == 0 ? O_WRONLY : O_RDONLY)
    }
  }

  /// How many descriptors a run on one device has open at once: loops, the bus, the journal and its
  /// lock, a lease and its guard.
  static let least = 13

  /// Ends the program unless enough descriptors are free.
  ///
  /// Libraries end it without a word where they get none, in the middle of whatever it does.
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
