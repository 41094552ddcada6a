import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Kysely } from 'kysely'
import type { Schema } from '../../src/db/schema.ts'

/** What both platforms' stages have. A place is a conversation as its platform names it. */
interface Stage<Place> {
  readonly flow: {
    readonly db: Kysely<Schema>
    readonly dataDir: string
    settled(place: Place): Promise<unknown>
  }
}

/** A command whose runs `runs` counts. */
export const counting = 'echo ran | tee -a counter.txt'

/** How often the counting command ran in a conversation that has settled. */
export async function runs<Place>(stage: Stage<Place>, place: Place): Promise<number> {
  await stage.flow.settled(place)
  const path = join(await workspaceOf(stage, place), 'counter.txt')
  const text = await readFile(path, 'utf8').catch(() => '')
  return text.split('\n').filter((line) => line === 'ran').length
}

/** A command that prints a line a second until it is let go: however late one looks, it still prints. */
export const printing = 'until [ -e go ]; do echo line-$SECONDS; sleep 1; done'

/** Lets the printing command of a conversation end. */
export async function letGo<Place>(stage: Stage<Place>, place: Place): Promise<void> {
  await writeFile(join(await workspaceOf(stage, place), 'go'), '')
}

async function workspaceOf<Place>({ flow }: Stage<Place>, place: Place): Promise<string> {
  const { id } = await flow.db
    .selectFrom('conversation')
    .select('id')
    .where('external_id', '=', String(place))
    .executeTakeFirstOrThrow()
  return join(flow.dataDir, 'workspaces', id)
}
