// A file that one process holds at a time, and that is free again when the process is gone.

import Documents
import Glibc

/// An open file with an advisory lock on it.
///
/// The kernel gives the lock back when the process ends, however it ends.
final class LockedFile: Sendable {
  let path: String
  private let descriptor: Int32

  private init(path: String, descriptor: Int32) {
    self.path = path
    self.descriptor = descriptor
  }

  deinit {
    // Not only closed: a child that was just forked has a copy until it runs its program.
    flock(descriptor, LOCK_UN)
    close(descriptor)
  }

  /// The outcome of asking for a lock.
  enum Attempt {
    case held(LockedFile)
    /// Another process has it.
    case taken
    /// The file cannot be used, for the reason given.
    case failed(String)
  }

  /// Asks for the lock without waiting.
  ///
  /// - Parameters:
  ///   - makes: Whether the file is made where it is missing.
  ///   - isShared: Whether others may hold it too who share it.
  static func attempt(_ path: String, makes: Bool = true, isShared: Bool = false) -> Attempt {
    let descriptor = open(
      path,
      O_RDWR | (makes ? O_CREAT : 0) | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK,
      0o600
    )
    guard descriptor >= 0 else { return .failed(String(cString: strerror(errno))) }
    guard isRegular(descriptor) else {
      close(descriptor)
      return .failed("not a regular file")
    }
    guard flock(descriptor, (isShared ? LOCK_SH : LOCK_EX) | LOCK_NB) == 0 else {
      let number = errno
      close(descriptor)
      return number == EWOULDBLOCK ? .taken : .failed(String(cString: strerror(number)))
    }
    // Somebody may have removed the file between the two: a lock on it would keep nobody out.
    var opened = stat()
    var named = stat()
    guard fstat(descriptor, &opened) == 0, stat(path, &named) == 0, opened.st_ino == named.st_ino
    else {
      close(descriptor)
      return makes ? attempt(path, isShared: isShared) : .taken
    }
    return .held(LockedFile(path: path, descriptor: descriptor))
  }

  /// Puts a text in the place of what the file holds. What was written survives the process.
  ///
  /// Killed on the way, it leaves the new text before the rest of a longer old one: never neither.
  ///
  /// - Parameter isSynced: Whether it returns only when the disk has it, the file's name too.
  /// - Returns: Why it could not be written; nil when it was.
  @discardableResult
  func write(_ text: String, isSynced: Bool = false) -> String? {
    let octets = Array(text.utf8)
    guard pwrite(descriptor, octets, octets.count, 0) == octets.count,
      ftruncate(descriptor, off_t(octets.count)) == 0
    else { return String(cString: strerror(errno)) }
    guard isSynced else { return nil }
    let number = fdatasync(descriptor) == 0 ? Folder.sync(of: path) : errno
    return number.map { String(cString: strerror($0)) }
  }

  /// What the file holds, up to 64 KiB.
  func read() -> String {
    lseek(descriptor, 0, SEEK_SET)
    return Self.read(descriptor)
  }

  func remove() { unlink(path) }

  /// The text of a file that another process holds; empty when it cannot be read.
  static func peek(_ path: String) -> String {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)
    guard descriptor >= 0 else { return "" }
    defer { close(descriptor) }
    return isRegular(descriptor) ? read(descriptor) : ""
  }

  /// Whether reading cannot wait for another process, as it would at a pipe.
  private static func isRegular(_ descriptor: Int32) -> Bool {
    var status = stat()
    return fstat(descriptor, &status) == 0 && status.st_mode & S_IFMT == S_IFREG
  }

  private static func read(_ descriptor: Int32) -> String {
    var octets = [UInt8](repeating: 0, count: 65_536)
    let count = Glibc.read(descriptor, &octets, octets.count)
    return String(decoding: octets.prefix(max(0, count)), as: UTF8.self)
  }
}
