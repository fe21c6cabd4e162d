// Mappings from one description: parsing, errors, the schema and the table.

import Documents
import Testing

@Suite("Descriptions of mappings")
struct DescriptionTests {
  struct State: Reading {
    var problems: [Problem] = []
  }

  enum Way: String, CaseIterable, Sendable { case there, back, both }

  struct Trip: Hashable, Sendable {
    var to = ""
    var way = Way.there
    var stops = 1
    var pause: Duration?
    var late: Duration = .zero
  }

  static let form = Form<Trip, State>(
    "A trip.", Trip(),
    [
      Key("to", \.to, .text("a town", bytes: 8), isRequired: true, "where it [leads](#towns)"),
      Key("way", \.way, .word, "which `way`"),
      Key("stops", \.stops, .integer(0...9), "how many stops"),
      Key("pause", \.pause, .duration(.zero ... .seconds(60)), usual: "none", "at each"),
      Key("late", \.late, .duration(.zero ... .seconds(3600)), "how late it is"),
    ],
    rules: [
      .exclusive(["pause", "late"]), .only("pause", with: ["stops"], "nothing stops"),
    ]
  )

  private func read(_ text: String) throws -> (trip: Trip, problems: [String]) {
    var state = State()
    let trip = Self.form.read(try Document.parse(text, file: "t"), &state)
    return (trip, DocumentErrors(state.problems).problems.map(\.description))
  }

  @Test("written keys set their values, and absent keys keep the defaults")
  func values() throws {
    let found = try read("{ to: Bern, way: both, stops: 2, pause: 1m }")
    #expect(found.problems == [])
    #expect(found.trip == Trip(to: "Bern", way: .both, stops: 2, pause: .seconds(60)))
    #expect(try read("to: Bern").trip == Trip(to: "Bern"))
  }

  @Test(
    "each mistake is reported at its place",
    arguments: [
      ("{}", "t:1:1: the key 'to' is missing (expected a town)"),
      (
        "{ to: Bern, way: bak }",
        "t:1:18: way: expected one of there, back, both, found 'bak' (did you mean 'back'?)"
      ),
      ("{ to: Bern, stops: 10 }", "t:1:20: stops: expected a whole number from 0 to 9, found '10'"),
      ("{ to: Bern, late: 2h }", "t:1:19: late: expected a duration from 0s to 1h, found '2h'"),
      ("{ to: Bern, stop: 1 }", "t:1:13: stop: unknown key 'stop' (did you mean 'stops'?)"),
      (
        "{ to: Bern, stops: 1, stop: 2 }",
        "t:1:23: stop: unknown key 'stop' (expected one of to, way, stops, pause, late)"
      ),
      (
        "{ to: Bern, stops: 1, pause: 1s, late: 1s }",
        "t:1:40: late: 'pause' and 'late' exclude each other"
      ),
      ("{ to: Bern, pause: 1s }", "t:1:20: pause: nothing stops"),
      ("[1]", "t:1:1: expected a mapping, found a list"),
    ]
  )
  func mistakes(text: String, complaint: String) throws {
    let found = try read(text).problems
    #expect(found.contains(complaint), "\(found)")
  }

  @Test("the schema has the keys, their bounds, and the constraints across keys")
  func schema() {
    let text = Self.form.schema.named("trip").file(title: "Trips", doc: "All of them.")
    #expect(
      text == """
        {
          "$schema": "http://json-schema.org/draft-07/schema#",
          "title": "Trips",
          "description": "All of them.",
          "$ref": "#/definitions/trip",
          "definitions": {
            "duration": {
              "type": "string",
              "pattern": "^[0-9]+(\\\\.[0-9]+)?(ms|s|m|h)$",
              "description": "A number and ms, s, m or h: 500ms, 1.5h."
            },
            "trip": {
              "type": "object",
              "description": "A trip.",
              "properties": {
                "to": {"type": "string", "maxLength": 8, "description": "where it leads"},
                "way": {"enum": ["there", "back", "both"], "description": "which way"},
                "stops": {"type": "integer", "minimum": 0, "maximum": 9, "description": "how many stops"},
                "pause": {"allOf": [{"$ref": "#/definitions/duration"}], "description": "at each"},
                "late": {"allOf": [{"$ref": "#/definitions/duration"}], "description": "how late it is"}
              },
              "additionalProperties": false,
              "required": ["to"],
              "allOf": [
                {"not": {"required": ["pause", "late"]}},
                {"if": {"required": ["pause"]}, "then": {"required": ["stops"]}}
              ]
            }
          }
        }

        """
    )
  }

  @Test("the schema refers to a definition that is in another file")
  func other() {
    let duration = Shape<Duration, State>.duration(.zero ... .seconds(1)).schema
    let text = Self.form.schema.file(title: "T", doc: "D", others: ["other.json": duration])
    #expect(text.contains(#"{"$ref": "other.json#/definitions/duration"}"#))
    #expect(text.contains(#""definitions": {}"#))
  }

  @Test("the table has a row for each key, with the default that applies without it")
  func table() {
    #expect(
      Self.form.table == """
        | key | what it is | value | without it |
        |---|---|---|---|
        | `to` | where it [leads](#towns) | a town | required |
        | `way` | which `way` | there, back, both | there |
        | `stops` | how many stops | a whole number from 0 to 9 | 1 |
        | `pause` | at each | a duration from 0s to 1m | none |
        | `late` | how late it is | a duration from 0s to 1h | 0s |

        """
    )
  }

  @Test("JSON is escaped, and its members keep their order")
  func json() {
    let value: JSONValue = ["b": "say \"a\\b\"\n\u{1}", "a": [true, 1, .number("0.5")]]
    #expect(value.compact == #"{"b": "say \"a\\b\"\n\u0001", "a": [true, 1, 0.5]}"#)
    #expect(value["a"]?.compact == "[true, 1, 0.5]" && value["c"] == nil)
    #expect(value.adding("b", 2).compact == #"{"b": 2, "a": [true, 1, 0.5]}"#)
  }
}
