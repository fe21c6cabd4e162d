// A lock file. The lock is released when its process ends.

import Documents
import Glibc

/// An open file with an advisory lock (flock).
///
/// The kernel releases the lock when the process ends, for whatever reason.
final class LockedFile: Sendable {
  let path: String
  private let descriptor: Int32

  private init(path: String, descriptor: Int32) {
    self.path = path
    self.descriptor = descriptor
  }

  deinit {
    // Closing is not enough: a forked child has a copy of the descriptor until it calls exec.
    flock(descriptor, LOCK_UN)
    close(descriptor)
  }

  /// The result of an attempt to acquire a lock.
  enum Attempt {
    case held(LockedFile)
    /// Another process holds the lock.
    case taken
    /// The file cannot be used, for the reason given.
    case failed(String)
  }

  /// Tries to acquire the lock, without waiting.
  ///
  /// - Parameters:
  ///   - makes: Whether a missing file is created.
  ///   - isShared: Whether the lock is a shared one.
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
    // Another process may have removed the file between open and flock: the lock would then exclude no other process.
    var opened = stat()
    var named = stat()
    guard fstat(descriptor, &opened) == 0, stat(path, &named) == 0, opened.st_ino == named.st_ino
    else {
      close(descriptor)
      return makes ? attempt(path, isShared: isShared) : .taken
    }
    return .held(LockedFile(path: path, descriptor: descriptor))
  }

  /// Replaces the content.
  ///
  /// If the process is killed meanwhile, the new text may be followed by the rest of a longer old one.
  ///
  /// - Parameter isSynced: Whether the content and the name of the file are on the disk when this returns.
  /// - Returns: The reason if it could not be written; nil otherwise.
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

  /// The content, up to 64 KiB.
  func read() -> String {
    lseek(descriptor, 0, SEEK_SET)
    return Self.read(descriptor)
  }

  func remove() { unlink(path) }

  /// The content of a file that another process has locked; empty if it cannot be read.
  static func peek(_ path: String) -> String {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)
    guard descriptor >= 0 else { return "" }
    defer { close(descriptor) }
    return isRegular(descriptor) ? read(descriptor) : ""
  }

  /// Whether a file is regular: reading a pipe would wait for a writer.
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
