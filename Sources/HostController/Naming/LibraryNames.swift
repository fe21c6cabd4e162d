// The names that libbluetooth knows: companies.
//
// Its table is that of the installed version: younger identifiers are not in it.

public import Bluetooth
import CBluetooth

/// The table of libbluetooth.
public struct LibraryNames: CompanyNames {
  /// Reads nothing: the table is part of the library.
  public init() {}

  /// The name of a company; nil for an identifier that is younger than the library, and for 0xffff,
  /// which stands for no company.
  ///
  /// - Source: libbluetooth `bt_compidtostr`.
  public func name(of company: UInt16) -> String? {
    guard company != 0xffff, let text = bt_compidtostr(Int32(company)) else { return nil }
    let name = String(cString: text)
    return name == Self.unknown ? nil : name
  }

  /// What the library answers for an identifier that is not in its table.
  private static let unknown = "not assigned"
}
