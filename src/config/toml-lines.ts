import type { Statement } from './scan-toml.ts'
import type { Path } from './shape.ts'

/** Longer keys are nobody's; their places are not kept. */
const maxLength = 32

/** Answers the line of what stands at a path, or of the nearest thing around it. */
export function createLineFinder(statements: readonly Statement[]): (path: Path) => number {
  const lines = new Map<string, number>()
  const counts = new Map<string, number>()
  let header: Path = []
  for (const statement of statements) {
    if (statement.path.length > maxLength) continue
    if (statement.kind !== 'value') header = openHeader(statement, counts)
    const path = statement.kind === 'value' ? [...header, ...statement.path] : header
    remember(lines, path, statement.line)
    for (const inner of statement.inner) {
      lines.set(JSON.stringify([...path, ...inner.path]), inner.line)
    }
  }
  return (path) => lineIn(lines, path)
}

/** The path a header opens, with the index of the last entry wherever a list of tables is passed. */
function openHeader(statement: Statement, counts: Map<string, number>): Path {
  const path: (string | number)[] = []
  for (const [index, name] of statement.path.entries()) {
    path.push(name)
    const key = JSON.stringify(path)
    const opens = statement.kind === 'list' && index === statement.path.length - 1
    if (opens) counts.set(key, (counts.get(key) ?? 0) + 1)
    const count = counts.get(key)
    if (count !== undefined) path.push(count - 1)
  }
  return path
}

/** A place and, where they were not yet seen, the tables around it. */
function remember(lines: Map<string, number>, path: Path, line: number): void {
  lines.set(JSON.stringify(path), line)
  for (let length = path.length - 1; length > 0; length--) {
    const around = JSON.stringify(path.slice(0, length))
    if (!lines.has(around)) lines.set(around, line)
  }
}

function lineIn(lines: ReadonlyMap<string, number>, path: Path): number {
  for (let length = path.length; length > 0; length--) {
    const line = lines.get(JSON.stringify(path.slice(0, length)))
    if (line !== undefined) return line
  }
  return 1
}
