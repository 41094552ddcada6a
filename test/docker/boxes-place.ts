import { chown, mkdtemp, readdir, readFile, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import type { Engine } from './engine.ts'

/** Where a worker whose boxes are containers of the engine keeps its data, and what is written into `.env` for it. */
export interface BoxesPlace extends AsyncDisposable {
  readonly directory: string
  readonly settings: Readonly<Record<string, string>>
  /** What the one workspace that has such a file holds in it. */
  read(name: string): Promise<string>
}

/** As docs/how-to/deploy.md says. Not below /tmp, which is another one in the worker. */
export async function createBoxesPlace({ environment }: Engine): Promise<BoxesPlace> {
  const directory = await mkdtemp('/var/tmp/countersign-boxes-')
  await chown(directory, 10_001, 10_001)
  const socket = (environment['DOCKER_HOST'] ?? '').replace(/^unix:\/\//, '')
  const { gid } = await stat(socket)
  return {
    directory,
    settings: {
      COUNTERSIGN_BOXES: 'docker',
      COUNTERSIGN_BOXES_DIR: directory,
      COUNTERSIGN_ENGINE_SOCKET: socket,
      COUNTERSIGN_ENGINE_GROUP: String(gid),
    },
    read: async (name) => {
      const all = await readdir(directory, { recursive: true })
      const [found = name] = all.filter((path) => path.endsWith(`/${name}`))
      return await readFile(join(directory, found), 'utf8')
    },
    [Symbol.asyncDispose]: () => rm(directory, { recursive: true, force: true }),
  }
}
