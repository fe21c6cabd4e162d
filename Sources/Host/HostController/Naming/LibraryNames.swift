// The company names in libbluetooth.
//
// The table is compiled into the installed library: newer identifiers are missing.

public import Bluetooth
import CBluetooth

/// The table of libbluetooth.
public struct LibraryNames: CompanyNames {
  /// Creates the lookup. Reads no file: the table is part of the library.
  public init() {}

  /// The name of a company; nil for an identifier that is newer than the library, and for 0xffff,
  /// which is assigned to no company.
  ///
  /// - Source: libbluetooth `bt_compidtostr`.
  public func name(of company: UInt16) -> String? {
    guard company != 0xffff, let text = bt_compidtostr(Int32(company)) else { return nil }
    let name = String(cString: text)
    return name == Self.unknown ? nil : name
  }

  /// The library's result for an identifier that is not in its table.
  private static let unknown = "not assigned"
}
