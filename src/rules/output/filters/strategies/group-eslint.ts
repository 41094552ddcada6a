interface Problem {
  readonly at: string
  readonly severity: string
  readonly message: string
  readonly rule: string
}

/** Locations by file, by message, by rule. */
type Groups = Map<string, Map<string, Map<string, string[]>>>

/** Groups the warnings of each rule; errors stay in place. Undefined if there are no warnings in eslint's format. */
export function groupEslint(lines: readonly string[]): readonly string[] | undefined {
  const groups: Groups = new Map()
  const rest = new Rest()
  for (const line of lines) {
    const problem = rest.file === '' ? undefined : toProblem(line)
    if (problem === undefined) rest.add(line)
    else if (problem.severity === 'error') rest.add(line)
    else {
      add(groups, rest.file, problem)
      rest.hasGrouped = true
    }
  }
  if (groups.size === 0) return undefined
  return [...formatGroups(groups), ...rest.take()]
}

/** The lines that are not grouped; a file's name is kept above the problems that stay. */
class Rest {
  readonly #lines: string[] = []
  #file = ''
  #isFilePrinted = false
  /** Whether a problem of the current file was grouped, which names the file elsewhere. */
  hasGrouped = false

  get file(): string {
    return this.#file
  }

  add(line: string): void {
    if (line === '' || isFile(line)) {
      if (!this.hasGrouped) this.#printFile()
      this.#file = line
      this.#isFilePrinted = line === ''
      this.hasGrouped = false
      if (line === '' && this.#lines.at(-1) !== '') this.#lines.push('')
      return
    }
    this.#printFile()
    this.#lines.push(line)
  }

  take(): readonly string[] {
    if (!this.hasGrouped) this.#printFile()
    return this.#lines
  }

  #printFile(): void {
    if (this.#file !== '' && !this.#isFilePrinted) this.#lines.push(this.#file)
    this.#isFilePrinted = true
  }
}

/** A line that is only a path introduces the problems of that file. */
function isFile(line: string): boolean {
  return /^(?:\/|[A-Za-z]:[\\/]|\.{0,2}[\w@-])\S*$/.test(line)
}

function toProblem(line: string): Problem | undefined {
  const found = /^\s{1,8}(\d{1,7}:\d{1,7})\s{1,8}(error|warning)\s{1,8}(\S.*)$/.exec(line)
  const [, at = '', severity = '', text = ''] = found ?? []
  const gap = text.lastIndexOf('  ')
  const rule = text.slice(gap + 2)
  if (found === null || gap === -1 || !/^[@\w/.-]+$/.test(rule)) return undefined
  return { at, severity, message: text.slice(0, gap).trimEnd(), rule }
}

function add(groups: Groups, file: string, { at, severity, message, rule }: Problem): void {
  const messages = entry(groups, rule, () => new Map<string, Map<string, string[]>>())
  const files = entry(messages, `${severity}  ${message}`, () => new Map<string, string[]>())
  entry<string[]>(files, file, () => []).push(at)
}

function entry<Value>(map: Map<string, Value>, key: string, make: () => Value): Value {
  const found = map.get(key) ?? make()
  map.set(key, found)
  return found
}

function formatGroups(groups: Groups): readonly string[] {
  return [...groups].flatMap(([rule, messages]) => [
    ...[...messages].flatMap(([message, files]) => {
      const places = [...files].map(([file, at]) => `${file} ${at.join(' ')}`)
      const what = `${rule}: ${message}`
      return places.length === 1 ? `${what}  ${places}` : [what, ...places.map((at) => `  ${at}`)]
    }),
  ])
}
