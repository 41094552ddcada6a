import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { z } from 'zod'
import { sanitise } from '../../../../src/rules/output/sanitise.ts'

const directory = join(import.meta.dirname, 'samples')

const listed = z.array(
  z.strictObject({
    name: z.string(),
    command: z.string(),
    exitCode: z.number(),
    /** What must still be there: of a failure the failing names, their messages and the summary. */
    keeps: z.array(z.string()).default([]),
    /** False: written in the program's form, since the program itself could not be run. */
    isCaptured: z.boolean().default(true),
  }),
)

export type Sample = z.infer<typeof listed>[number] & { readonly text: string }

/** What real programs printed, sanitised. */
export const samples: readonly Sample[] = listed
  .parse(JSON.parse(readFileSync(join(directory, 'samples.json'), 'utf8')))
  .map((sample) => ({
    ...sample,
    text: sanitise(readFileSync(join(directory, `${sample.name}.txt`), 'utf8')),
  }))
