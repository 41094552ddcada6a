import { createReadStream } from 'node:fs'
import { lstat, readdir, readlink } from 'node:fs/promises'
import { join } from 'node:path'
import { hasCode } from '../../util/has-code.ts'
import type { TarEntry } from '../../util/tar/tar-entry.ts'
import type { TarPart } from '../../util/tar/write-tar.ts'

/** Is told of each file that is left out, and why. */
export type LeftOut = (path: string, why: string) => void

/**
 * A directory and all in it as entries of a tar file, in the order of names, each directory before what it holds. Links
 * are kept as links; names of one file beyond the first are links to the first. Sockets, pipes and devices are no data, and
 * files that vanish meanwhile are skipped.
 */
export async function* walkFiles(
  root: string,
  name: string,
  leftOut: LeftOut,
): AsyncGenerator<TarPart> {
  yield* walk({ root, leftOut, linked: new Map() }, name)
}

interface Walk {
  readonly root: string
  readonly leftOut: LeftOut
  /** Files with several names: the first of them, by device and number. */
  readonly linked: Map<string, string>
}

async function* walk(state: Walk, path: string): AsyncGenerator<TarPart> {
  const full = join(state.root, path)
  const stats = await lstat(full).catch(ifGone)
  if (stats === undefined) return
  const mode = stats.mode & 0o777
  const common = { mode, uid: stats.uid, gid: stats.gid, mtime: Math.floor(stats.mtimeMs / 1000) }
  const base = { path: `data/${path}`, ...common, size: 0, target: '' }
  if (stats.isSymbolicLink()) {
    const target = await readlink(full).catch(ifGone)
    if (target !== undefined) yield only({ ...base, kind: 'symlink', target })
  } else if (stats.isDirectory()) {
    yield only({ ...base, kind: 'directory' })
    yield* walkInto(state, path)
  } else if (stats.isFile()) {
    const first = stats.nlink > 1 ? firstName(state, `${stats.dev} ${stats.ino}`, path) : undefined
    if (first !== undefined) yield only({ ...base, kind: 'link', target: `data/${first}` })
    else yield* fileOf(state, { ...base, kind: 'file', size: stats.size }, full)
  }
}

async function* walkInto(state: Walk, path: string): AsyncGenerator<TarPart> {
  const names = await readdir(join(state.root, path), { encoding: 'buffer' }).catch((error) => {
    if (hasCode(error, 'EACCES')) state.leftOut(path, 'it cannot be read')
    else if (!hasCode(error, 'ENOENT')) throw error
    return []
  })
  for (const bytes of names.sort(Buffer.compare)) {
    const name = bytes.toString('utf8')
    if (Buffer.from(name).equals(bytes)) yield* walk(state, `${path}/${name}`)
    else state.leftOut(`${path}/${name}`, 'its name is no UTF-8')
  }
}

/** Opened before its header is given out, so that one that cannot be read has none. */
async function* fileOf(state: Walk, entry: TarEntry, full: string): AsyncGenerator<TarPart> {
  const stream = createReadStream(full, entry.size === 0 ? {} : { end: entry.size - 1 })
  try {
    await new Promise((resolve, reject) => stream.once('open', resolve).once('error', reject))
  } catch (error) {
    if (hasCode(error, 'ENOENT')) return
    if (!hasCode(error, 'EACCES')) throw error
    state.leftOut(entry.path.slice('data/'.length), 'it cannot be read')
    return
  }
  try {
    yield { entry, content: stream as AsyncIterable<Buffer> }
  } finally {
    stream.destroy()
  }
}

function firstName({ linked }: Walk, id: string, path: string): string | undefined {
  const first = linked.get(id)
  if (first === undefined) linked.set(id, path)
  return first
}

function only(entry: TarEntry): TarPart {
  return { entry, content: [] }
}

function ifGone(error: unknown): undefined {
  if (!hasCode(error, 'ENOENT')) throw error
}
