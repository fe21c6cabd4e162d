// The C functions that libmicrohttpd calls: each finds its Swift object and calls a method of it.
//
// None of them may trap, whatever a browser sends.

import CMicroHTTPD
import Glibc

enum Callbacks {
  /// Returns the callbacks of the daemon at `context`.
  static func all(_ context: UnsafeMutableRawPointer) -> web_callbacks {
    web_callbacks(
      context: context,
      access: { context, _, _, method, version, upload, size, request in
        guard let context, let method, let version, let size, let pointer = request?.pointee else {
          return .NO
        }
        let daemon = Unmanaged<Daemon>.fromOpaque(context).takeUnretainedValue()
        let bytes = UnsafeRawBufferPointer(start: upload, count: upload == nil ? 0 : size.pointee)
        let isServed = daemon.receive(Connection.at(pointer), method, version, bytes)
        size.pointee = 0
        return isServed ? .YES : .NO
      },
      target: { _, target, handle in
        guard let handle, let pointer = web_context(handle) else { return nil }
        let connection = Connection.at(pointer)
        connection.target = target.map { String(cString: $0) } ?? ""
        connection.targetEnd = target.map { $0 + strlen($0) }
        return pointer
      },
      completed: { context, _, request, _ in
        guard let context, let pointer = request?.pointee else { return }
        let daemon = Unmanaged<Daemon>.fromOpaque(context).takeUnretainedValue()
        daemon.completed(Connection.at(pointer))
      },
      connection: { context, handle, stored, change in
        guard let context, let handle, let stored else { return }
        let daemon = Unmanaged<Daemon>.fromOpaque(context).takeUnretainedValue()
        if change == .CONNECTION_NOTIFY_STARTED {
          stored.pointee = daemon.opened(handle)
        } else if let pointer = stored.pointee {
          stored.pointee = nil
          daemon.closed(pointer)
        }
      }
    )
  }

  /// The headers of a request.
  struct Headers {
    /// The fields; their names are lower case.
    var fields: [WebRequest.Field] = []
    /// Whether libmicrohttpd had to mend invalid lines.
    var isMended = false
    /// The end of the last text that was checked.
    fileprivate var end: UnsafePointer<CChar>?

    /// Checks that a text begins `gap` bytes after the end of the previous one.
    fileprivate mutating func check(_ text: UnsafePointer<CChar>?, _ count: Int, behind gap: Int) {
      guard let text else { return }
      if let end, text != end + gap { isMended = true }
      end = text + count
    }
  }

  /// Whether this version of libmicrohttpd mends invalid lines, and leaves valid ones where they arrived.
  ///
  /// Later versions refuse invalid lines themselves if they are told to be strict.
  static let isLenient = ["0.9.75", "0.9.76"].contains(String(cString: MHD_get_version()))

  /// Reads the headers of a request, and detects whether invalid lines were mended.
  ///
  /// A lenient libmicrohttpd accepts lines that end with only LF, joins folded lines, and ends a text at a
  /// NUL. Other servers would read other headers from such a request, which attacks use. Valid lines stay
  /// where they arrived, with CR and LF replaced by two NULs. So each text must begin exactly two bytes after
  /// the end of the previous line; any other distance shows that lines were mended.
  ///
  /// - Parameters:
  ///   - method: The method, at the beginning of the received text.
  ///   - targetEnd: The end of the target in the received text.
  ///   - version: The version, which follows the target.
  static func headers(
    of handle: OpaquePointer, behind method: UnsafePointer<CChar>,
    _ targetEnd: UnsafePointer<CChar>?, _ version: UnsafePointer<CChar>
  ) -> Headers {
    var headers = Headers()
    headers.end = targetEnd
    headers.check(version, strlen(version), behind: 1)
    withUnsafeMutablePointer(to: &headers) { headers in
      _ = MHD_get_connection_values_n(
        handle,
        .HEADER_KIND,
        { headers, _, name, nameCount, value, valueCount in
          guard let headers = headers?.assumingMemoryBound(to: Headers.self) else { return .NO }
          headers.pointee.check(name, nameCount, behind: 2)
          if let name, let value, value <= name + nameCount { headers.pointee.isMended = true }
          headers.pointee.end = value.map { $0 + valueCount }
          headers.pointee.fields.append(
            WebRequest.Field(
              Callbacks.text(name, nameCount).lowercased(),
              Callbacks.text(value, valueCount).trimmingBlanks()
            )
          )
          return .YES
        },
        headers
      )
    }
    // Four bytes follow: the end of the last line, and that of the empty one.
    if let end = headers.end, end + 4 != method + web_header_size(handle) {
      headers.isMended = true
    }
    if !isLenient { headers.isMended = false }
    return headers
  }

  private static func text(_ start: UnsafePointer<CChar>?, _ count: Int) -> String {
    String(
      decoding: UnsafeRawBufferPointer(start: start, count: start == nil ? 0 : count),
      as: UTF8.self
    )
  }
}

extension String {
  /// Returns the text without spaces and tabs at both ends.
  fileprivate func trimmingBlanks() -> String {
    let isBlank = { (character: Character) in character == " " || character == "\t" }
    var rest = self[...]
    rest = rest.drop(while: isBlank)
    while let last = rest.last, isBlank(last) { rest.removeLast() }
    return String(rest)
  }
}
