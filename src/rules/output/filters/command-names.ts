/** What may stand before a program without being it: assignments, and programs that start another. */
const wrapper =
  /^(?:[A-Za-z_]\w*=(?:"[^"]*"|'[^']*'|[^\s"'])*|sudo|time|env|nice|nohup|command|exec|timeout(?: -[ks] +[A-Z\d]\w*| -\S+)* \d\S*) +/

const mostWrappers = 8

/** A command as rules may name it: as it stands, without `CI=1`, `time` and the like, and without its program's folder. */
export function commandNames(command: string): readonly string[] {
  let plain = command
  for (let taken = 0; taken < mostWrappers; taken += 1) {
    const inner = plain.replace(wrapper, '')
    if (inner === plain) break
    plain = inner
  }
  return [...new Set([command, plain, plain.replace(/^[^\s'"]*\//, '')])]
}
