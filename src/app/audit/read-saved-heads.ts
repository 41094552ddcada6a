import { createReadStream } from 'node:fs'
import { createInterface } from 'node:readline'
import { z } from 'zod'
import { CommandError } from '../../domain/command-error.ts'
import { tryParseJson } from '../../util/text/try-parse-json.ts'

/** The end of a chain as a checkpoint has it. */
export interface SavedHead {
  readonly chain: string
  readonly seq: number
  readonly hash: string
}

/**
 * The newest head of every chain in a file of checkpoints, one a line: their bodies, or lines of `countersign.log`,
 * whose other lines are passed by. Throws a CommandError when it holds none.
 */
export async function readSavedHeads(file: string): Promise<readonly SavedHead[]> {
  const heads = new Map<string, SavedHead>()
  for await (const line of createInterface({ input: createReadStream(file, 'utf8') })) {
    for (const head of headsIn(line)) {
      const known = heads.get(head.chain)
      if (known === undefined || known.seq < head.seq) heads.set(head.chain, head)
    }
  }
  if (heads.size > 0) return [...heads.values()]
  throw new CommandError(`${file} holds no checkpoint: give it one from countersign.log`, {
    exitCode: 2,
  })
}

const checkpointBody = z.object({
  heads: z.array(z.object({ chain: z.string(), seq: z.number(), hash: z.string() })),
})

const logLine = z.object({ checkpoint: z.string() })

function headsIn(line: string): readonly SavedHead[] {
  const json = tryParseJson(line)
  const logged = logLine.safeParse(json)
  const body = checkpointBody.safeParse(
    logged.success ? tryParseJson(logged.data.checkpoint) : json,
  )
  return body.success ? body.data.heads : []
}
