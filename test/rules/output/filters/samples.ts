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
    /** Lines that must be kept: names and messages of failures, and the summary. */
    keeps: z.array(z.string()).default([]),
    /** False if the sample was written by hand because the program could not be run. */
    isCaptured: z.boolean().default(true),
  }),
)

export type Sample = z.infer<typeof listed>[number] & { readonly text: string }

/** Output of real programs, sanitised. */
export const samples: readonly Sample[] = listed
  .parse(JSON.parse(readFileSync(join(directory, 'samples.json'), 'utf8')))
  .map((sample) => ({
    ...sample,
    text: sanitise(readFileSync(join(directory, `${sample.name}.txt`), 'utf8')),
  }))
