// Words that this project does not write, each with what it writes instead.
//
// It is the glossary of the style as data. Where the words are looked for is in GlossaryRules.

/// One row of the glossary.
struct GlossaryEntry: Sendable {
  /// Where the words are wrong.
  enum Scope: Sendable {
    /// Comments, strings and identifiers. Names in camel case count as words.
    case anywhere
    /// Code without comments and strings.
    case identifiers
    /// Strings of several words: what people read.
    case sentences
  }

  /// A regular expression over lower-case words; a space stands for any white space, also across
  /// the lines of a comment.
  let pattern: String
  let scope: Scope
  let instead: String

  init(_ pattern: String, _ scope: Scope = .anywhere, instead: String) {
    self.pattern = pattern
    self.scope = scope
    self.instead = instead
  }
}

/// The glossary.
let glossary: [GlossaryEntry] = [
  .init(
    "(that |it )may pass|(?<!\\.)(?<!case\\x20)definite(ly)?",
    instead: "a transient failure; a permanent failure"
  ),
  .init("stands? here", instead: "expected Y, found 'X'"),
  .init("this is no", instead: "invalid YAML"),
  .init(
    "(?<!there\\x20)is no (?!longer|more|less|need|such)[a-z]+",
    instead: "is not a …; unknown …"
  ),
  .init("there is no [a-z ]+['\\\\]", .sentences, instead: "unknown step 'x'"),
  .init("is there twice", instead: "duplicate key"),
  .init("w[io]ns? over", instead: "overrides"),
  .init(
    "(say|says|saying|said|tell|tells|telling|told)",
    instead: "reports, returns, prints, states, is set"
  ),
  .init("in the air|listens who", instead: "nearby devices, devices in range; scans"),
  .init("asks? (them |it )?nothing", instead: "sends no scan requests"),
  .init("links? (falls?|fell|goes|went)", instead: "the connection drops"),
  .init("strength of (the link|sending|a link|a connection)", instead: "RSSI, TX power"),
  .init(
    "(with|without) an answer( of the device)?",
    instead: "write with response (Write Request); without response (Write Command)"
  ),
  .init("no limit of its own", instead: "default timeout per step"),
  .init("on the wall", instead: "in real time"),
  // `octets:` is a key of files.
  .init("octets?(?!:)", .sentences, instead: "bytes"),
  .init("stands? for others", instead: "`*` and `?` are wildcards"),
  .init(
    "parts? steps|with blanks|blanks around|a blank before",
    instead: "`;` or a newline separates steps; surrounded by spaces"
  ),
  .init(
    "(take|takes|taking|taken|took) (it |them |runs? )?(out|apart)",
    instead: "deletes, prunes; parses"
  ),
  .init(
    "(take|takes|taken|took) for|(go|goes|going|gone|went) on with|pass(es|ed)? over",
    instead: "treated as, resumed, ignored"
  ),
  .init("how manyth|how manieth", instead: "the index, the ordinal"),
  // What draws a line is a stroke in SVG: `stroke:`, `stroke-width`, `non-scaling-stroke`.
  .init(
    "blows?|(?<!-)(?<!order:.)strokes?(?![:-])|strikes?|struck|striking|befalls?|befell|befallen",
    instead: "fault, fault action, fire (a fault fires), affect"
  ),
  .init("prods?|prodd(ed|ing)|pok(e|es|ed|ing)", instead: "wake"),
  .init(
    "hear|hears|heard|hearing(?!.(aid|access))|hearers?",
    instead: "receive, observe; subscriber"
  ),
  .init("enough", .identifiers, instead: "stop condition"),
  .init(
    "(there|that|it|which) (is|are|was|were) enough|(has|have|had) (had )?enough",
    instead: "a stop condition is met"
  ),
  .init("(end|ends|ended|go|goes|went|ending) well|: whole", instead: "complete, ok, succeeded"),
  .init(
    "(what|all) (runs?|it|they|steps?|a run|the run) (brought|brings?)",
    instead: "run results"
  ),
  .init("is from [0-9]|counts from [0-9]", instead: "must be at least 1"),
  .init("of its own application", instead: "application error 0x80"),
]
