import { readFile } from 'node:fs/promises'

/** User of this machine other than root. */
export interface Account {
  readonly uid: number
  readonly gid: number
}

/**
 * Returns `nobody`, or the first other user except root; undefined if there is none. PostgreSQL requires its user to have
 * a name.
 */
export async function unprivilegedAccount(): Promise<Account | undefined> {
  const text = await readFile('/etc/passwd', 'utf8').catch(() => '')
  const accounts = text.split('\n').flatMap(parseLine)
  return accounts.find(({ name }) => name === 'nobody') ?? accounts.find(({ uid }) => uid !== 0)
}

function parseLine(line: string): readonly (Account & { readonly name: string })[] {
  const [name, , uid, gid] = line.split(':')
  if (name === undefined || uid === undefined || gid === undefined) return []
  // macOS writes the uid of nobody as -2.
  return [{ name, uid: Number(uid) >>> 0, gid: Number(gid) >>> 0 }]
}
