import { mkdir, rename, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { newId } from '../../../util/new-id.ts'
import { boxWorkspace } from '../workspace-name.ts'

/** Writes the accounts of boxes that run under these numbers below `cacheDir`, and answers the files. */
export async function writeAccounts(
  cacheDir: string,
  { uid, gid }: { readonly uid: number; readonly gid: number },
): Promise<{ readonly passwd: string; readonly group: string }> {
  const dir = join(cacheDir, 'accounts')
  await mkdir(dir, { recursive: true, mode: 0o755 })
  const [passwd, group] = [join(dir, `passwd-${uid}-${gid}`), join(dir, `group-${gid}`)]
  await replace(passwd, lines([...others, `box:x:${uid}:${gid}:box:${boxWorkspace}:/bin/bash`]))
  await replace(
    group,
    lines(['root:x:0:', 'nogroup:x:65534:', ...(gid === 0 ? [] : [`box:x:${gid}:`])]),
  )
  return { passwd, group }
}

const others = [
  'root:x:0:0:root:/root:/bin/sh',
  'nobody:x:65534:65534:nobody:/nonexistent:/bin/false',
]

function lines(all: readonly string[]): string {
  return all.map((line) => `${line}\n`).join('')
}

async function replace(file: string, text: string): Promise<void> {
  const draft = `${file}-${newId()}`
  await writeFile(draft, text, { mode: 0o644 })
  await rename(draft, file)
}
