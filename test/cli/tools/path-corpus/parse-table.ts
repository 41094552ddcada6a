/** Call with its expected result. */
export interface Case {
  readonly expected: string
  readonly tool: string
  readonly arguments: Readonly<Record<string, unknown>>
  /** Expected text in the output or error message. */
  readonly holds: string | undefined
}

const categories: Readonly<Record<string, string>> = {
  ok: 'ok',
  blocked: 'policy_blocked',
  failed: 'permanent_failure',
  invalid: 'invalid_parameters',
  mismatch: 'type_mismatch',
  late: 'timeout',
}

/** Arguments of a tool in the order in which a table lists them, separated by `|`. */
const fields: Readonly<Record<string, readonly string[]>> = {
  read: ['path', 'offset', 'limit'],
  write: ['path', 'content'],
  edit: ['path', 'old_string', 'new_string', 'replace_all'],
  list_directory: ['path'],
  create_directory: ['path'],
  delete_path: ['path', 'recursive'],
  move_path: ['source', 'destination'],
  copy_path: ['source', 'destination'],
  find_path: ['path', 'pattern', 'max_results'],
  grep: ['pattern', 'path', 'glob', 'context'],
  bash: ['command', 'timeout'],
}

/**
 * A table of calls. A line: what must come of each (`ok`, `blocked` …), the tool, then calls with blanks between; `=> text` at
 * its end must stand in each answer. In a word `_` is a blank, `ROOT` the root of the layout, `WS` the workspace, and what
 * `JSON.parse` takes for a number or a truth value is one; `\0` and `\n` are what they are in JavaScript, `\p` is `|`, `\u` is `_`.
 */
export function parseTable(table: string, root: string): readonly Case[] {
  return table
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '')
    .flatMap((line) => parseLine(line, root))
}

function parseLine(line: string, root: string): Case[] {
  const [head = '', holds] = line.split(' => ')
  const [outcome = '', tool = '', ...words] = head.split(/\s+/)
  const expected = categories[outcome]
  if (expected === undefined) throw new Error(`not an outcome: ${line}`)
  return words.map((word) => ({ expected, tool, arguments: toArguments(tool, word, root), holds }))
}

function toArguments(tool: string, word: string, root: string): Readonly<Record<string, unknown>> {
  const parts = word.split('|').map((part) => toValue(part, root))
  const names = fields[tool] ?? []
  const given = names.flatMap((name, at) => (parts[at] === undefined ? [] : [[name, parts[at]]]))
  return Object.fromEntries(given)
}

function toValue(part: string, root: string): unknown {
  if (part === '') return undefined
  if (part === "''") return ''
  if (/^(?:-?\d+(?:\.\d+)?(?:e\d+)?|true|false|null)$/.test(part)) return JSON.parse(part)
  return part
    .replaceAll('\\0', '\0')
    .replaceAll('\\n', '\n')
    .replaceAll('\\p', '|')
    .replaceAll('_', ' ')
    .replaceAll('\\u', '_')
    .replaceAll('WS', `${root}/ws`)
    .replaceAll('ROOT', root)
}
