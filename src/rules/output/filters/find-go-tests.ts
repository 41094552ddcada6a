/** `=== RUN   TestA/sub`, and what `go test -v` says of the same test later on. */
const step = /^=== (?:RUN|PAUSE|CONT|NAME) +(\S+)/
const verdict = /^\s*--- (PASS|SKIP|FAIL): (\S+)/
/** The output of one package stands together, and ends so. */
const packageEnd = /^(?:ok|FAIL) *\t/

/** What became of the test that a line names. */
export const failedLater = 1
export const unfinished = 2

/**
 * Of each line that says that a test of Go runs: what became of the test, 0 if it went well. Where one ends the process, or hangs,
 * only these name it; `unfinished` is the last of them.
 */
export function findGoTests(lines: readonly string[]): Uint8Array {
  const fates = new Uint8Array(lines.length)
  /** Of each test that runs, where it is named. */
  const open = new Map<string, number[]>()
  for (let at = 0; at < lines.length; at += 1) {
    const line = lines[at] ?? ''
    if (!/^(?:=== |ok|FAIL|\s*--- )/.test(line)) continue
    const begun = step.exec(line)?.[1]
    if (begun !== undefined) {
      const places = open.get(begun) ?? []
      fates[places.at(-1) ?? at] = 0
      fates[at] = unfinished
      open.set(begun, places)
      places.push(at)
      continue
    }
    const [, word, name = ''] = verdict.exec(line) ?? []
    for (const place of open.get(name) ?? []) fates[place] = word === 'FAIL' ? failedLater : 0
    open.delete(name)
    if (packageEnd.test(line)) open.clear()
  }
  return fates
}
