interface Problem {
  readonly at: string
  readonly severity: string
  readonly message: string
  readonly rule: string
}

/** Places by file, by what is said, by rule. */
type Groups = Map<string, Map<string, Map<string, string[]>>>

/**
 * Warnings of one rule together; errors stay as they stand. Undefined: it is no such list.
 */
export function groupEslint(lines: readonly string[]): readonly string[] | undefined {
  const groups: Groups = new Map()
  const rest = new Rest()
  for (const line of lines) {
    const problem = rest.file === '' ? undefined : toProblem(line)
    if (problem === undefined) rest.add(line)
    else if (problem.severity === 'error') rest.add(line)
    else {
      add(groups, rest.file, problem)
      rest.isUsed = true
    }
  }
  if (groups.size === 0) return undefined
  return [...tell(groups), ...rest.take()]
}

/** What is put together nowhere, each file's name before what is left of its problems. */
class Rest {
  readonly #lines: string[] = []
  #file = ''
  #isTold = false
  /** Whether a problem of the file stands elsewhere, with its name. */
  isUsed = false

  get file(): string {
    return this.#file
  }

  add(line: string): void {
    if (line === '' || isFile(line)) {
      if (!this.isUsed) this.#tell()
      this.#file = line
      this.#isTold = line === ''
      this.isUsed = false
      if (line === '' && this.#lines.at(-1) !== '') this.#lines.push('')
      return
    }
    this.#tell()
    this.#lines.push(line)
  }

  take(): readonly string[] {
    if (!this.isUsed) this.#tell()
    return this.#lines
  }

  #tell(): void {
    if (this.#file !== '' && !this.#isTold) this.#lines.push(this.#file)
    this.#isTold = true
  }
}

/** A line with nothing but a path stands above its problems. */
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
  const said = entry(groups, rule, () => new Map<string, Map<string, string[]>>())
  const files = entry(said, `${severity}  ${message}`, () => new Map<string, string[]>())
  entry<string[]>(files, file, () => []).push(at)
}

function entry<Value>(map: Map<string, Value>, key: string, make: () => Value): Value {
  const found = map.get(key) ?? make()
  map.set(key, found)
  return found
}

function tell(groups: Groups): readonly string[] {
  return [...groups].flatMap(([rule, said]) => [
    ...[...said].flatMap(([message, files]) => {
      const places = [...files].map(([file, at]) => `${file} ${at.join(' ')}`)
      const what = `${rule}: ${message}`
      return places.length === 1 ? `${what}  ${places}` : [what, ...places.map((at) => `  ${at}`)]
    }),
  ])
}
