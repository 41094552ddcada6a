/** The lines that `go test -v` prints when a test starts (`=== RUN   TestA/sub`) and when it ends. */
const step = /^=== (?:RUN|PAUSE|CONT|NAME) +(\S+)/
const verdict = /^\s*--- (PASS|SKIP|FAIL): (\S+)/
/** Last line of the output of a package. */
const packageEnd = /^(?:ok|FAIL) *\t/

/** Outcome of the test that a line names. */
export const failedLater = 1
export const unfinished = 2

/**
 * Outcome of the test for each line that names a running Go test; 0 if it passed. If a test ends the process or hangs, only
 * these lines name it, and `unfinished` marks the last of them.
 */
export function findGoTests(lines: readonly string[]): Uint8Array {
  const outcomes = new Uint8Array(lines.length)
  /** Lines by name of each running test. */
  const open = new Map<string, number[]>()
  for (let at = 0; at < lines.length; at += 1) {
    const line = lines[at] ?? ''
    if (!/^(?:=== |ok|FAIL|\s*--- )/.test(line)) continue
    const started = step.exec(line)?.[1]
    if (started !== undefined) {
      const lineNumbers = open.get(started) ?? []
      outcomes[lineNumbers.at(-1) ?? at] = 0
      outcomes[at] = unfinished
      open.set(started, lineNumbers)
      lineNumbers.push(at)
      continue
    }
    const [, word, name = ''] = verdict.exec(line) ?? []
    for (const index of open.get(name) ?? []) outcomes[index] = word === 'FAIL' ? failedLater : 0
    open.delete(name)
    if (packageEnd.test(line)) open.clear()
  }
  return outcomes
}
