// `every`, `cron` and `jitter`.

import Documents

extension BatchReader {
  mutating func schedule(_ reader: inout MappingReader) -> Schedule? {
    let every = reader.optional("every", expected: "a duration from 1s on such as 15m") {
      $0.duration.flatMap { $0 >= .seconds(1) ? $0 : nil }
    }
    let cron = reader.optional("cron")
    let jitterNode = reader.optional("jitter")
    var rule = every.map { Schedule.Rule.every($0) }
    if let cron {
      if every != nil {
        let message = "'every' and 'cron' exclude each other"
        complain(cron, Complaint(message, expected: "one of them"))
      }
      rule = cronRule(cron).map { .cron($0) }
    }
    guard let jitterNode else { return rule.map { Schedule($0) } }
    guard let jitter = jitterNode.duration else {
      let complaint = Complaint(found: jitterNode.shown, expected: "a duration such as 30s")
      complain(jitterNode, complaint)
      return nil
    }
    guard let rule else {
      if every == nil, cron == nil {
        let message = "'jitter' needs a schedule"
        complain(jitterNode, Complaint(message, expected: "'every' or 'cron'"))
      }
      return nil
    }
    if let every, jitter >= every {
      let expected = "less than the interval of \(every.written)"
      complain(jitterNode, Complaint("the jitter could reorder runs", expected: expected))
    }
    return Schedule(rule, jitter: jitter)
  }

  private mutating func cronRule(_ node: Node) -> CronRule? {
    guard let text = node.text else {
      complain(node, Complaint(found: node.shown, expected: CronProblem.shape))
      return nil
    }
    do {
      return try CronRule(text)
    } catch {
      complain(node, Complaint(error.message, expected: error.expected))
      return nil
    }
  }
}
