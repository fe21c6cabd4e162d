// Whether the tables of a file are those of a journal.
//
// A journal may be damaged or made by another program. Statements run only if its tables match
// those of a journal exactly: no view takes the place of a table, no trigger runs, no column is
// missing.

import GRDB

/// The definitions of a file's tables and indices.
struct TableShape {
  private struct Object: Hashable {
    let type: String
    let name: String
    let definition: String

    /// Whether reading it reads rows of the file, and runs nothing else.
    var isOrdinaryTable: Bool { type == "table" && definition.hasPrefix("CREATE TABLE") }
  }

  /// The table in which GRDB lists the migrations.
  private static let listOfMigrations = "grdb_migrations"

  /// The names of the migrations that the file has had.
  let migrations: Set<String>
  private let objects: Set<Object>
  /// Whether the list of migrations is not a table: a view may have endless rows.
  private let hasForeignList: Bool

  /// Reads the definitions of a file.
  init(of database: Database) throws {
    objects = Set(
      try database.rows("SELECT type, name, sql FROM sqlite_master").compactMap { row in
        // SQLite's own indices have no definition.
        guard let definition = try row.optionalText("sql") else { return nil }
        return Object(
          type: try row.text("type"), name: try row.text("name"), definition: definition
        )
      }
    )
    let lists = objects.filter { $0.name.lowercased() == Self.listOfMigrations }
    hasForeignList = !lists.allSatisfy(\.isOrdinaryTable)
    let rows =
      lists.isEmpty || hasForeignList
      ? [] : try database.rows("SELECT identifier FROM \(Self.listOfMigrations)")
    migrations = Set(try rows.map { try $0.text("identifier") })
  }

  /// Whether a later version of blerun made the file.
  var isNewer: Bool { !migrations.isSubset(of: JournalSchema.migrator.migrations) }

  /// The first difference from the tables of a journal; nil without one. Further tables, views and
  /// indices do not matter.
  ///
  /// Two programs may create a journal at once: tables may be missing before the first migration.
  func difference() throws -> String? {
    if let trigger = objects.first(where: { $0.type == "trigger" }) {
      return "it has the trigger \(trigger.name), and journals have none"
    }
    if hasForeignList { return "\(Self.listOfMigrations) is not a table" }
    let known = JournalSchema.migrator.migrations
    guard Set(known.prefix(migrations.count)) == migrations else {
      return "its list of versions has gaps"
    }
    guard migrations.count > 0 else { return nil }
    let expected = try Self.expected(after: known[migrations.count - 1])
    return expected.subtracting(objects).map(\.name).min().map {
      "the definition of \($0) is not that of version \(migrations.count)"
    }
  }

  /// The definitions after a migration.
  private static func expected(after migration: String) throws -> Set<Object> {
    var configuration = Configuration()
    configuration.prepareDatabase { try JournalFile.prepare($0) }
    let queue = try DatabaseQueue(configuration: configuration)
    try JournalSchema.migrator.migrate(queue, upTo: migration)
    // The list of migrations is GRDB's own.
    return try queue.read { try TableShape(of: $0).objects }.filter {
      $0.name != listOfMigrations
    }
  }
}
